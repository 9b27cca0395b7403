// What there is of a number in one database: its sessions, and rows that belong to no session. Every statement looks at a bounded number of rows,
// by an index; parked receipts and lists alone, which have none for numbers, are read through in pages.

import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { NumberForms } from '../../core/erasure/number-forms.ts';
import { lowestId, shardForNumber } from '../../core/ids.ts';
import type { Mode } from '../../core/verify/session.ts';
import { changeInPages } from '../pages.ts';
import type { SessionKey } from '../verify/sessions.ts';
import type { AnsweredKey, ErasedRows } from './session.ts';

/** Whose data is erased; null = that of all accounts, and what belongs to none. */
export interface ErasureScope {
  accountId: string;
  /** Null = both. */
  mode: Mode | null;
}

export const within = (scope: ErasureScope | null): RawBuilder<boolean> =>
  scope
    ? sql<boolean>`account_id = ${scope.accountId} and (${scope.mode}::text is null or mode = ${scope.mode})`
    : sql<boolean>`true`;

/** Sessions of the number opened before `before` (Unix ms), the oldest first. */
export async function sessionsOfNumber(
  db: Kysely<unknown>,
  number: string,
  { scope, before, limit }: { scope: ErasureScope | null; before: number; limit: number },
): Promise<SessionKey[]> {
  const { rows } = await sql<{ account_id: string; id: string }>`select account_id, id from verify_session
    where number = ${number} and id < ${lowestId('vrf_', before)} and ${within(scope)}
    order by account_id, id limit ${limit}`.execute(db);
  return rows.map(({ account_id, id }) => ({ accountId: account_id, id }));
}

/** Endpoints that the account has. */
export async function ownEndpoints(home: Kysely<unknown>, accountId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from webhook_endpoint where account_id = ${accountId}`.execute(
    home,
  );
  return rows.map(({ id }) => id);
}

/** Endpoints found with one statement. */
const endpointsPerPage = 1_000;

/**
 * Endpoints that have webhooks here, those that were deleted since among them. The index is entered once for each, wherever it is: a statement
 * takes the time of as many look-ups, however many webhooks there are.
 * @param accept by the endpoint's id, which has its account's shard in it.
 */
export async function usedEndpoints(db: Kysely<unknown>, accept: (id: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  for (let after = ''; ; ) {
    const { rows } = await sql<{ id: string }>`
      with recursive e(id, n) as (
        (select endpoint_id, 1 from webhook_delivery where endpoint_id > ${after} order by endpoint_id limit 1)
        union all
        select (select d.endpoint_id from webhook_delivery d where d.endpoint_id > e.id order by d.endpoint_id limit 1), n + 1
        from e where e.id is not null and n < ${endpointsPerPage}
      )
      select id from e where id is not null`.execute(db);
    found.push(...rows.map(({ id }) => id).filter(accept));
    if (rows.length < endpointsPerPage) return found;
    after = rows.at(-1)?.id ?? '';
  }
}

/** Accounts looked at with one statement. */
const accountsPerPage = 500;

/**
 * What is counted of the number: wrong codes, and sends. They are found by account, all accounts in turn where there is no scope.
 * An account's own erasure leaves them: else it would be a way around limits. They end by themselves, within two days after the last of them.
 */
export async function eraseCounts(
  home: Kysely<unknown>,
  db: Kysely<unknown>,
  { e164 }: NumberForms,
): Promise<ErasedRows> {
  const shared = await sql`delete from rate_bucket where key = ${`platform:${e164}`}`.execute(db);
  const rows: ErasedRows = { number_failure: 0, rate_bucket: Number(shared.numAffectedRows ?? 0) };
  for (let after = ''; ; ) {
    const { rows: accounts } = await sql<{ id: string }>`select id from account where id > ${after}
      order by id limit ${accountsPerPage}`.execute(home);
    const ids = accounts.map(({ id }) => id);
    if (ids.length === 0) return rows;
    const failures = await sql`delete from number_failure where account_id = any(${ids}::text[])
      and mode = any('{live,test}') and number = ${e164}`.execute(db);
    const buckets = await sql`delete from rate_bucket
      where key = any(${ids.map((id) => `number:${id}:live:${e164}`)}::text[])`.execute(db);
    rows.number_failure = (rows.number_failure ?? 0) + Number(failures.numAffectedRows ?? 0);
    rows.rate_bucket = (rows.rate_bucket ?? 0) + Number(buckets.numAffectedRows ?? 0);
    after = ids.at(-1) ?? '';
  }
}

/**
 * Places that were reserved for sessions opened before `before`. One that was being stored when they were looked for is pending still, and keeps
 * its place: the next send would open another beside it.
 */
export async function erasePlaces(
  db: Kysely<unknown>,
  number: string,
  { scope, before }: { scope: ErasureScope | null; before: number },
): Promise<ErasedRows> {
  const { numAffectedRows } = await sql`delete from pending_number where shard = ${shardForNumber(number)}
    and number = ${number} and session_id < ${lowestId('vrf_', before)} and ${within(scope)}
    and not exists (select from verify_session s where s.account_id = pending_number.account_id
      and s.id = pending_number.session_id and s.status = 'pending')`.execute(db);
  return { pending_number: Number(numAffectedRows ?? 0) };
}

/** Claims of keys whose answers are erased; they lie in the cells of the keys. */
export async function eraseClaims(db: Kysely<unknown>, keys: readonly AnsweredKey[]): Promise<ErasedRows> {
  let count = 0;
  for (const { account_id, mode, route, key } of keys) {
    const { numAffectedRows } = await sql`delete from idempotency_claim
      where account_id = ${account_id} and mode = ${mode} and route = ${route} and key = ${key}`.execute(db);
    count += Number(numAffectedRows ?? 0);
  }
  return { idempotency_claim: count };
}

/**
 * A number that is on a list stays there by its hash, one of `hashes`, and is shown no more; a note that has it in it becomes empty. An account
 * has few entries.
 */
export async function eraseListed(
  home: Kysely<unknown>,
  { pattern }: NumberForms,
  { scope, hashes }: { scope: ErasureScope | null; hashes: readonly Buffer[] },
): Promise<ErasedRows> {
  const cleaned = await changeInPages(home, {
    columns: sql`id, number_masked is not null and number_hash = any(${[...hashes]}::bytea[]) as shown, note ~ ${pattern} as named`,
    table: 'limit_entry',
    key: 'id',
    where: within(scope),
    change: sql`update limit_entry e set number_masked = case when page.shown then null else e.number_masked end,
        note = case when page.named then '' else e.note end
      from page where e.id = page.id and (page.shown or page.named)`,
    perPage: 2_000,
  });
  return { limit_entry: cleaned };
}

/** Receipts that match no message, and reports that can't be read, with the number in any form. They belong to no account. */
export async function eraseParked(db: Kysely<unknown>, { e164, pattern }: NumberForms): Promise<ErasedRows> {
  const deleted = await changeInPages(db, {
    columns: sql`id, number, raw, receipt`,
    table: 'parked_receipt',
    key: 'id',
    change: sql`delete from parked_receipt p using page
      where p.id = page.id and (page.number = ${e164} or page.raw ~ ${pattern} or page.receipt::text ~ ${pattern})`,
    perPage: 2_000,
  });
  return { parked_receipt: deleted };
}
