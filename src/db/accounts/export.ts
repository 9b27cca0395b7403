// What there is of an account in one database, for its export: each kind of rows with the columns that stay here (secrets, and what processes need
// for themselves), read in the order of a key, so that a page goes on where the last one ended.

import { type RawBuilder, sql } from 'kysely';
import { shownToAccount } from '../../core/accounts/actor.ts';
import { asAccountSees } from '../../core/accounts/audit-view.ts';
import type { Session, StoredReceipt } from '../../core/verify/session.ts';
import { inside } from '../queryable.ts';
import type { AuditEventRow, UntypedDb } from '../schema.ts';
import { findSessions } from '../verify/sessions.ts';

export type ExportedFields = Record<string, unknown>;

/** A row, and the key after which the next ones come. */
export interface ExportedRow {
  key: readonly string[];
  /** Null where there is nothing of it any more. */
  fields: ExportedFields | null;
}

interface Source {
  /** As the lines of the export have it. */
  kind: string;
  table: string;
  lies: 'home' | 'cells';
  /** Columns that order the rows of an account, by their types. */
  key: Readonly<Record<string, 'text' | 'timestamptz' | 'integer'>>;
  /** Columns that are not exported. */
  withheld: readonly string[];
  /** Columns of rows that belong to the row. */
  with?: RawBuilder<unknown>;
  shape?(fields: ExportedFields): ExportedFields;
}

const decisions = sql`(select jsonb_agg(to_jsonb(d) - 'sender_id' order by d.operator)
  from sender_decision d where d.sender_id = t.id) as decisions`;

/** In the order of the export. Sessions are beside them: they are read whole (`exportSessions`). */
export const exportSources: readonly Source[] = [
  {
    kind: 'account',
    table: 'account',
    lies: 'home',
    key: { id: 'text' },
    // What processes need for themselves, and what those who run the service tell each other.
    withheld: [
      'sms_first_session_id',
      'sms_first_message_id',
      'approves_autofill',
      'suspended_reason',
      'closed_reason',
      'purging_since',
    ],
  },
  { kind: 'settings', table: 'account_setting', lies: 'home', key: { mode: 'text' }, withheld: [] },
  { kind: 'autofill', table: 'account_autofill', lies: 'home', key: { mode: 'text', value: 'text' }, withheld: [] },
  {
    kind: 'wording',
    table: 'account_wording',
    lies: 'home',
    key: { mode: 'text', kind: 'text', value: 'text' },
    withheld: [],
  },
  {
    kind: 'api_key',
    table: 'api_key',
    lies: 'home',
    key: { mode: 'text', id: 'text' },
    withheld: ['secret_hash', 'hmac_key_id'],
  },
  {
    kind: 'sender_id',
    table: 'sender_id',
    lies: 'home',
    key: { mode: 'text', id: 'text' },
    withheld: [],
    with: decisions,
  },
  {
    kind: 'webhook_endpoint',
    table: 'webhook_endpoint',
    lies: 'home',
    key: { mode: 'text', id: 'text' },
    withheld: ['secret', 'previous_secret'],
  },
  {
    kind: 'list_entry',
    table: 'limit_entry',
    lies: 'home',
    key: { mode: 'text', id: 'text' },
    withheld: ['number_hash', 'hmac_key_id'],
  },
  {
    kind: 'waba',
    table: 'waba',
    lies: 'home',
    key: { account_id: 'text' },
    withheld: ['version', 'attempts', 'next_at', 'code', 'code_expires_at', 'token', 'pin'],
  },
  { kind: 'stop', table: 'stop', lies: 'home', key: { id: 'text' }, withheld: [] },
  {
    kind: 'budget',
    table: 'budget',
    lies: 'home',
    key: { key_id: 'text', period: 'text', unit: 'text' },
    withheld: [],
  },
  {
    kind: 'audit_event',
    table: 'audit_event',
    lies: 'home',
    key: { id: 'text' },
    withheld: [],
    shape: (fields) => ({ ...asAccountSees(fields as unknown as AuditEventRow) }),
  },
  {
    kind: 'wrong_codes',
    table: 'number_failure',
    lies: 'cells',
    key: { mode: 'text', number: 'text' },
    withheld: [],
  },
  {
    kind: 'usage',
    table: 'rollup',
    lies: 'cells',
    key: {
      at: 'timestamptz',
      seconds: 'integer',
      mode: 'text',
      operator: 'text',
      channel: 'text',
      prefix: 'text',
      currency: 'text',
    },
    withheld: [],
  },
];

/** Up to `limit` rows after the one with this key; null = the first ones. */
export async function exportRows(
  db: UntypedDb,
  { table, key, withheld, with: more, shape = (fields) => fields }: Source,
  { accountId, after, limit }: { accountId: string; after: readonly string[] | null; limit: number },
): Promise<ExportedRow[]> {
  const names = Object.keys(key);
  const columns = sql.join(names.map((name) => sql.ref(`t.${name}`)));
  const texts = sql.join(names.map((name) => sql`${sql.ref(`t.${name}`)}::text`));
  const values = names.map((name, index) => sql`${after?.[index] ?? null}::text::${sql.raw(key[name] ?? 'text')}`);
  const beyond = after === null ? sql`true` : sql`(${columns}) > (${sql.join(values)})`;
  const owner = sql.ref(table === 'account' ? 't.id' : 't.account_id');
  const { rows } = await sql<ExportedFields & { export_key: string[] }>`
    select t.*, array[${texts}] as export_key ${more ? sql`, ${more}` : sql``} from ${sql.table(table)} t
    where ${owner} = ${accountId} and ${beyond} order by ${columns} limit ${limit}`.execute(db);
  return rows.map(({ export_key, ...row }) => ({ key: export_key, fields: shape(without(row, withheld)) }));
}

/** The account is named once, at the beginning; the mode is `test`, and who did something is who the account sees, as everywhere. */
function without(row: ExportedFields, withheld: readonly string[]): ExportedFields {
  const { account_id: _, mode, ...rest } = row;
  const fields = Object.entries(rest).filter(([name]) => !withheld.includes(name));
  const kept = Object.fromEntries(fields.map(([name, value]) => [name, isActor(name) ? shownActor(value) : value]));
  return typeof mode === 'string' ? { ...kept, test: mode === 'test' } : kept;
}

/** `created_by`, `lifted_by`: columns with the id of an actor end so. */
const isActor = (name: string): boolean => name.endsWith('_by');
const shownActor = (id: unknown): unknown => (typeof id === 'string' ? shownToAccount(id) : id);

export interface ExportedSession {
  id: string;
  /** Null where it was deleted since its id was read. */
  session: Session | null;
  receipts: readonly StoredReceipt[];
}

/** Up to `limit` sessions after this id, of both modes, the oldest first. Fewer: there are no more. */
export async function exportSessions(
  db: UntypedDb,
  { accountId, after, limit }: { accountId: string; after: string; limit: number },
): Promise<ExportedSession[]> {
  const { rows } = await sql<{ id: string }>`select id from verify_session
    where account_id = ${accountId} and id > ${after} order by id limit ${limit}`.execute(db);
  const keys = rows.map(({ id }) => ({ accountId, id }));
  const found = await findSessions(inside(db), keys);
  return keys.map(({ id }, index) => ({ id, ...(found[index] ?? { session: null, receipts: [] }) }));
}

/** Up to `limit` webhooks of an endpoint after this event, the oldest first. */
export async function exportWebhooks(
  db: UntypedDb,
  { endpointId, after, limit }: { endpointId: string; after: string; limit: number },
): Promise<ExportedRow[]> {
  const { rows } = await sql<ExportedFields & { event_id: string; body: string }>`
    select * from webhook_delivery where endpoint_id = ${endpointId} and event_id > ${after}
    order by event_id limit ${limit}`.execute(db);
  return rows.map(({ body, ...row }) => ({
    key: [endpointId, row.event_id],
    fields: { ...without(row, ['holder']), body: JSON.parse(body) },
  }));
}
