// Which texts may be a sender name, and which decision about one may follow which.
import { describe, expect, it, test } from 'vitest';
import { decide, isSenderName } from '../../../../src/core/accounts/sender-name.ts';

test.each([
  ['submitted', 'approved', 'changed'],
  ['submitted', 'rejected', 'changed'],
  ['submitted', 'revoked', 'not_allowed'],
  ['approved', 'approved', 'unchanged'],
  ['approved', 'rejected', 'not_allowed'],
  ['approved', 'revoked', 'changed'],
  ['rejected', 'approved', 'changed'],
  ['rejected', 'rejected', 'unchanged'],
  ['rejected', 'revoked', 'not_allowed'],
  ['revoked', 'approved', 'changed'],
  ['revoked', 'rejected', 'not_allowed'],
  ['revoked', 'revoked', 'unchanged'],
] as const)('%s, then %s: %s', (status, decision, outcome) => {
  expect(decide(status, decision)).toBe(outcome);
});

describe('isSenderName', () => {
  it.each(['Ramz', 'A', 'My Shop', 'Shop-24', 'A.B', 'A&B', '4Shop', 'ElevenChars'])('takes %j', (name) => {
    expect(isSenderName(name)).toBe(true);
  });
  it.each([
    '',
    'TwelveLetter',
    '12345',
    '+213550',
    ' Shop',
    'Shop ',
    'My  Shop',
    'Café',
    'متجر',
    'Sh@p',
    'My_Shop',
    'Shop\n',
    'A\0B',
    '-A',
    'Sh€p',
  ])('does not take %j', (name) => {
    expect(isSenderName(name)).toBe(false);
  });
});
