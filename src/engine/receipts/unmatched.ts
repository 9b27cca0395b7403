// Parked receipts: those that match no message yet (the carrier was faster than its own answer, or another process sent the message), and
// reports that can't be read. Stored before they are acknowledged, so that none is lost; matched again later.

import type { CarrierReceipt, UnreadableReport } from '../../channels/channel.ts';
import type { IdSource } from '../../core/ids.ts';
import { Lane, type LaneOptions } from '../../db/batch.ts';
import type { SessionStore } from '../../db/engine-store.ts';
import type { ParkedRow } from '../../db/receipts/receipts.ts';

export interface ParkedReceipt {
  id: string;
  carrier: CarrierReceipt;
}

/** What is parked is the whole carrier receipt, so that it can be taken in again exactly as it came. */
export class Parking {
  readonly #db: SessionStore;
  readonly #lane: Lane<ParkedRow, void>;
  readonly #ids: IdSource;

  constructor(db: SessionStore, ids: IdSource, options: Omit<LaneOptions, 'name'> = {}) {
    this.#db = db;
    this.#ids = ids;
    this.#lane = new Lane(
      async (rows) => {
        await db.parkReceipts(rows);
        return rows.map(() => undefined);
      },
      { ...options, name: 'park' },
    );
  }

  /** Returns the parked row's id once it is committed. */
  async park(carrier: CarrierReceipt): Promise<string> {
    const id = this.#ids('prk_');
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
      id: this.#ids('prk_'),
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
   * only those received within the last `withinMs`: receipts of no message stay for the whole retention, and are many.
   */
  async matchable(limit: number, guessAfterMs: number, withinMs: number): Promise<ParkedReceipt[]> {
    const rows = await this.#db.matchableReceipts({ limit, guessAfterMs, withinMs });
    return rows.map(({ id, receipt }) => ({ id, carrier: receipt as CarrierReceipt }));
  }

  remove(ids: readonly string[]): Promise<void> {
    return this.#db.removeParked(ids);
  }

  count(): Promise<number> {
    return this.#db.countParked();
  }
}
