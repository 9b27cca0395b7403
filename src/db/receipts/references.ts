// References: the ids under which a carrier's receipts name our messages, and the statement that finds the messages. Many receipts share
// one statement, because an operator sends hundreds a second.

import { columns } from '../columns.ts';
import type { Queryable } from '../queryable.ts';
import type { SessionKey } from '../verify/sessions.ts';

const numberPrefix = 'to ';

/**
 * What a message is filed under when its carrier's id is not known: the carrier gave none, or its answer never came. A receipt for
 * that phone with an unknown id is then about this message; not for certain, so it is tried last and late.
 */
export const numberReference = (number: string): string => numberPrefix + number;
/** SQL: the reference by the number in a column. */
export const numberReferenceOf = (column: string): string => `'${numberPrefix}' || ${column}`;

/** The message a receipt is about. */
export interface Found extends SessionKey {
  messageId: string;
}

export interface WantedReferences {
  operator: string;
  references: string[];
  /** null: any number. */
  number: string | null;
}

const wanted = columns({ n: 'integer', operator: 'text', reference: 'text', number: 'text' });

// Operators reuse ids: of several messages the newest one to that phone, within the life of a receipt, is meant.
const text = `
with w as materialized (${wanted.select(1)})
select distinct on (w.n) w.n, f.account_id, f.session_id, f.message_id
from w join operator_reference f on f.operator = w.operator and f.reference = w.reference
  and (w.number is null or f.number = w.number)
where f.submitted_at > now() - interval '4 days'
order by w.n, f.submitted_at desc`;

/** In the order of `items`; null where no message has any of the references. */
export async function findReferences(db: Queryable, items: readonly WantedReferences[]): Promise<(Found | null)[]> {
  const rows = items.flatMap(({ operator, references, number }, n) =>
    references.map((reference) => ({ n, operator, reference, number })),
  );
  const result = await db.query<{ n: number; account_id: string; session_id: string; message_id: string }>({
    name: 'references',
    text,
    values: wanted.parameters(rows),
  });
  const byItem = new Map(result.rows.map((row) => [row.n, row]));
  return items.map((_, n) => {
    const row = byItem.get(n);
    return row ? { accountId: row.account_id, id: row.session_id, messageId: row.message_id } : null;
  });
}
