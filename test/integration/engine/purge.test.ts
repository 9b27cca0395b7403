// The purge of a closed account: nothing of it is left but the audit log and the sums of reports.
import { type KyselyPlugin, sql } from 'kysely';
import { expect, test } from 'vitest';
import { shardForAccount, shardOf } from '../../../src/core/ids.ts';
import { audit } from '../../../src/db/accounts/audit.ts';
import { beginPurge, closeAccount, reopenAccount } from '../../../src/db/accounts/closing.ts';
import { inTransaction, readChanges } from '../../../src/db/changes.ts';
import { type UntypedDb, withSchema } from '../../../src/db/schema.ts';
import { Purge, type Purged } from '../../../src/engine/erasure/purge.ts';
import { accountStory, cellsOf } from '../../support/account-story.ts';
import { tester } from '../../support/actor.ts';
import { countingRows } from '../../support/affected-rows.ts';
import { rowsNaming, tablesOfAccounts } from '../../support/all-rows.ts';
import { testDatabase } from '../../support/database.ts';
import { ids } from '../../support/engine.ts';

const database = await testDatabase();
const cells = cellsOf(database);
const [home] = cells;
const dbs = { home, cells };
const dayMs = 86_400_000;
const days = 30;

/** Stays for as long as reports and the audit log do. */
const kept = ['audit_event', 'rollup'];

const tablesWith = async (text: string) => Object.keys(await rowsNaming(cells, text)).toSorted();

/** The database that has the session. */
async function cellOf(id: string): Promise<UntypedDb> {
  for (const db of cells) {
    const { rows } = await sql`select from verify_session where id = ${id}`.execute(db);
    if (rows.length > 0) return db;
  }
  throw new Error(`${id} is in no cell`);
}

test('a purge leaves nothing of the account but the audit log and sums, and nothing of another is touched', async () => {
  const [gone, stays] = [await accountStory(database), await accountStory(database)];
  const { accountId } = gone;
  const table = (name: string) => sql.table(name);
  const shard = shardForAccount(accountId);
  // What passes by itself, and is in no story.
  const [passing] = cells.toReversed();
  await sql`insert into idempotency_claim (account_id, mode, route, key, request_hash, shard, created_at)
    values (${accountId}, 'live', 'send', 'k', 'h', 1, now())`.execute(passing ?? home);
  await sql`insert into webhook_retry (endpoint_id, event_id, account_id)
    select endpoint_id, event_id, account_id from webhook_delivery where account_id = ${accountId}`.execute(
    database.db,
  );
  await sql`insert into pending_number (shard, account_id, mode, number, purpose, session_id)
    values (${shard}, ${accountId}, 'live', '+213550000000', '', 'vrf_x')`.execute(home);
  for (const [index, id] of gone.sessions.entries()) {
    const at = await cellOf(id);
    if (index > 0) continue;
    await sql`insert into unsettled (shard, session_id, account_id) values (${shardOf(id)}, ${id}, ${accountId})`.execute(
      at,
    );
    await sql`insert into route_queue (route, session_id, account_id) values ('sms/x', ${id}, ${accountId})`.execute(
      at,
    );
  }
  await sql`insert into rollup select now(), 3600, ${accountId}, 'live', 'atlas', 'sms', '+21355', 'DZD'
    ${sql.raw(', 0'.repeat(26))}`.execute(home);
  await inTransaction(withSchema(home), (tx) =>
    audit(tx, { at: new Date(), actor: tester, action: 'told', target: accountId, accountId }),
  );
  expect((await tablesWith(accountId)).filter((name) => name !== 'account')).toEqual(
    expect.arrayContaining(await tablesOfAccounts(home)),
  );
  const others = await rowsNaming(cells, stays.accountId);

  // So that all of it is over by the database's clock, too.
  const clock = { now: Date.now() - (days + 1) * dayMs };
  const purge = new Purge(
    dbs,
    () => clock.now,
    async () => days,
  );
  const at = (ms: number) => ({ id: accountId, now: new Date(ms), actor: tester });
  const db = withSchema(home);
  expect(await purge.run()).toEqual({ kind: 'nothing' });
  await closeAccount(db, { ...at(clock.now), reason: null });
  clock.now += days * dayMs;
  expect(await purge.run()).toEqual({ kind: 'nothing' });
  clock.now += 1;
  // One that may still end by itself is waited for.
  const [last = ''] = gone.sessions.toReversed();
  const pending = (status: string) =>
    sql`update ${table('verify_session')} set status = ${status} where id = ${last}`.execute(database.db);
  await pending('pending');
  expect(await purge.run()).toEqual({ kind: 'begun', accountId, waits: 'sessions' });
  expect(await reopenAccount(db, at(clock.now))).toEqual({ kind: 'purging' });
  await pending('expired');
  clock.now += 1;
  // What was being written meanwhile is looked for once more.
  expect(await purge.run()).toEqual({ kind: 'begun', accountId, waits: 'writers' });
  expect(await purge.run()).toEqual({ kind: 'purged', accountId });
  expect(await purge.run()).toEqual({ kind: 'nothing' });

  expect(await tablesWith(accountId)).toEqual(kept);
  for (const id of gone.sessions) expect(await tablesWith(id)).toEqual([]);
  const { rows } = await sql<{ action: string; after: object }>`select action, after from audit_event
    where account_id = ${accountId} and action in ('close_account', 'purge_account') order by id`.execute(home);
  expect(rows).toMatchObject([
    { action: 'close_account' },
    { action: 'purge_account', after: { purging_since: expect.any(String) } },
    { action: 'purge_account', after: { purged_at: expect.any(String) } },
  ]);
  expect(await rowsNaming(cells, stays.accountId)).toEqual(others);
  for (const { engine } of [gone, stays]) await engine.fleet.leave();
});

/** Without any rows but its own, closed at that time. */
async function closedAccount(at: number): Promise<string> {
  const id = ids('acct_');
  await sql`insert into account (id, name, created_at) values (${id}, 'Shop', now())`.execute(home);
  await closeAccount(withSchema(home), { id, reason: null, now: new Date(at), actor: tester });
  return id;
}

test('over more databases than a turn has batches, an account is purged all the same', async () => {
  const now = Date.now();
  const accountId = await closedAccount(now - (days + 1) * dayMs);
  const many = { home, cells: Array.from({ length: 25 }, () => home) };
  const links = await readChanges(withSchema(home), 'waba');
  expect(
    await new Purge(
      many,
      () => now,
      async () => days,
    ).run(),
  ).toEqual({ kind: 'purged', accountId });
  // The processes forget the token of its WhatsApp account.
  expect(await readChanges(withSchema(home), 'waba')).toBeGreaterThan(links);
});

test('a purge that has begun goes on, although accounts can be reopened for longer since', async () => {
  const now = Date.now();
  const accountId = await closedAccount(now - (days + 1) * dayMs);
  const due = { closedBefore: new Date(now - days * dayMs), now: new Date(now), actor: tester };
  expect(await beginPurge(withSchema(home), due)).toBe(accountId);
  const longer = new Purge(
    dbs,
    () => now + 1,
    async () => 365,
  );
  expect(await longer.run()).toEqual({ kind: 'purged', accountId });
});

test('more rows than a statement may delete go in several, those of no column for the account among them', async () => {
  const accountId = await closedAccount(Date.now() - (days + 1) * dayMs);
  const many = 2_500;
  await sql`insert into api_key (id, account_id, mode, name, secret_hash, hmac_key_id, scopes, created_at)
    select 'key_' || n || ${accountId}, ${accountId}, 'live', '', '', '', '{}', now() from generate_series(1, ${many}::integer) n`.execute(
    home,
  );
  await sql`insert into sender_id (id, account_id, mode, name, created_at, due_at)
    select 'snd_' || n || ${accountId}, ${accountId}, 'live', n::text, now(), now() from generate_series(1, ${many}::integer) n`.execute(
    home,
  );
  await sql`insert into sender_decision (sender_id, operator, status, submitted_at)
    select id, 'atlas', 'submitted', now() from sender_id where account_id = ${accountId}`.execute(home);
  await sql`insert into rate_bucket (key, tokens, updated_at) select 'key:' || id, 1, now() from api_key where account_id = ${accountId}
    union all select 'number:' || ${accountId} || ':' || n, 1, now() from generate_series(1, ${many}::integer) n`.execute(
    home,
  );
  await sql`insert into pending_number (shard, account_id, mode, number, purpose, session_id)
    select n % 1024, ${accountId}, 'live', '+213550' || n, '', 'vrf_' || n from generate_series(1, ${many}::integer) n`.execute(
    home,
  );
  const { counted, counts: deleted } = countingRows(home);
  const purge = new Purge({ home: counted, cells: [counted] }, Date.now, async () => days);
  expect(await purge.run()).toEqual({ kind: 'begun', accountId, waits: 'writers' });
  expect(await purge.run()).toEqual({ kind: 'purged', accountId });
  expect(await tablesWith(accountId)).toEqual(['audit_event']);
  expect(deleted.filter((rows) => rows > 1_000n)).toEqual([]);
  expect(deleted.filter((rows) => rows === 1_000n).length).toBeGreaterThanOrEqual(12);
});

test('a clock that jumps ahead of the database begins no purge', async () => {
  const closedAt = Date.now() - (days - 1) * dayMs;
  const id = await closedAccount(closedAt);
  const ahead = new Purge(
    dbs,
    () => Date.now() + 365 * dayMs,
    async () => days,
  );
  expect(await ahead.run()).toEqual({ kind: 'nothing' });
  expect((await reopenAccount(withSchema(home), { id, now: new Date(), actor: tester })).kind).toBe('reopened');
});

test('of two processes one purges', async () => {
  const other = new Purge(dbs, Date.now, async () => days);
  let meanwhile: Purged | undefined;
  /** Runs the other one as soon as this one has an answer: that the lock is its own. */
  const besides: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      meanwhile ??= await other.run();
      return result;
    },
  };
  const purge = new Purge({ home: home.withPlugin(besides), cells }, Date.now, async () => days);
  expect(await purge.run()).toEqual({ kind: 'nothing' });
  expect(meanwhile).toEqual({ kind: 'busy' });
  expect(await other.run()).toEqual({ kind: 'nothing' });
});
