// What is stored of an operator's receipts that were not understood, beside the ids of its answers: for the one who looks for the setting that is
// wrong.

import { lowestId } from '../../core/ids.ts';
import { dayMs, hourMs, minuteMs } from '../../time/wall-clock.ts';
import type { Queryable } from '../queryable.ts';

export interface Evidence {
  /** Of the last days. `references`: what its message was looked for under. */
  parked: { providerMessageId: string | null; number: string | null; references: string[] }[];
  /** `reference`: what the message is filed under. */
  answered: { providerMessageId: string; number: string; reference: string }[];
  /** The operator's own words in receipts that were stored as UNKNOWN within a day; within an hour, where an hour has very many receipts. */
  words: { word: string; count: number }[];
  /** Reports of the last days that can't be read, and that a pattern would read. */
  unreadable: number;
}

const parkedText = `
select receipt -> 'receipt' ->> 'providerMessageId' as "providerMessageId", number,
  coalesce(receipt -> 'references', '[]') as "references"
from parked_receipt where received_at > $3 and operator = $1 and reason = 'unmatched' order by id desc limit $2`;

const unreadableText = `select count(*)::integer as n from parked_receipt
where received_at > $3 and operator = $1 and starts_with(reason, $2)`;

const answeredText = `
select m.provider_message_id as "providerMessageId", f.number, f.reference
from (
  select session_id, message_id, number, reference from operator_reference
  where operator = $1 and message_id > $3 and reference not like 'to %'
  order by submitted_at desc limit $2
) f
join message m on m.session_id = f.session_id and m.id = f.message_id and m.id > $3
where m.provider_message_id is not null`;

const wordsText = `
select provider_status as word, count(*)::integer as count from receipt
where operator = $1 and status = 'UNKNOWN' and provider_status is not null and id >= $2
group by 1 order by 2 desc limit 20`;

const receiptsText = 'select count(*)::integer as n from receipt where id >= $1';

/** A report of longer ago may be older than the setting that reads it, and a receipt than the rule that matches its id. */
const lastDaysMs = 4 * dayMs;
/** Messages of how long ago are looked at: of a busy operator the first has enough, and days of its messages may take longer to read than a statement may run. */
const answeredMs = [10 * minuteMs, lastDaysMs];
/** With more receipts than this in an hour, a day of them may take longer to read than a statement may run. */
const mostReceipts = 100_000;

export interface EvidenceWanted {
  operator: string;
  /** Of parked receipts and answers, the latest. */
  limit: number;
  /** How the reason of a report begins that a pattern would read. */
  withoutPattern: string;
}

/** Parked receipts are in every cell, home among them; messages and receipts in their own. */
export async function readEvidence(
  { home, cells }: { home: Queryable; cells: readonly Queryable[] },
  { operator, limit, withoutPattern }: EvidenceWanted,
  now = Date.now(),
): Promise<Evidence> {
  const ask = async <Row>(db: Queryable, name: string, text: string, values: unknown[]) =>
    (await db.query<Row>({ name, text, values })).rows;
  const inAll = async <Row>(name: string, text: string, values: unknown[]) =>
    (await Promise.all(cells.map((cell) => ask<Row>(cell, name, text, values)))).flat();
  const lately = new Date(now - lastDaysMs);
  const latest = [operator, limit, lately];
  const parked = await ask<Evidence['parked'][number]>(home, 'operators.unmatched', parkedText, latest);
  const unreadable = await ask<{ n: number }>(home, 'operators.unreadable', unreadableText, [
    operator,
    withoutPattern,
    lately,
  ]);
  let answered: Evidence['answered'] = [];
  for (const agoMs of answeredMs) {
    // Without a receipt that misses its message the answers tell nothing.
    if (parked.length === 0 || answered.length >= limit) break;
    answered = await inAll('operators.answered', answeredText, [operator, limit, lowestId('msg_', now - agoMs)]);
  }
  const hour = lowestId('rcp_', now - hourMs);
  const counts = await inAll<{ n: number }>('operators.receipts', receiptsText, [hour]);
  const isBusy = counts.some(({ n }) => n > mostReceipts);
  const since = isBusy ? hour : lowestId('rcp_', now - dayMs);
  const words = new Map<string, number>();
  for (const { word, count } of await inAll<Evidence['words'][number]>('operators.words', wordsText, [operator, since]))
    words.set(word, (words.get(word) ?? 0) + count);
  return {
    parked,
    answered,
    words: [...words].map(([word, count]) => ({ word, count })).sort((one, other) => other.count - one.count),
    unreadable: unreadable[0]?.n ?? 0,
  };
}
