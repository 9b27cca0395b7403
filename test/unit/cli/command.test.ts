// The words that commands share: a day or a time is what it looks like, or it is refused, and a text is what the contract allows.
import type { DescMessage } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { fieldRules } from '../../../src/api/waist/method-options.ts';
import { expiryOf, Refusal, readText, textBounds, utcTime } from '../../../src/cli/command.ts';
import { CreateAccountRequestSchema, DecideWordingRequestSchema } from '../../../src/gen/ramz/v1/account_pb.ts';
import {
  CloseAccountRequestSchema,
  CreateAdministratorRequestSchema,
  CreatePlatformEntryRequestSchema,
  SuspendAccountRequestSchema,
} from '../../../src/gen/ramz/v1/admin_pb.ts';
import { CreateApiKeyRequestSchema } from '../../../src/gen/ramz/v1/api_key_pb.ts';
import { PauseOperatorRequestSchema } from '../../../src/gen/ramz/v1/operator_pb.ts';
import { DecideSenderIdRequestSchema } from '../../../src/gen/ramz/v1/sender_pb.ts';

const now = Date.parse('2026-11-22T12:00:00Z');

describe('a time in UTC', () => {
  test.each(['2027-01-31', '2027-01-31T14:00Z', '2027-01-31T14:00:05Z', '2027-01-31T14:00:05.250Z', '2028-02-29'])(
    '%s',
    (text) => {
      expect(utcTime(text)).toBe(Date.parse(text));
      expect(expiryOf(text, now)).toBe(Date.parse(text));
    },
  );
});

describe('no time: days, years, dates with the month first, days that no month has, times of an unnamed zone', () => {
  test.each([
    '45',
    '90',
    '2027',
    '5/6/27',
    'Jan 2028',
    '2027-02-31',
    '2027-1-5',
    '2027-01-31 12:00',
    '2027-01-31T24:00Z',
    '',
  ])('%j', (text) => {
    expect(utcTime(text)).toBeNaN();
    expect(() => expiryOf(text, now)).toThrow(Refusal);
  });
});

test('what expires does so in the future, or never', () => {
  expect(expiryOf(undefined, now)).toBeNull();
  expect(() => expiryOf('2026-11-22', now)).toThrow('--expires must be a day or time (UTC) in the future');
});

test.each<[DescMessage, string, keyof typeof textBounds]>([
  [CreateAccountRequestSchema, 'name', 'name'],
  [CreateAdministratorRequestSchema, 'name', 'name'],
  [CreateApiKeyRequestSchema, 'name', 'name'],
  [CreateApiKeyRequestSchema, 'person', 'name'],
  [SuspendAccountRequestSchema, 'reason', 'reason'],
  [CloseAccountRequestSchema, 'reason', 'reason'],
  [PauseOperatorRequestSchema, 'reason', 'reason'],
  [CreatePlatformEntryRequestSchema, 'note', 'note'],
  [DecideSenderIdRequestSchema, 'reason', 'decision'],
  [DecideWordingRequestSchema, 'reason', 'decision'],
])('a command takes what the contract takes: $typeName.%s', (message, name, bounds) => {
  const field = message.fields.find((each) => each.name === name);
  const { maxLength, oneLine } = (field && fieldRules(field)) ?? {};
  expect(textBounds[bounds]).toEqual({ most: maxLength, severalLines: !oneLine });
});

test('a text loses the space around it, and is counted in characters', () => {
  expect(readText('<name>', '  متجر ', 'name')).toBe('متجر');
  expect(readText('--person', '', 'name')).toBe('');
  const longest = '😀'.repeat(100);
  expect(readText('<name>', longest, 'name')).toBe(longest);
});

test.each<[string, string, keyof typeof textBounds, string]>([
  ['<name>', ' ', 'name', '<name> must not be empty'],
  ['<name>', 'x'.repeat(101), 'name', '<name> must be at most 100 characters long'],
  ['--reason', 'x'.repeat(201), 'reason', '--reason must be at most 200 characters long'],
  ['--note', 'one\ntwo', 'note', '--note must be one line, without control characters and direction marks'],
])('%s of %j is refused', (word, text, bounds, message) => {
  expect(() => readText(word, text, bounds)).toThrow(new Refusal(message, 2));
});

test('a decision may be told in several lines', () => {
  expect(readText('--reason', 'one\ntwo', 'decision')).toBe('one\ntwo');
});
