// Databases with settings that change how values travel, or what a transaction sees: those of another program that shares the server, say.

import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { createDatabase } from '../../../src/db/client.ts';
import { checkServer } from '../../../src/db/connections/server.ts';
import { testDatabase } from '../../support/database.ts';
import { ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';
import { databaseUrl, execute } from '../../support/server.ts';

const database = await testDatabase();
const name = new URL(database.url).pathname.slice(1);
const server = databaseUrl(database.url, 'postgres');
const alter = (text: string) => execute(server, `alter database ${name} ${text}`);
afterAll(() => alter('reset all'));

test.each([
  ['bytea_output', 'escape', 'hex'],
  ['datestyle', 'SQL, DMY', 'ISO, DMY'],
  ['array_nulls', 'off', 'on'],
  ['extra_float_digits', '-5', '1'],
  ['default_transaction_isolation', 'serializable', 'read committed'],
  ['lock_timeout', '1ms', '0'],
])('with %s = %s a code verifies in another process', async (setting, value, ours) => {
  await alter('reset all');
  await alter(`set ${setting} = '${value}'`.replace("'SQL, DMY'", 'SQL, DMY'));
  const [one, two] = [database.connect(), database.connect()];
  const shown = async (query: Promise<{ rows: unknown[] }>) => (await query).rows[0];
  const text = `select current_setting('${setting}') as value`;
  const sms = new ScriptedChannel();
  const first = await testEngine({ ...database, ...one }, { sms });
  const second = await testEngine({ ...database, ...two }, { sms });
  const request = sendRequest();
  const sent = await first.engine.starter.sendSettled(request);
  if (sent.kind !== 'sent') throw new Error(sent.kind);
  await first.engine.dispatcher.idle();
  const { id, createdAt } = sent.session;
  const found = await second.engine.lookup.find({ accountId: request.accountId, id, mode: 'live' });
  expect(found).toMatchObject({ session: { createdAt, senderId: null } });
  const target = { id };
  const wanted = {
    accountId: request.accountId,
    mode: 'live',
    target,
    code: sms.sent[0]?.code ?? '',
    idempotency: null,
  } as const;
  expect(await second.engine.checker.check(wanted)).toMatchObject({ checked: { valid: true } });
  const { rows } = await sql<{ at: Date }>`select created_at as at from verify_session where id = ${id}`.execute(
    one.db,
  );
  expect(rows).toEqual([{ at: new Date(createdAt) }]);
  expect(await shown(one.lanes.query(text))).toEqual({ value: ours });
  expect(await shown(one.lists.query(text))).toEqual({ value: ours });
  expect(await shown(sql.raw(text).execute(one.db))).toEqual({ value: ours });
  await Promise.all([first.fleet.leave(), second.fleet.leave()]);
  await Promise.all([one.close(), two.close()]);
});

test('of the timeouts the URL has the last word', async () => {
  const { lists, close } = createDatabase(`${database.url}?lock_timeout=5000`, { lists: 1 });
  expect((await lists.query(`select current_setting('lock_timeout') as value`)).rows).toEqual([{ value: '5s' }]);
  await close();
});

test('they hold against the URL, too', async () => {
  const url = new URL(database.url);
  url.searchParams.set('options', '-c bytea_output=escape');
  const { lists, close } = createDatabase(url.href, { lists: 1 });
  expect((await lists.query(`select '\\x00ff'::bytea::text as octets`)).rows).toEqual([{ octets: '\\x00ff' }]);
  await close();
});

test.each(['statement_timeout=15001', 'statement_timeout=0', 'options=-c%20statement_timeout%3D1min'])(
  'a statement that may be committed later than it is looked for is refused: %s',
  async (query) => {
    const url = `${database.url}?${query}`;
    const why = expect.stringMatching(
      /^statement_timeout must be 1 to 15000 ms; the URL .* sets it to (15001|none|60000)/,
    );
    expect(await checkServer(url, { connections: 1 })).toEqual({ kind: 'refused', reason: why });
    const { lanes, close } = createDatabase(url);
    await expect(lanes.query('select 1')).rejects.toMatchObject({ name: 'SessionRefused', message: why });
    await close();
  },
);

test('the longest that is taken', async () => {
  const url = `${database.url}?statement_timeout=15000`;
  expect(await checkServer(url, { connections: 1 })).toMatchObject({ kind: 'fit' });
});

test('a database with an encoding that lacks most letters is refused', async () => {
  const latin = `${name}_latin1`;
  const made = `create database ${latin} encoding 'LATIN1' locale_provider libc locale 'C' template template0`;
  await execute(server, made);
  try {
    const reason = expect.stringMatching('^the database has the encoding LATIN1,');
    expect(await checkServer(databaseUrl(server, latin), { connections: 1 })).toEqual({ kind: 'refused', reason });
  } finally {
    await execute(server, `drop database ${latin} with (force)`);
  }
});

test.each([
  ['log_error_verbosity', 'default', /phone numbers in it, in the details of errors/],
  ['log_min_duration_statement', '1000', /phone numbers in it, as values of statements/],
  ['log_parameter_max_length_on_error', '64', /phone numbers in it, as values of statements/],
])('a server whose own log may have numbers in it, by %s = %s, is warned of', async (setting, value, warning) => {
  await alter('reset all');
  await alter('set log_error_verbosity = terse');
  expect(await checkServer(database.url, { connections: 1 })).toEqual({ kind: 'fit', warnings: [] });
  await alter(`set ${setting} = '${value}'`);
  expect(await checkServer(database.url, { connections: 1 })).toEqual({
    kind: 'fit',
    warnings: [expect.stringMatching(warning)],
  });
});
