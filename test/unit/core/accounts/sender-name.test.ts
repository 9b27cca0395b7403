// Which decision about a sender name may follow which.
import { expect, test } from 'vitest';
import { decide } from '../../../../src/core/accounts/sender-name.ts';

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
