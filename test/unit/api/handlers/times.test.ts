import { fromJson } from '@bufbuild/protobuf';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { toMs } from '../../../../src/api/handlers/fields.ts';

test.each([
  ['1970-01-01T00:00:00Z', 0],
  ['1969-12-31T23:59:59.999Z', undefined],
  ['2026-03-01T10:15:30.123999999Z', Date.UTC(2026, 2, 1, 10, 15, 30, 123)],
  ['9999-12-31T23:59:59.999999999Z', Date.UTC(9999, 11, 31, 23, 59, 59, 999)],
])('%s in Unix ms', (text, ms) => expect(toMs(fromJson(TimestampSchema, text))).toBe(ms));

test.each([2n ** 62n, -1n, 253_402_300_800n])('%d seconds of the binary form are no time', (seconds) => {
  expect(toMs({ $typeName: 'google.protobuf.Timestamp', seconds, nanos: 0 })).toBeUndefined();
});
