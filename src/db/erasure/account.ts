// What there is of a closed account in one database, deleted in batches: its sessions with all that belongs to them, its webhooks, what is counted of
// it, and at home what it set. Every statement deletes a bounded number of rows, and a batch that is done again finds what is left. Rows of two
// kinds stay until their own retention ends them: the audit log, and rollups, which are what was sent and paid.

import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { shardCount, shardForAccount, shardOf } from '../../core/ids.ts';
import { withLocks } from '../lock-patience.ts';
import { deleteInBatches, inFullBatches } from '../pages.ts';
import { usedEndpoints } from './number.ts';

type Tx = Transaction<unknown>;

/** Deletes up to `limit` sessions with their messages, receipts and timelines; returns how many. One that may still end by itself is left. */
export function purgeSessions(db: Kysely<unknown>, accountId: string, limit: number): Promise<number> {
  return withLocks(db, async (tx) => {
    const { rows } = await sql<{ id: string }>`select id from verify_session
      where account_id = ${accountId} and (status <> 'pending' or expires_at < now() - interval '1 hour')
      order by id limit ${limit} for update`.execute(tx);
    if (rows.length === 0) return 0;
    const ids = rows.map(({ id }) => id);
    await deleteReferences(tx, ids);
    await deleteNotes(tx, ids);
    const shards = ids.map(shardOf);
    await sql`delete from unsettled u using unnest(${shards}::smallint[], ${ids}::text[]) s(shard, id)
      where u.shard = s.shard and u.session_id = s.id`.execute(tx);
    for (const table of ['session_timeline', 'receipt', 'message', 'route_queue']) {
      await sql`delete from ${sql.table(table)} where session_id = any(${ids}::text[])`.execute(tx);
    }
    await sql`delete from verify_session where account_id = ${accountId} and id = any(${ids}::text[])`.execute(tx);
    return rows.length;
  });
}

/** Whether any is left. */
export async function hasSessions(db: Kysely<unknown>, accountId: string): Promise<boolean> {
  const { rows } = await sql`select from verify_session where account_id = ${accountId} limit 1`.execute(db);
  return rows.length > 0;
}

/** Under whatever form of their ids, and by whatever route, the messages were filed. */
async function deleteReferences(tx: Tx, ids: readonly string[]): Promise<void> {
  const { rows } = await sql<{ id: string }>`select id from message
    where session_id = any(${ids}::text[])`.execute(tx);
  await sql`delete from operator_reference
    where message_id = any(${rows.map(({ id }) => id)}::text[])`.execute(tx);
}

/** Ids under which a resend was noted (verify/save.ts): each has a timeline of one row, which names the session. */
async function deleteNotes(tx: Tx, ids: readonly string[]): Promise<void> {
  const { rows } = await sql<{
    note: string;
  }>`select distinct (regexp_matches(entries, 'vrf_[0-9a-z]{26}', 'g'))[1] as note
    from session_timeline where session_id = any(${ids}::text[])`.execute(tx);
  const notes = rows.map(({ note }) => note).filter((note) => !ids.includes(note));
  await sql`delete from session_timeline where session_id = any(${notes}::text[]) and version = 1
    and entries = any(${ids.map((id) => JSON.stringify([id]))}::text[])`.execute(tx);
}

/** Endpoints of the account that have webhooks in this database, those that were deleted since among them. */
export async function endpointsWithWebhooks(db: Kysely<unknown>, accountId: string): Promise<string[]> {
  const shard = shardForAccount(accountId);
  const ids = await usedEndpoints(db, (id) => shardOf(id) === shard);
  const { rows } = await sql<{ id: string }>`select e.id from unnest(${ids}::text[]) e(id)
    cross join lateral (select account_id from webhook_delivery where endpoint_id = e.id limit 1) d
    where d.account_id = ${accountId}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Deletes up to `limit` webhooks of an endpoint; returns how many. */
export function purgeWebhooks(db: Kysely<unknown>, endpointId: string, limit: number): Promise<number> {
  return withLocks(db, async (tx) => {
    const { rows } = await sql<{ event_id: string }>`select event_id from webhook_delivery
      where endpoint_id = ${endpointId} order by event_id limit ${limit} for update`.execute(tx);
    const ids = rows.map(({ event_id }) => event_id);
    for (const table of ['webhook_retry', 'webhook_delivery']) {
      await sql`delete from ${sql.table(table)}
        where endpoint_id = ${endpointId} and event_id = any(${ids}::text[])`.execute(tx);
    }
    return rows.length;
  });
}

/** Tables of a cell with rows of an account beside its sessions and webhooks, each found by the account. */
const counted = ['idempotency', 'idempotency_claim', 'number_failure'];

/** They lead the index of the pending sessions. */
const allShards = Array.from({ length: shardCount }, (_, shard) => shard);

/** Deletes what is counted and remembered of the account in a cell, `limit` rows of a table at a time; returns how many rows that were. */
export async function purgeCounts(db: Kysely<unknown>, accountId: string, limit: number): Promise<number> {
  const own = sql`account_id = ${accountId}`;
  let count = 0;
  for (const table of counted) count += await deleteInBatches(db, table, own, limit);
  const inEachShard = sql`shard = any(${allShards}::smallint[]) and ${own}`;
  count += await deleteInBatches(db, 'pending_number', inEachShard, limit);
  for (const prefix of [`number:${accountId}:`, `account:${accountId}:`]) {
    // '~' is behind all that follows a prefix.
    count += await deleteInBatches(db, 'rate_bucket', sql`key >= ${prefix} and key < ${`${prefix}~`}`, limit);
  }
  return count;
}

/** Tables at home that have rows of an account. */
const owned = [
  'webhook_endpoint',
  'limit_entry',
  'stop',
  'budget',
  'waba_signup',
  'waba',
  'account_wording',
  'account_autofill',
  'sender_id',
  'api_key',
  'account_setting',
];

/** What belongs to a row of these and has no column for the account: a few rows each. */
const belongings: Readonly<Record<string, (ids: readonly string[]) => RawBuilder<unknown>>> = {
  sender_id: (ids) => sql`delete from sender_decision where sender_id = any(${ids}::text[])`,
  api_key: (ids) => sql`delete from rate_bucket where key = any(${ids.map((id) => `key:${id}`)}::text[])`,
};

/** Deletes what the account set, `limit` rows of a table at a time; returns how many rows that were. */
export async function purgeSettings(home: Kysely<unknown>, accountId: string, limit: number): Promise<number> {
  let count = 0;
  for (const table of owned) {
    const belonging = belongings[table];
    count += belonging
      ? await inFullBatches(limit, () => deleteWith(home, table, accountId, { limit, belonging }))
      : await deleteInBatches(home, table, sql`account_id = ${accountId}`, limit);
  }
  return count;
}

/** Whether anything is left of what the account set. */
export async function hasSettings<Schema>(home: Kysely<Schema>, accountId: string): Promise<boolean> {
  const each = owned.map((table) => sql`exists (select from ${sql.table(table)} where account_id = ${accountId})`);
  const { rows } = await sql<{ left: boolean }>`select (${sql.join(each, sql` or `)}) as left`.execute(home);
  return rows[0]?.left === true;
}

/** The rows are locked first: what is under way about one of them commits before, and what comes later finds none. */
function deleteWith(
  home: Kysely<unknown>,
  table: string,
  accountId: string,
  { limit, belonging }: { limit: number; belonging: (ids: readonly string[]) => RawBuilder<unknown> },
): Promise<number> {
  return withLocks(home, async (tx) => {
    const { rows } = await sql<{ id: string }>`select id from ${sql.table(table)}
      where account_id = ${accountId} order by id limit ${limit} for update`.execute(tx);
    const ids = rows.map(({ id }) => id);
    await belonging(ids).execute(tx);
    await sql`delete from ${sql.table(table)} where id = any(${ids}::text[])`.execute(tx);
    return ids.length;
  });
}
