// What keeps a program from the database is one line that names the setting; everything else is left to its stack.
import { describe, expect, test } from 'vitest';
import { Refused } from '../../../src/core/refused.ts';
import { databaseProblem } from '../../../src/db/connections/problem.ts';
import { HostReadOnly, SessionRefused } from '../../../src/db/connections/session.ts';

const env = { DATABASE_URL: 'postgres://ramz:secret@db.example/ramz' };
const error = (message: string, code?: string) => Object.assign(new Error(message), { code });
const refused = (address: string) => error(`connect ECONNREFUSED ${address}`, 'ECONNREFUSED');

describe('the reason', () => {
  test.each([
    ['a port without a server', refused('127.0.0.1:1'), 'connect ECONNREFUSED 127.0.0.1:1'],
    [
      'a name with two addresses',
      new AggregateError([refused('::1:1'), refused('127.0.0.1:1')]),
      'connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1',
    ],
    ['a wrong password', error('password authentication failed for user "ramz"', '28P01'), 'for user "ramz"'],
    ['no password', error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'), 'asks for a password'],
    ['no such database', error('database "nodb" does not exist', '3D000'), 'database "nodb" does not exist'],
    ['no TLS there', error('The server does not support SSL connections'), 'does not support SSL'],
    ['a strange certificate', error('self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'), 'self-signed'],
  ])('%s', (_, thrown, reason) => {
    const said = databaseProblem(thrown, env);
    expect(said).toContain(reason);
    expect(said).toMatch(
      /^the database can't be used: .*, and at host, port, user, password and database in DATABASE_URL$/,
    );
    expect(said).not.toContain('secret');
  });
});

test('names every setting that an address came from, and the data directory where there is none', () => {
  const from = (given: NodeJS.ProcessEnv) => databaseProblem(refused('[::1]:1'), given);
  expect(from({ DATABASE_URL_FILE: '/run/url', DATABASE_CELLS: '{}' })).toMatch(
    /DATABASE_URL_FILE and DATABASE_CELLS$/,
  );
  expect(from({})).toContain('the one in the data directory');
});

test('says what has its own words as it is', () => {
  expect(databaseProblem(new SessionRefused('a pooler'), env)).toBe('a pooler');
  expect(databaseProblem(new HostReadOnly(), env)).toContain('DATABASE_URL must name the primary');
});

test.each([
  ['a bug', new TypeError('x is not a function')],
  ['a statement that is wrong', error('relation "x" does not exist', '42P01')],
  ['a refusal', new Refused('set PORT')],
  ['no error', 'text'],
])('is null for %s', (_, thrown) => {
  expect(databaseProblem(thrown, env)).toBeNull();
});
