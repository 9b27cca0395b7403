// Rows that this process gives back: due again at once, for whoever sweeps first.

import { Lane, type LaneOptions } from '../../db/batch.ts';
import type { Queryable } from '../../db/queryable.ts';
import { type Returned, returnDeliveries } from '../../db/webhooks/attempts.ts';

const mostKept = 20_000;

export class Returns {
  readonly #lane: Lane<Returned, undefined>;
  /** Given back while the database was away. */
  #kept: Returned[] = [];
  readonly #underWay = new Set<Promise<void>>();

  constructor(db: Queryable, lane: Omit<LaneOptions, 'name'>) {
    const giveBack = async (items: readonly Returned[]) => {
      await returnDeliveries(db, items);
      return items.map(() => undefined);
    };
    this.#lane = new Lane(giveBack, { ...lane, name: 'webhook_returns' });
  }

  /** Never rejects: a row that can't be stored now is kept for `again`. */
  push(row: Returned): void {
    const keep = () => {
      if (this.#kept.length < mostKept) this.#kept.push(row); // Else the end of the row's lease does it.
    };
    const returning: Promise<void> = this.#lane
      .push(row)
      .then(() => {}, keep)
      .then(() => void this.#underWay.delete(returning));
    this.#underWay.add(returning);
  }

  /** Tries again what could not be stored. */
  again(): void {
    for (const row of this.#kept.splice(0)) this.push(row);
  }

  /** One promise for each row that is being given back. */
  underWay(): readonly Promise<void>[] {
    return [...this.#underWay];
  }
}
