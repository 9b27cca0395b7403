// Statements over the lists of numbers and prefixes (table `limit_entry`), of accounts and of the platform. A number is a hash here; nobody can
// read it back.

import { sql } from 'kysely';
import type { ListName, NumberLists } from '../../core/limits/lists.ts';
import type { Mode } from '../../core/verify/session.ts';
import type { Db, LimitEntryRow, Tx } from '../schema.ts';

/** Whose list: one mode of an account, or the platform's own (null). */
export type ListOwner = { accountId: string; mode: Mode } | null;

export interface ListPage {
  list: ListName | null;
  limit: number;
  /** Id after which the page begins; null = the newest. */
  before: string | null;
}

const columnsOf = (owner: ListOwner) => ({ account_id: owner?.accountId ?? null, mode: owner?.mode ?? null });

const isOwn = (owner: ListOwner) =>
  sql<boolean>`account_id is not distinct from ${owner?.accountId ?? null} and mode is not distinct from ${owner?.mode ?? null}`;

export type NewEntry = Omit<LimitEntryRow, 'account_id' | 'mode'>;

/**
 * The entry, and whether it is a new one: a value stands on a list once. Part of a transaction that holds the list's lock.
 * @param hashes of its number under every key of the ring; none for a prefix.
 */
export async function insertEntry(
  tx: Tx,
  owner: ListOwner,
  { entry, hashes }: { entry: NewEntry; hashes: readonly Buffer[] },
): Promise<{ row: LimitEntryRow; isNew: boolean }> {
  const same = await tx
    .selectFrom('limit_entry')
    .selectAll()
    .where(isOwn(owner))
    .where('list', '=', entry.list)
    .where(
      entry.prefix === null
        ? sql<boolean>`number_hash = any(${[...hashes]}::bytea[])`
        : sql<boolean>`prefix = ${entry.prefix}`,
    )
    .executeTakeFirst();
  if (same) return { row: same, isNew: false };
  const row = await tx
    .insertInto('limit_entry')
    .values({ ...entry, ...columnsOf(owner) })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { row, isNew: true };
}

/** One change of the platform's lists at a time; an account's have the account's lock. */
export async function lockPlatformLists(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('limit_entry'))`.execute(tx);
}

export async function countEntries(tx: Tx, owner: ListOwner): Promise<number> {
  const count = tx.selectFrom('limit_entry').select(sql<number>`count(*)`.as('count')).where(isOwn(owner));
  return (await count.executeTakeFirstOrThrow()).count;
}

/** Newest first. */
export function listEntries(db: Db, owner: ListOwner, { list, limit, before }: ListPage): Promise<LimitEntryRow[]> {
  return db
    .selectFrom('limit_entry')
    .selectAll()
    .where(isOwn(owner))
    .$if(list !== null, (query) => query.where('list', '=', list as ListName))
    .$if(before !== null, (query) => query.where('id', '<', before as string))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** The entry that was there; undefined = there was none. */
export const deleteEntry = (tx: Tx, owner: ListOwner, id: string): Promise<LimitEntryRow | undefined> =>
  tx.deleteFrom('limit_entry').where('id', '=', id).where(isOwn(owner)).returningAll().executeTakeFirst();

/** Both lists as sends look them up. */
export async function findLists(db: Db, owner: ListOwner): Promise<NumberLists> {
  const rows = await db
    .selectFrom('limit_entry')
    .select(['list', 'prefix', 'number_hash', 'hmac_key_id'])
    .where(isOwn(owner))
    .execute();
  const of = (list: ListName) => {
    const mine = rows.filter((row) => row.list === list);
    const numbers = new Map<string, Set<string>>();
    for (const { number_hash, hmac_key_id } of mine) {
      if (number_hash === null || hmac_key_id === null) continue;
      numbers.set(hmac_key_id, (numbers.get(hmac_key_id) ?? new Set()).add(number_hash.toString('hex')));
    }
    return { prefixes: mine.flatMap(({ prefix }) => (prefix === null ? [] : [prefix])), numbers };
  };
  return { allow: of('allow'), block: of('block') };
}
