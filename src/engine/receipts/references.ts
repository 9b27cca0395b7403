// Finds the message a carrier's receipt is about: first among what this process sent lately, then in the database.

import type { CarrierReceipt } from '../../channels/channel.ts';
import { BoundedMap } from '../../collections/bounded-map.ts';
import { Lane, type LaneOptions } from '../../db/batch.ts';
import { columns } from '../../db/columns.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { SessionKey } from '../../db/verify/load.ts';

export interface Found extends SessionKey {
  messageId: string;
}

interface Wanted {
  operator: string;
  references: string[];
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

/**
 * What a message is filed under when its carrier's id is not known: it gave none, or its answer never came. A receipt for
 * that phone with an id nobody knows is then about it; not for certain, so it is tried last and late.
 */
export const numberReference = (number: string): string => `to ${number}`;

/** Sends remembered: enough for the receipts of the next seconds at full load. */
const maxRecent = 50_000;

export class References {
  readonly #recent = new BoundedMap<string, Found & { number: string }>(maxRecent);
  readonly #lane: Lane<Wanted, Found | null>;

  constructor(db: Queryable, options: Omit<LaneOptions, 'name'> = {}) {
    this.#lane = new Lane((items) => findAll(db, items), { ...options, name: 'references' });
  }

  remember(operator: string, reference: string, found: Found & { number: string }): void {
    this.#recent.set(`${operator} ${reference}`, found);
  }

  /** The message filed under its phone alone, if there is one. */
  findByNumber({ operator, number }: CarrierReceipt): Promise<Found | null> {
    if (number === null) return Promise.resolve(null);
    return this.#lane.push({ operator, references: [numberReference(number)], number });
  }

  async find({ operator, references, number }: CarrierReceipt): Promise<Found | null> {
    for (const reference of references) {
      const found = this.#recent.get(`${operator} ${reference}`);
      if (found && (number === null || found.number === number)) return found;
    }
    return references.length === 0 ? null : this.#lane.push({ operator, references, number });
  }
}

async function findAll(db: Queryable, items: readonly Wanted[]): Promise<(Found | null)[]> {
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
