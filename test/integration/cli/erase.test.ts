// `ramz erase` on a database without a running service: what it erases and prints, and what it leaves to the next run.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { account } from '../../../src/cli/account.ts';
import { erase } from '../../../src/cli/erase.ts';
import { newKeyRing } from '../../../src/core/secrets/key-ring.ts';
import { testDatabase } from '../../support/database.ts';
import { ids, ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';
import { rowsWith } from '../../support/rows-with.ts';

const database = await testDatabase();
const env = {
  DATABASE_URL: database.url,
  RAMZ_DATA: '/nonexistent',
  RAMZ_KEYS: newKeyRing((size) => randomBytes(size)),
};

async function run(...args: string[]) {
  const lines: string[] = [];
  const exitCode = await erase(args, { env, say: (line) => lines.push(line) });
  return { exitCode, text: lines.join('\n') };
}

test('erases what is over, and says what is still pending', async () => {
  const accountId = ids('acct_');
  await sql`insert into account (id, name, created_at) values (${accountId}, 'Shop', now())`.execute(database.db);
  // Hears no notices, as if no process ran.
  const { engine, fleet } = await testEngine(database, { sms: new ScriptedChannel() });
  const request = sendRequest({ accountId });
  const sent = await engine.starter.sendSettled(request);
  if (sent.kind !== 'sent') throw new Error(sent.kind);
  await engine.dispatcher.idle();

  const pending = await run(request.to);
  expect(pending).toMatchObject({
    exitCode: 1,
    text: expect.stringContaining('not complete: a session is still pending'),
  });
  await engine.cancel({ accountId, mode: 'live', id: sent.session.id });
  expect(await run(request.to, '--account', ids('acct_'))).toMatchObject({ exitCode: 1 });
  // As people write it down, with the zero of the national form.
  const done = await run(request.to.replace('+213', '+2130'));
  expect(done).toMatchObject({ exitCode: 0, text: expect.stringMatching(/verify_session +1\n/) });
  expect(done.text).toContain('nothing of the number is left');
  expect(await rowsWith(database.plain, request.to)).toEqual({});
  const { rows } = await sql`select actor_id, action, target, account_id from audit_event order by id`.execute(
    database.db,
  );
  const row = {
    actor_id: 'cli',
    action: 'erase_number',
    target: `+2135*****${request.to.slice(-2)}`,
    account_id: null,
  };
  expect(rows).toEqual([row, row]);
  const json = await run(request.to, '--account', accountId, '--json');
  expect(JSON.parse(json.text)).toMatchObject({ complete: true, rows: {} });
  await fleet.leave();
});

test('a ring that lacks the keys of lists is refused: the number would stay there, and seem to be erased', async () => {
  const number = '+213551239876';
  expect(await account(['platform', 'block', number], { env, say: () => {} })).toBe(0);
  const other = { ...env, RAMZ_KEYS: newKeyRing((size) => randomBytes(size)) };
  const lines: string[] = [];
  expect(await erase([number], { env: other, say: (line) => lines.push(line) })).toBe(1);
  expect(lines.join('\n')).toMatch(/^the key ring lacks keys that the database names:\n {2}lists {2}lists-/);
  expect(await run(number)).toMatchObject({ exitCode: 0, text: expect.stringMatching(/limit_entry +1\n/) });
});

test('a number that is not valid, and of which nothing is stored, is a slip; one that is stored is erased', async () => {
  const [slip, stored] = ['+2135501234567', '+21355012345'];
  const accountId = ids('acct_');
  await sql`insert into account (id, name, created_at) values (${accountId}, 'Shop', now())`.execute(database.db);
  await sql`insert into number_failure (account_id, mode, number, failures, failures_in_row, needs_unlock, window_ends_at)
      values (${accountId}, 'live', ${stored}, 1, 1, false, now())`.execute(database.db);
  const events = async () => (await sql`select id from audit_event`.execute(database.db)).rows.length;
  const before = await events();
  for (const more of [[], ['--json'], ['--account', accountId]])
    expect(await run(slip, ...more)).toEqual({
      exitCode: 1,
      text: '<+number> is no valid phone number, and nothing is stored of it: is it mistyped?',
    });
  expect(await events()).toBe(before);
  expect(await run(stored)).toEqual({
    exitCode: 0,
    text: expect.stringMatching(/^number_failure +1\n(.*\n)*nothing of the number is left$/m),
  });
  expect(await run(stored)).toMatchObject({ exitCode: 1 });
  expect(await events()).toBe(before + 1);
});

test.each([
  [[], 'usage: npm run ramz -- erase'],
  [['0550123456'], 'must be in international form'],
  [['+0550123456'], 'must be in international form'],
  [['+213550123456', '--everything'], '--everything'],
])('%j is not understood', async (args, said) => {
  expect(await run(...args)).toMatchObject({ exitCode: 2, text: expect.stringContaining(said) });
});
