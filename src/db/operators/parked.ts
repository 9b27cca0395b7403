// Parked receipts as a person reads them: those that match no message yet, and those that can't be read.

import type { Queryable } from '../queryable.ts';

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

const text = `
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
  return (await db.query<ParkedListed>({ name: 'operators.parked', text, values: [operator, before, limit] })).rows;
}
