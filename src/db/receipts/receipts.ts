// Statements over receipts: the references under which a carrier names our messages, and the receipts that matched none yet. Many
// receipts share one statement, because an operator sends hundreds a second.

import type { CellMap } from '../../core/fleet/cells.ts';
import { crockfordAlphabet, lowestId, shardForNumber } from '../../core/ids.ts';
import { clocksDifferMs } from '../../core/verify/rules.ts';
import { dayMs } from '../../time/wall-clock.ts';
import { type Columns, columns } from '../columns.ts';
import type { Queryable } from '../queryable.ts';
import type { SessionKey } from '../verify/sessions.ts';

const numberPrefix = 'to ';

/**
 * What a message is filed under when its carrier's id is not known: the carrier gave none, or its answer never came. A receipt for
 * that phone with an unknown id is then about this message; not for certain, so it is tried last and late.
 */
export const numberReference = (number: string): string => numberPrefix + number;
export const isNumberReference = (reference: string): boolean => reference.startsWith(numberPrefix);
/** SQL: the reference by the number in a column. */
const numberReferenceOf = (column: string): string => `'${numberPrefix}' || ${column}`;

/** The message a receipt is about. */
export interface Found extends SessionKey {
  messageId: string;
}

export interface WantedReferences {
  operator: string;
  references: string[];
  /** null: any number. */
  number: string | null;
  /** A message to another phone is meant, too, where it is the only one with that reference. */
  inDoubt: boolean;
  /** Only messages with lower ids are meant. */
  before: string;
}

/** Above the ids of all messages. */
export const anyMessage = 'msg_~';

/**
 * Above the ids of the messages that a receipt may be about, which were made before it came. A parked receipt waits for days, while operators use
 * their ids again and the phone gets other messages.
 */
export const madeBefore = (receivedAt: number): string => lowestId('msg_', receivedAt + clocksDifferMs);

/** SQL: the ten digits of the time in a message's id, Unix ms, as `timeOf` (core/ids.ts) reads them. */
const timeOfMessage = (id: string): string =>
  Array.from({ length: 10 }, (_, at) => {
    const digit = `strpos('${crockfordAlphabet}', substr(${id}, ${'msg_'.length + 1 + at}, 1)) - 1`;
    return `((${digit})::bigint << ${45 - 5 * at})`;
  }).join(' + ');

/**
 * SQL: whether the message was made before the receipt came. The time is read from the ids of the few messages that are met: making the lowest
 * id for each of 10,000 parked receipts made a sweep half as long again.
 */
export const isOlder = (messageId: string, receivedAt: string): string =>
  `${timeOfMessage(messageId)} < extract(epoch from ${receivedAt}) * 1000 + ${clocksDifferMs}`;

const wanted = columns({
  n: 'integer',
  operator: 'text',
  reference: 'text',
  number: 'text',
  in_doubt: 'boolean',
  before: 'text',
});

/** SQL: the time that a receipt may come after its message. Operators reuse their ids later. */
const isRecent = (message: string): string => `${message}.submitted_at > now() - interval '4 days'`;

/** The same four days, and longer than any session lives: a message goes to the cell in which its session was opened. */
const recentMs = 5 * dayMs;

/** The cells in which a message to the number may be that a receipt of now is about, the present one first. */
export const cellsOfReceipt = (map: CellMap, number: string, nowMs: number): string[] =>
  map.since(shardForNumber(number), nowMs - recentMs, nowMs);

/** SQL: whether no other message has the reference of `f`. */
const isOnlyOne = `not exists (select from operator_reference o where o.operator = f.operator
    and o.reference = f.reference and o.message_id <> f.message_id and ${isRecent('o')})`;

/** SQL: whether the reference of `f` still names its message: the phone alone does so only until the carrier's id is known. */
const stillNames = `(left(f.reference, ${numberPrefix.length}) <> '${numberPrefix}' or not exists (select from message m
    where m.session_id = f.session_id and m.id = f.message_id and m.provider_message_id is not null))`;

// Operators reuse ids: of several messages the newest one to that phone, within the life of a receipt, is meant.
const textWhere = (condition: string) => `
with w as materialized (${wanted.select(1)})
select distinct on (w.n) w.n, f.account_id, f.session_id, f.message_id
from w join operator_reference f on f.operator = w.operator and f.reference = w.reference and f.message_id < w.before
  and (w.number is null or f.number = w.number or w.in_doubt and ${isOnlyOne})
where ${isRecent('f')} and ${condition}
order by w.n, f.number is distinct from w.number, f.submitted_at desc`;

const byIds = { name: 'references', text: textWhere('true') };
/** Apart, because it opens each partition of `message`, and few receipts are looked for by their phone. */
const byPhones = { name: 'references.phone', text: textWhere(stillNames) };

/** In the order of `items`; null where no message has any of the references. */
export async function findReferences(db: Queryable, items: readonly WantedReferences[]): Promise<(Found | null)[]> {
  const rows = items.flatMap(({ operator, references, number, inDoubt, before }, n) =>
    references.map((reference) => ({ n, operator, reference, number, in_doubt: inDoubt, before })),
  );
  const statement = rows.some(({ reference }) => isNumberReference(reference)) ? byPhones : byIds;
  const result = await db.query<{ n: number; account_id: string; session_id: string; message_id: string }>({
    ...statement,
    values: wanted.parameters(rows),
  });
  const byItem = new Map(result.rows.map((row) => [row.n, row]));
  return items.map((_, n) => {
    const row = byItem.get(n);
    return row ? { accountId: row.account_id, id: row.session_id, messageId: row.message_id } : null;
  });
}

/**
 * Rows of receipts that matched no message yet, and of reports that could not be read. They are looked through again, because a carrier's
 * receipt may be faster than its own answer.
 */
const parked = columns({
  id: 'text',
  operator: 'text',
  reference: 'text',
  number: 'text',
  reason: 'text',
  receipt: 'json',
  raw: 'text',
  received_at: 'ms',
});

export type ParkedRow = typeof parked extends Columns<infer Row> ? Row : never;

const insertText = `insert into parked_receipt (${parked.names.join(', ')}) ${parked.select(1)}`;

export async function parkReceipts(db: Queryable, rows: readonly ParkedRow[]): Promise<void> {
  await db.query({ name: 'park', text: insertText, values: parked.parameters(rows) });
}

// Each receipt is looked up by index, for each of its ids and then for its phone: LIMIT keeps the planner from comparing all
// receipts with all references, which with thousands of each never ended. One that was not marked as a receipt is never in doubt: it names
// the phone that wrote it, and must not keep others from their turn.
const matchableText = `
select p.id, p.receipt from parked_receipt p
cross join lateral (select p.received_at < now() - $2::integer * interval '1 millisecond'
  and not p.receipt ? 'unmarked' as in_doubt) a
cross join lateral (
  select from (
    select r.reference from jsonb_array_elements_text(p.receipt -> 'references') as r(reference)
    union all
    select ${numberReferenceOf('p.number')} where in_doubt
  ) w
  cross join lateral (
    select from operator_reference f where f.operator = p.operator and f.reference = w.reference
      and ${isOlder('f.message_id', 'p.received_at')}
      and (p.number is null or f.number = p.number or in_doubt and ${isOnlyOne}) and ${isRecent('f')} and ${stillNames} limit 1
  ) known limit 1
) matched
where p.receipt is not null and p.received_at > now() - $3::double precision * interval '1 millisecond'
order by p.received_at limit $1`;

export interface Matchable {
  limit: number;
  /** From this age on a receipt may be matched by its phone alone, or by its id alone. */
  guessAfterMs: number;
  /** Older ones are not looked at: what matches nothing stays for the whole retention, and is many. */
  withinMs: number;
}

/** Receipts whose message is known by now, the oldest first. `receipt` is what was parked. */
export async function matchableReceipts(
  db: Queryable,
  { limit, guessAfterMs, withinMs }: Matchable,
): Promise<{ id: string; receipt: unknown }[]> {
  const values = [limit, guessAfterMs, withinMs];
  return (await db.query<{ id: string; receipt: unknown }>({ name: 'parked.matchable', text: matchableText, values }))
    .rows;
}

export async function removeParked(db: Queryable, ids: readonly string[]): Promise<void> {
  await db.query({ name: 'parked.remove', text: 'delete from parked_receipt where id = any ($1)', values: [ids] });
}

const countText = `
select count(*)::integer as n from (
  select from parked_receipt where received_at > now() - interval '1 hour' limit 10000
) recent`;

/** Those received within the last hour: what matches nothing stays for the whole retention, and is many. */
export async function countParked(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ n: number }>({ name: 'parked.count', text: countText, values: [] });
  return rows[0]?.n ?? 0;
}
