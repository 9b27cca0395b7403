// Which servers a process works on: by version, and by the connections that they have for it.
import { expect, test } from 'vitest';
import { judge } from '../../../src/db/connections/server.ts';

const needs = { connections: 22 };
const usual = { encoding: 'UTF8', logsDetails: false, logsValues: false };

test.each([
  [{ version: 140_020, most: 97, used: 0 }, /^the database is PostgreSQL 14: the service needs 15 to 18$/],
  [{ version: 150_018, encoding: 'LATIN1', most: 97, used: 0 }, /has the encoding LATIN1, .* encoding 'UTF8'$/],
  [{ version: 150_018, most: 21, used: 0 }, /lets this role have 21 connections, and one process takes 22/],
])('%j is refused', (room, reason) => {
  expect(judge({ ...usual, ...room }, needs)).toEqual({ kind: 'refused', reason: expect.stringMatching(reason) });
});

test.each([
  [{ version: 150_000, most: 22, used: 0 }, []],
  [{ version: 189_999, most: 97, used: 75 }, []],
  [{ version: 180_004, most: 97, used: 76 }, [/has 21 of 97 connections left, and this process takes up to 22/]],
  [
    { version: 180_004, most: 97, used: 0, logsDetails: true },
    [/own log has phone numbers in it, in the details of errors: set log_error_verbosity = terse$/],
  ],
  [
    { version: 180_004, most: 97, used: 0, logsValues: true },
    [/own log has phone numbers in it, as values of statements: set log_parameter_max_length = 0 and/],
  ],
  [{ version: 190_001, most: 97, used: 0 }, [/is PostgreSQL 19, which this version was not tested on: 15 to 18 are/]],
])('%j is taken', (room, warnings) => {
  expect(judge({ ...usual, ...room }, needs)).toEqual({
    kind: 'fit',
    warnings: warnings.map((text) => expect.stringMatching(text)),
  });
});
