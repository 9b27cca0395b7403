// The export of an account: all that is stored of it, page by page, without secrets.
import { randomBytes } from 'node:crypto';
import { type KyselyPlugin, sql } from 'kysely';
import { expect, test } from 'vitest';
import { newKeyRing, parseKeyRing } from '../../../src/core/secrets/key-ring.ts';
import { defaultRules } from '../../../src/core/verify/rules.ts';
import { exportSources } from '../../../src/db/accounts/export.ts';
import type { ErasureDatabases } from '../../../src/engine/erasure/erasure.ts';
import { AccountExport, type ExportPage } from '../../../src/engine/erasure/export.ts';
import { accountStory, cellsOf, secrets } from '../../support/account-story.ts';
import { tester } from '../../support/actor.ts';
import { isCelled } from '../../support/cells.ts';
import { testDatabase } from '../../support/database.ts';

const database = await testDatabase();
const cells = cellsOf(database);
const [home] = cells;
const parsed = parseKeyRing(newKeyRing((size) => randomBytes(size)));
if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
const { ring } = parsed;
const settings = { rules: defaultRules };
const clock = { ahead: 0 };
const now = () => Date.now() + clock.ahead;
const exportsOf = (dbs: ErasureDatabases) => new AccountExport(dbs, now, { ring, settings });
const exports = exportsOf({ home, cells });

const lines = async (accountId: string, limit: number, from = exports): Promise<string[]> => {
  const found: string[] = [];
  let token: string | null = null;
  do {
    const page: ExportPage | null | 'invalid_token' = await from.page(accountId, { from: token, limit, actor: tester });
    if (!page || page === 'invalid_token') throw new Error(String(page));
    expect(page.records.length).toBeLessThanOrEqual(limit);
    found.push(...page.records.map(({ line }) => line));
    token = page.next;
  } while (token !== null);
  return found;
};

test('an export has all that is stored of the account, whatever the size of its pages, and no secret', async () => {
  const { accountId, sessions, engine } = await accountStory(database);
  const all = await lines(accountId, 100);
  const records = all.map((line) => JSON.parse(line) as { kind: string; data: Record<string, unknown> });
  expect(records[0]).toMatchObject({ kind: 'export', data: { version: 1, account_id: accountId } });
  expect(records.at(-1)).toEqual({ kind: 'end', data: {} });
  const kinds = new Set(records.map(({ kind }) => kind));
  const wanted = [...exportSources.map(({ kind }) => kind), 'session', 'webhook_delivery', 'export', 'end'];
  expect([...kinds].toSorted()).toEqual(wanted.filter((kind) => kind !== 'usage').toSorted());
  const exported = records.filter(({ kind }) => kind === 'session').map(({ data }) => data);
  const exportedIds = exported.map(({ id }) => String(id));
  // The oldest first, and one cell behind the other.
  expect(isCelled(database) ? exportedIds.toSorted() : exportedIds).toEqual(sessions);
  expect(exported.find(({ id }) => id === sessions[0])).toMatchObject({
    status: 'canceled',
    messages: [{ status: 'delivered', receipts: [{ status: 'DELIVRD', raw: 'stat:DELIVRD' }] }, {}],
    timeline: expect.arrayContaining([expect.objectContaining({ kind: 'code_checked', reason: 'incorrect_code' })]),
  });
  for (const secret of secrets) expect(all.join()).not.toContain(secret);
  expect(records.find(({ kind }) => kind === 'api_key')?.data).toMatchObject({
    name: 'desk',
    person: 'Amina',
    test: false,
  });

  const one = (await lines(accountId, 1)).map((line) => JSON.parse(line) as (typeof records)[number]);
  const withoutExports = (some: typeof records) =>
    some.filter(({ kind, data }) => kind !== 'export' && data.action !== 'export_account');
  expect(withoutExports(one)).toEqual(withoutExports(records));
  await engine.fleet.leave();
});

test('a page is had by who began the export, of that account, within a week, and its token shows no number', async () => {
  const { accountId, engine } = await accountStory(database);
  const { accountId: other, engine: another } = await accountStory(database);
  const page = async (id: string, from: string | null, actor = tester) => {
    const found = await exports.page(id, { from, limit: 1, actor });
    return found && found !== 'invalid_token' ? { kind: found.records[0]?.kind, next: found.next } : found;
  };
  const shown: string[] = [];
  let token: string | null = null;
  do {
    const found = await page(accountId, token);
    if (!found || found === 'invalid_token') throw new Error(String(found));
    token = found.next;
    // The digits of a number, as they are and as base64 shows them at each place.
    const plain = Buffer.from(token ?? '', 'base64url').toString('latin1');
    shown.push(plain, Buffer.from(plain.split('.').at(-1) ?? '', 'base64').toString('latin1'));
  } while (token !== null);
  expect(shown.join()).not.toContain('+213');

  const { next } = (await page(accountId, null)) as { next: string };
  expect(await page(accountId, next)).toMatchObject({ kind: 'account' });
  for (const [id, from, actor] of [
    [other, next, tester],
    [accountId, next, { ...tester, id: 'adm_other' }],
    [accountId, next.slice(0, -8), tester],
    [accountId, Buffer.from('{"part":0,"cell":0,"after":null}').toString('base64url'), tester],
  ] as const)
    expect(await page(id, from, actor), from).toBe('invalid_token');
  clock.ahead = 7 * 86_400_000 + 1_000;
  expect(await page(accountId, next)).toBe('invalid_token');
  clock.ahead = 0;
  for (const each of [engine, another]) await each.fleet.leave();
});

test('a session that is deleted while it is read ends no export', async () => {
  const { accountId, sessions, engine } = await accountStory(database);
  const [gone = ''] = sessions;
  /** Deletes the session between the statement that finds its id and the one that reads it. */
  const deleting: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (result.rows.some((row) => Object.keys(row).join() === 'id' && row.id === gone))
        for (const db of cells) await sql`delete from verify_session where id = ${gone}`.execute(db);
      return result;
    },
  };
  const watched = cells.map((db) => db.withPlugin(deleting));
  // As many on a page as there are sessions in a cell.
  const read = await lines(accountId, 2, exportsOf({ home, cells: watched }));
  const records = read.map((line) => JSON.parse(line) as { kind: string; data: { id?: string } });
  const exported = records.flatMap(({ kind, data }) => (kind === 'session' ? [data.id] : []));
  expect(exported.toSorted()).toEqual(sessions.filter((id) => id !== gone).toSorted());
  await engine.fleet.leave();
});

test('an administrator and the command line are the operator of the service, in every record', async () => {
  const { accountId, engine } = await accountStory(database);
  const { rows: columns } = await sql<{ table: string; name: string }>`select c.relname as table, a.attname as name
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace and a.attname like '%\\_by'
      and exists (select from pg_attribute o where o.attrelid = c.oid and o.attname = 'account_id')`.execute(home);
  const named = columns.map(({ table, name }) => `${table}.${name}`).toSorted();
  expect(named).toEqual(['api_key.created_by', 'limit_entry.created_by', 'stop.lifted_by', 'waba_signup.created_by']);
  for (const actor of ['adm_01h2xcejqtf2nbrexx3vqjhp41', 'cli', 'bootstrap']) {
    for (const { table, name } of columns)
      await sql`update ${sql.table(table)} set ${sql.ref(name)} = ${actor} where account_id = ${accountId}`.execute(
        home,
      );
    const records = (await lines(accountId, 100)).map((line) => JSON.parse(line) as { kind: string; data: object });
    const shown = records.filter(({ kind }) => kind !== 'audit_event');
    expect(shown.flatMap(({ data }) => Object.entries(data).filter(([name]) => name.endsWith('_by')))).toEqual([
      ['created_by', 'operator'],
      ['created_by', 'operator'],
      ['lifted_by', 'operator'],
    ]);
    expect(shown.filter(({ data }) => JSON.stringify(data).includes(`"${actor}"`))).toEqual([]);
  }
  // Its own keys are named.
  const key = await sql<{ id: string }>`select id from api_key where account_id = ${accountId}`.execute(home);
  await sql`update stop set lifted_by = ${key.rows[0]?.id} where account_id = ${accountId}`.execute(home);
  const lifted = (await lines(accountId, 100)).find((line) => line.startsWith('{"kind":"stop"'));
  expect(JSON.parse(lifted ?? '')).toMatchObject({ data: { lifted_by: key.rows[0]?.id } });
  await engine.fleet.leave();
});

test('each column of an exported table is in the export, or is named as one that stays', async () => {
  for (const { table, withheld } of exportSources) {
    const { rows } = await sql<{ name: string }>`select attname as name from pg_attribute
      where attrelid = ${table}::regclass and attnum > 0 and not attisdropped`.execute(home);
    const names = rows.map(({ name }) => name);
    expect(
      withheld.filter((name) => !names.includes(name)),
      table,
    ).toEqual([]);
    expect(
      names.filter((name) => /(secret|hash|token|hmac_key_id)$|^pin$|^code$/.test(name) && !withheld.includes(name)),
      table,
    ).toEqual([]);
  }
});
