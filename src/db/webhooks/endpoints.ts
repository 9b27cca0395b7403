// Statements over webhook endpoints. Every change raises the change counter, so that other processes forget what they hold.

import { sql } from 'kysely';
import type { Mode } from '../../core/verify/session.ts';
import { inTransaction, raiseChanges } from '../changes.ts';
import { changeThrough } from '../pages.ts';
import { inside, type Queryable } from '../queryable.ts';
import { type RowOf, record } from '../record.ts';
import { type Tx, type UntypedDb, withSchema } from '../schema.ts';
import { sealedUnder } from '../secrets/resealing.ts';

export interface EndpointRow {
  id: string;
  accountId: string;
  mode: Mode;
  url: string;
  description: string;
  /** Empty = every type. */
  eventTypes: string[];
  enabled: boolean;
  /** Value set `disabled_reason`; null while enabled. */
  disabledReason: string | null;
  /** Sealed. */
  secret: string;
  previousSecret: string | null;
  previousSecretExpiresAt: number | null;
  failingSince: number | null;
  createdAt: number;
  updatedAt: number;
  /** Its account is suspended. Only `loadEndpoints` reads it; false elsewhere. */
  suspended: boolean;
}

export const endpoint = record<Omit<EndpointRow, 'suspended'>>()({
  id: 'text',
  accountId: 'text',
  mode: 'text',
  url: 'text',
  description: 'text',
  eventTypes: 'texts',
  enabled: 'boolean',
  disabledReason: 'text',
  secret: 'text',
  previousSecret: 'text',
  previousSecretExpiresAt: 'ms',
  failingSince: 'ms',
  createdAt: 'ms',
  updatedAt: 'ms',
});

/** Named: with `*` a statement that is prepared breaks once a newer release has added a column. */
const listed = endpoint.names.join(', ');

type Row = RowOf<typeof endpoint> & { suspended?: boolean };

const toEndpoint = (row: Row): EndpointRow => ({ ...endpoint.fromRow(row), suspended: row.suspended ?? false });

const time = (parameter: number): string => `to_timestamp($${parameter}::bigint / 1000.0)`;
const changed = (of: string): string =>
  `changed as (update change_counter set value = value + 1 where name = 'accounts' and exists (select from ${of}))`;

/** The owner of an endpoint: nothing of another account or mode is ever found. */
export interface Owner {
  accountId: string;
  mode: Mode;
}

async function one(db: Queryable, name: string, text: string, values: unknown[]): Promise<EndpointRow | null> {
  const { rows } = await db.query<Row>({ name: `endpoint.${name}`, text, values });
  return rows[0] ? toEndpoint(rows[0]) : null;
}

/** For delivery, of any account; endpoints that do not exist any more are missing. */
export async function loadEndpoints(db: Queryable, ids: readonly string[]): Promise<Map<string, EndpointRow>> {
  const text = `select ${endpoint.names.map((name) => `w.${name}`).join(', ')}, a.suspended_at is not null as suspended from webhook_endpoint w join account a on a.id = w.account_id
    where w.id = any ($1::text[])`;
  const { rows } = await db.query<Row>({ name: 'endpoint.load', text, values: [ids] });
  return new Map(rows.map((row) => [row.id, toEndpoint(row)]));
}

/** Ids of all endpoints there are. */
export async function endpointIds(db: Queryable): Promise<string[]> {
  const query = { name: 'endpoint.ids', text: 'select id from webhook_endpoint', values: [] };
  return (await db.query<{ id: string }>(query)).rows.map(({ id }) => id);
}

export const getEndpoint = (db: Queryable, owner: Owner, id: string): Promise<EndpointRow | null> =>
  one(db, 'get', `select ${listed} from webhook_endpoint where account_id = $1 and mode = $2 and id = $3`, [
    owner.accountId,
    owner.mode,
    id,
  ]);

/** Addresses of an account's endpoints in both modes, without that of `except`. Where a decision depends on them, the account is locked. */
export async function endpointUrls(db: Queryable, accountId: string, except: string): Promise<string[]> {
  const text = 'select url from webhook_endpoint where account_id = $1 and id <> $2';
  const { rows } = await db.query<{ url: string }>({ name: 'endpoint.urls', text, values: [accountId, except] });
  return rows.map(({ url }) => url);
}

/** Newest first, from `before` (an id) on. */
export async function listEndpoints(
  db: Queryable,
  owner: Owner,
  page: { limit: number; before: string | null },
): Promise<EndpointRow[]> {
  const text = `select ${listed} from webhook_endpoint where account_id = $1 and mode = $2 and ($3::text is null or id < $3)
    order by id desc limit $4`;
  const values = [owner.accountId, owner.mode, page.before, page.limit];
  return (await db.query<Row>({ name: 'endpoint.list', text, values })).rows.map(toEndpoint);
}

export interface NewEndpoint extends Owner {
  id: string;
  url: string;
  description: string;
  eventTypes: readonly string[];
  sealedSecret: string;
  now: number;
}

/** null when the account has `most` endpoints in this mode already. */
export function insertEndpoint(db: Queryable, made: NewEndpoint, most: number): Promise<EndpointRow | null> {
  const { id, accountId, mode, url, description, eventTypes, sealedSecret, now } = made;
  const text = `with made as (
    insert into webhook_endpoint (id, account_id, mode, url, description, event_types, secret, created_at, updated_at)
    select $1, $2, $3, $4, $5, $6::text[], $7, ${time(8)}, ${time(8)}
    where (select count(*) from webhook_endpoint where account_id = $2 and mode = $3) < $9 returning ${listed}
  ), ${changed('made')} select * from made`;
  return one(db, 'insert', text, [id, accountId, mode, url, description, eventTypes, sealedSecret, now, most]);
}

export interface EndpointChange {
  url?: string;
  description?: string;
  eventTypes?: readonly string[];
  enabled?: boolean;
}

/** What is absent stays. Switching on, and a new address, forget past failures. null when there is no such endpoint. */
export function updateEndpoint(
  db: Queryable,
  owner: Owner,
  id: string,
  change: EndpointChange,
  now: number,
): Promise<EndpointRow | null> {
  const { url = null, description = null, eventTypes = null, enabled = null } = change;
  const text = `with made as (
    update webhook_endpoint set url = coalesce($4, url), description = coalesce($5, description),
      event_types = coalesce($6::text[], event_types), enabled = coalesce($7::boolean, enabled),
      disabled_reason = case when $7::boolean then null when $7::boolean is false and enabled then 'by_client'
        else disabled_reason end,
      failing_since = case when $7::boolean or $4 <> url then null else failing_since end, updated_at = ${time(8)}
    where account_id = $1 and mode = $2 and id = $3 returning ${listed}
  ), ${changed('made')} select * from made`;
  return one(db, 'update', text, [owner.accountId, owner.mode, id, url, description, eventTypes, enabled, now]);
}

/** What was still to be delivered is finished when it comes due. */
export async function deleteEndpoint(db: Queryable, owner: Owner, id: string): Promise<boolean> {
  const text = `with made as (delete from webhook_endpoint where account_id = $1 and mode = $2 and id = $3 returning ${listed}),
    ${changed('made')} select * from made`;
  return (await one(db, 'delete', text, [owner.accountId, owner.mode, id])) !== null;
}

/** The secret of now becomes the previous one, or goes at once where `keepUntil` is null. */
export function rotateSecret(
  db: Queryable,
  owner: Owner,
  id: string,
  rotation: { sealedSecret: string; keepUntil: number | null; now: number },
): Promise<EndpointRow | null> {
  const text = `with made as (
    update webhook_endpoint set secret = $4, previous_secret = case when $5::bigint is null then null else secret end,
      previous_secret_expires_at = ${time(5)}, updated_at = ${time(6)}
    where account_id = $1 and mode = $2 and id = $3 returning ${listed}
  ), ${changed('made')} select * from made`;
  const { sealedSecret, keepUntil, now } = rotation;
  return one(db, 'rotate', text, [owner.accountId, owner.mode, id, sealedSecret, keepUntil, now]);
}

/**
 * Previous secrets that were to end at `at` or before; those of endpoints in use are left for the next hour. Processes that hold one in memory,
 * opened, forget it with the endpoint; a process that dies before it has said so leaves that to the next change.
 */
export async function deleteExpiredSecrets(db: UntypedDb, at: number, stopping?: AbortSignal): Promise<void> {
  const deleted = await changeThrough(
    db,
    'webhook_endpoint',
    sql`previous_secret_expires_at <= to_timestamp(${at / 1000})`,
    sql`update webhook_endpoint set previous_secret = null, previous_secret_expires_at = null`,
    stopping,
  );
  if (deleted > 0) await inTransaction(withSchema(db), (tx) => raiseChanges(tx));
}

export type SealedEndpoint = Pick<EndpointRow, 'id' | 'secret' | 'previousSecret'>;

/**
 * Endpoints with a secret that is sealed under none of these keys, by their ids from `after` on, locked until the transaction ends. One that
 * is being changed is left out. A previous secret counts while it is signed with; null after that.
 */
export async function lockSealedEndpoints(
  tx: Tx,
  { keyIds, after, limit }: { keyIds: readonly string[]; after: string; limit: number },
): Promise<SealedEndpoint[]> {
  const previous = 'previous_secret_expires_at > now()';
  const text = `select id, secret, case when ${previous} then previous_secret end as previous_secret from webhook_endpoint
    where id > $2 and (${sealedUnder('secret')} <> all ($1::text[]) or ${previous} and ${sealedUnder('previous_secret')} <> all ($1::text[]))
    order by id limit $3 for update skip locked`;
  const { rows } = await inside(tx).query<{ id: string; secret: string; previous_secret: string | null }>({
    name: 'endpoint.sealed',
    text,
    values: [keyIds, after, limit],
  });
  return rows.map(({ id, secret, previous_secret }) => ({ id, secret, previousSecret: previous_secret }));
}

/** Its secrets are the same under another key, so that no process has to forget the endpoint. null = as stored. */
export async function resealEndpoint(tx: Tx, { id, secret, previousSecret }: SealedEndpoint): Promise<void> {
  const text = `update webhook_endpoint set secret = $2, previous_secret = coalesce($3, previous_secret) where id = $1`;
  await inside(tx).query({ name: 'endpoint.reseal', text, values: [id, secret, previousSecret] });
}

export interface Disabling {
  id: string;
  /** The address that failed: one that was changed since has not failed. */
  url: string;
  reason: string;
  /** How long it must have failed by the database's clock, ms: that of a host may have jumped. 0 = for no time. */
  failingMs: number;
  now: number;
}

/** Switches a failing endpoint off; false when there was nothing to switch off. Part of a transaction that raises the change counter. */
export async function disableEndpoint(tx: Tx, { id, url, reason, failingMs, now }: Disabling): Promise<boolean> {
  const text = `update webhook_endpoint set enabled = false, disabled_reason = $3, updated_at = ${time(4)}
    where id = $1 and url = $2 and enabled
      and ($5::double precision = 0 or failing_since <= now() - $5::double precision * interval '1 millisecond')`;
  const values = [id, url, reason, now, failingMs];
  const { rowCount } = await inside(tx).query({ name: 'endpoint.disable', text, values });
  return rowCount === 1;
}
