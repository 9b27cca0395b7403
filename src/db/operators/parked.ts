// Parked receipts as a person reads them: those that match no message yet, and those that can't be read. Among the first may be some that name their
// message in a form it was not filed under: the setting for message ids was wrong when the message was sent, or when the receipt came.

import { lowestId } from '../../core/ids.ts';
import { dayMs } from '../../time/wall-clock.ts';
import { columns } from '../columns.ts';
import type { Queryable } from '../queryable.ts';
import { isOlder } from '../receipts/receipts.ts';

export interface ParkedListed {
  id: string;
  operator: string;
  /** `unmatched`, or what could not be read. */
  reason: string;
  /** The message's id as the receipt has it. */
  providerMessageId: string | null;
  /** In E.164. */
  number: string | null;
  status: string | null;
  receivedAt: Date;
  raw: string;
}

const listText = `
select id, operator, reason, receipt -> 'receipt' ->> 'providerMessageId' as "providerMessageId", number,
  receipt -> 'receipt' ->> 'status' as status, received_at as "receivedAt", raw
from parked_receipt
where ($1::text is null or operator = $1) and ($2::text is null or id < $2)
order by id desc limit $3`;

/** The newest first. `operator` null = of all; `before` null = from the newest on. */
export async function listParked(
  db: Queryable,
  { operator, before, limit }: { operator: string | null; before: string | null; limit: number },
): Promise<ParkedListed[]> {
  return (await db.query<ParkedListed>({ name: 'operators.parked', text: listText, values: [operator, before, limit] }))
    .rows;
}

/** A parked receipt, and what the operator's messages to the same phone are filed under that it was not looked for under. */
export interface Misfiled {
  parkedId: string;
  /** The message's id as the receipt has it. */
  reported: string;
  messages: {
    /** The message's id as the answer had it. */
    answered: string;
    reference: string;
  }[];
}

/**
 * Messages from the time in which a receipt may come, made before this one came. Their ids are a day older at most, which leaves old
 * partitions unread.
 */
const misfiledText = `
with p as materialized (
  select id, number, receipt -> 'references' as looked_for,
    receipt -> 'receipt' ->> 'providerMessageId' as reported, received_at
  from parked_receipt
  where operator = $1 and reason = 'unmatched' and id > $2 and number is not null
    and receipt -> 'receipt' ->> 'providerMessageId' is not null
  order by id limit $3
),
f as materialized (
  select p.id, o.reference, o.session_id, o.message_id
  from p join operator_reference o on o.number = p.number and not p.looked_for ? o.reference
  where o.operator = $1 and o.submitted_at > now() - interval '4 days' and o.message_id > $4
    and ${isOlder('o.message_id', 'p.received_at')}
),
named as (
  select f.id, jsonb_agg(jsonb_build_object('answered', m.provider_message_id, 'reference', f.reference)) as messages
  from f join message m on m.session_id = f.session_id and m.id = f.message_id and m.id > $4
  where m.provider_message_id is not null group by f.id
)
select p.id as "parkedId", p.reported, coalesce(named.messages, '[]') as messages
from p left join named on named.id = p.id order by p.id`;

/** Of at most `limit` parked receipts, the oldest first, after the one with the id `after`: fewer are the last. */
export async function readMisfiled(
  db: Queryable,
  { operator, after, limit, nowMs }: { operator: string; after: string; limit: number; nowMs: number },
): Promise<Misfiled[]> {
  const values = [operator, after, limit, lowestId('msg_', nowMs - 5 * dayMs)];
  return (await db.query<Misfiled>({ name: 'operators.misfiled', text: misfiledText, values })).rows;
}

const matches = columns({ id: 'text', more: 'json' });

const referText = `
update parked_receipt p set receipt = jsonb_set(p.receipt, '{references}', (p.receipt -> 'references') || w.more)
from (${matches.select(1)}) w where p.id = w.id`;

/** From now on the receipts are looked for under these references, too: the next sweep takes them in. */
export async function addReferences(db: Queryable, rows: readonly { id: string; more: string[] }[]): Promise<void> {
  await db.query({ name: 'operators.refer', text: referText, values: matches.parameters(rows) });
}
