// The reference for whole verifications: the rows that one verification of ours leaves, written as a plain service would write
// them: one statement a step, each its own transaction, nothing batched. In the service's own tables, with their indexes.

import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { idSource } from '../../src/core/ids.ts';

type Row = Record<string, unknown>;

/** The rows of one finished verification. */
export interface RealRows {
  session: Row;
  /** What each save of the session added to its timeline. */
  timeline: string[];
  message: Row;
  receipt: Row;
  reference: Row;
  webhook: Row;
}

/** Reads them from a database in which at least one verification was played to its end. */
export async function readRealRows(client: pg.Client): Promise<RealRows> {
  const read = async (table: string) => {
    const { rows } = await client.query<{ row: Row }>(`select to_jsonb(t) as row from ${table} t limit 1`);
    if (!rows[0]) throw new Error(`${table} is empty`);
    return rows[0].row;
  };
  const session = await read('verify_session');
  const message = await read('message');
  const receipt = await read('receipt');
  const { rows: noted } = await client.query<{ entries: string }>(
    `select entries from session_timeline where session_id = $1 order by version`,
    [session.id],
  );
  const timeline = noted.map(({ entries }) => entries);
  const reference = await read('operator_reference');
  const webhook = await read('webhook_delivery');
  return { session, timeline, message, receipt, reference, webhook };
}

/** Stands for a number that each verification has of its own; the caller puts a parameter in its place. */
export const keyMark = '@key@';

/** The six statements of one verification. Ids begin with a time of now, so that they fall into today's partitions. */
export function stepsOf({ session, timeline, message, receipt, reference, webhook }: RealRows): string[] {
  const ids = idSource({ now: Date.now, randomBytes });
  const own = (prefix: string) => `'${ids(prefix).slice(0, -12)}' || lpad(${keyMark}::text, 12, '0')`;
  const sessionId = own('vrf_');
  const messageId = own('msg_');
  const eventId = own('evt_');
  const number = `'+2135' || lpad(${keyMark}::text, 12, '0')`;
  const account = literal(session.account_id);
  const times = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 'now()']));
  const common = { session_id: sessionId, message_id: messageId, number };

  const opened: Row = {
    version: 1,
    status: 'pending',
    delivery: 'sending',
    attempts: 0,
    position: 0,
    event_sequence: 0,
    holder: 'process/bench',
    first_send_at: null,
    verified_at: null,
  };
  const sent: Row = {
    status: 'queued',
    provider_message_id: null,
    parts: null,
    submitted_at: null,
    final_at: null,
    first_send_at: null,
    tariff: null,
    cost: null,
    receipts: [],
    error_code: null,
  };
  const insert = (table: string, row: Row, expressions: Record<string, string>) => {
    const names = Object.keys(row);
    const values = names.map((name) => expressions[name] ?? literal(row[name]));
    return `insert into ${table} (${names.join(', ')}) values (${values.join(', ')})`;
  };
  const saved = (version: number, set: string) =>
    `update verify_session set version = version + 1, ${set}
       where account_id = ${account} and id = ${sessionId} and version = ${version} returning id`;
  const noted = (version: number) =>
    `noted as (insert into session_timeline (session_id, version, entries)
       values (${sessionId}, ${version}, ${literal(timeline[version - 1] ?? '[]')}))`;
  const changed = (set: string) =>
    `update message set ${set} where session_id = ${sessionId} and id = ${messageId} returning id`;

  return [
    `with place as (insert into pending_number (shard, account_id, mode, number, purpose, session_id)
       values (0, ${account}, 'live', ${number}, '', ${sessionId}) on conflict do nothing returning session_id),
     opened as (${insert(
       'verify_session',
       { ...session, ...opened },
       {
         id: sessionId,
         number,
         expires_at: `now() + interval '10 minutes'`,
         ...times('created_at', 'last_send_at', 'leg_ends_at', 'next_at'),
       },
     )}),
     ${noted(1)},
     sent as (${insert('message', { ...message, ...sent }, { id: messageId, session_id: sessionId, ...times('created_at') })})
     select session_id from place`,
    `with saved as (${saved(1, 'attempts = attempts')}), changed as (${changed(`status = 'submitting'`)})
     select id from saved`,
    `with saved as (${saved(2, 'first_send_at = now(), event_sequence = 1')}), ${noted(2)},
     changed as (${changed(`status = 'submitted', provider_message_id = ${literal(message.provider_message_id)}, parts = 1,
       submitted_at = now(), tariff = ${literal(message.tariff)}`)}),
     referred as (${insert('operator_reference', reference, {
       ...common,
       reference: `lpad(${keyMark}::text, 12, '0')`,
       ...times('submitted_at'),
     })})
     select id from saved`,
    `with saved as (${saved(3, `delivery = 'delivered', next_at = null, leg_ends_at = null, holder = null, event_sequence = 2`)}), ${noted(3)},
     changed as (${changed(`status = 'delivered', final_at = now(), cost = ${literal(message.cost)}, error_code = '000',
       receipts = ${literal(message.receipts)}`)}),
     received as (${insert('receipt', receipt, {
       id: own('rcp_'),
       session_id: sessionId,
       message_id: messageId,
       ...times('received_at', 'operator_timestamp'),
     })}),
     told as (insert into webhook_delivery (account_id, event_id, endpoint_id, mode, session_id, type, body, status, holder, created_at)
       select ${account}, ${eventId}, id, 'live', ${sessionId}, 'receipt.updated', ${literal(webhook.body)}, 'pending',
         'process/bench', now()
       from webhook_endpoint where account_id = ${account} and mode = 'live' and enabled)
     select id from saved`,
    // The endpoint's id is known to whoever posts.
    `update webhook_delivery set status = 'delivered', attempts = 1, last_status = 204, delivered_at = now()
       where endpoint_id = ${literal(webhook.endpoint_id)} and event_id = ${eventId}`,
    `with saved as (${saved(4, `status = 'verified', attempts = 1, verified_at = now(), event_sequence = 3`)}), ${noted(4)},
     freed as (delete from pending_number where shard = 0 and account_id = ${account} and mode = 'live' and number = ${number} and purpose = '')
     select id from saved`,
  ];
}

/** As SQL. A colon before a letter would be a variable to pgbench: in JSON a space goes between, in text it becomes another sign. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value.replace(/:(?=[A-Za-z_])/g, '=') : spaced(JSON.stringify(value));
  return `'${text.replaceAll("'", "''").replaceAll('\u0005', '?')}'`;
}

const spaced = (json: string): string => json.replace(/:(?=[A-Za-z_])/g, ': ');
