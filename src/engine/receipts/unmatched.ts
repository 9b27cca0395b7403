// Receipts that match nothing yet (the carrier was faster than its own answer, or another process sent the message), and
// reports nobody can read. Stored before they are acknowledged, so that none is lost; matched again later.

import type { CarrierReceipt, UnreadableReport } from '../../channels/channel.ts';
import { Lane, type LaneOptions } from '../../db/batch.ts';
import { columns } from '../../db/columns.ts';
import type { Queryable } from '../../db/queryable.ts';

const parked = columns({
  id: 'text',
  operator: 'text',
  reference: 'text',
  number: 'text',
  reason: 'text',
  receipt: 'json',
  raw: 'text',
  received_at: 'ms',
} as const);

type ParkedRow = Parameters<(typeof parked)['parameters']>[0][number];

const insertText = `insert into parked_receipt (${parked.names.join(', ')}) ${parked.select(1)}`;

// Each receipt is looked up by index, for each of its ids and then for its phone: LIMIT keeps the planner from comparing all
// receipts with all references, which with thousands of each never ended.
const matchableText = `
select p.id, p.receipt from parked_receipt p
cross join lateral (
  select from (
    select r.reference from jsonb_array_elements_text(p.receipt -> 'references') as r(reference)
    union all
    select 'to ' || p.number where p.received_at < now() - $2::integer * interval '1 millisecond'
  ) w
  cross join lateral (
    select from operator_reference f where f.operator = p.operator and f.reference = w.reference
      and (p.number is null or f.number = p.number) limit 1
  ) known limit 1
) matched
where p.receipt is not null and p.received_at > now() - $3::double precision * interval '1 millisecond'
order by p.received_at limit $1`;

export interface ParkedReceipt {
  id: string;
  carrier: CarrierReceipt;
}

/** What is parked is the whole carrier receipt, so that it can be taken in again exactly as it came. */
export class Parking {
  readonly #db: Queryable;
  readonly #lane: Lane<ParkedRow, void>;
  readonly #newId: () => string;

  constructor(db: Queryable, newId: () => string, options: Omit<LaneOptions, 'name'> = {}) {
    this.#db = db;
    this.#newId = newId;
    this.#lane = new Lane(
      async (rows) => {
        await db.query({ name: 'park', text: insertText, values: parked.parameters(rows) });
        return rows.map(() => undefined);
      },
      { ...options, name: 'park' },
    );
  }

  /** Returns the parked row's id once it is committed. */
  async park(carrier: CarrierReceipt): Promise<string> {
    const id = this.#newId();
    const { operator, references, number, receipt } = carrier;
    await this.#lane.push({
      id,
      operator,
      reference: references[0] ?? null,
      number,
      reason: 'unmatched',
      receipt: carrier,
      raw: receipt.raw,
      received_at: receipt.receivedAt,
    });
    return id;
  }

  async parkUnreadable(report: UnreadableReport): Promise<void> {
    const { operator, reason, raw, receivedAt } = report;
    await this.#lane.push({
      id: this.#newId(),
      operator,
      reference: null,
      number: null,
      reason,
      receipt: null,
      raw,
      received_at: receivedAt,
    });
  }

  /**
   * Parked receipts whose message is known by now, or can be guessed from the phone after `guessAfterMs`; oldest first, and
   * of those only that came within the last `withinMs`: what is nobody's stays for the whole retention and is many.
   */
  async matchable(limit: number, guessAfterMs: number, withinMs: number): Promise<ParkedReceipt[]> {
    const { rows } = await this.#db.query<{ id: string; receipt: CarrierReceipt }>({
      name: 'parked.matchable',
      text: matchableText,
      values: [limit, guessAfterMs, withinMs],
    });
    return rows.map(({ id, receipt }) => ({ id, carrier: receipt }));
  }

  async remove(ids: readonly string[]): Promise<void> {
    await this.#db.query({
      name: 'parked.remove',
      text: 'delete from parked_receipt where id = any ($1)',
      values: [ids],
    });
  }

  async count(): Promise<number> {
    const { rows } = await this.#db.query<{ n: number }>({
      name: 'parked.count',
      text: 'select count(*)::integer as n from parked_receipt',
      values: [],
    });
    return rows[0]?.n ?? 0;
  }
}
