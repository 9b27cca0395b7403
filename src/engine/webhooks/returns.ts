// Rows that this process gives back: due again at once, for the process that sweeps first.

import { Lane } from '../../db/batch.ts';
import { type Returned, returnDeliveries } from '../../db/webhooks/attempts.ts';
import type { WebhooksContext } from './context.ts';

const mostKept = 20_000;

export class Returns {
  readonly #lane: Lane<Returned, undefined>;
  readonly #holder: string;
  readonly #end: AbortSignal;
  /** Given back while the database was away. */
  #kept: Returned[] = [];
  readonly #underWay = new Set<Promise<void>>();

  constructor({ lanes, lane, fleet }: WebhooksContext, end: AbortSignal) {
    this.#holder = fleet.holder;
    this.#end = end;
    const giveBack = async (items: readonly Returned[]) => {
      await returnDeliveries(lanes, items);
      return items.map(() => undefined);
    };
    this.#lane = new Lane(giveBack, { ...lane, name: 'webhook_returns' });
  }

  /** Never rejects: a row that can't be stored now is kept for `again`. */
  push(row: Omit<Returned, 'holder'>): void {
    // The end of this process's lease does the same, a moment later.
    if (!this.#end.aborted) this.#push({ ...row, holder: this.#holder });
  }

  /** Tries again what could not be stored. */
  again(): void {
    for (const row of this.#kept.splice(0)) this.#push(row);
  }

  /** One promise for each row that is being given back. */
  underWay(): readonly Promise<void>[] {
    return [...this.#underWay];
  }

  #push(row: Returned): void {
    const keep = () => {
      if (this.#kept.length < mostKept) this.#kept.push(row); // Else the end of the row's lease does it.
    };
    const returning: Promise<void> = this.#lane
      .push(row)
      .then(() => {}, keep)
      .then(() => void this.#underWay.delete(returning));
    this.#underWay.add(returning);
  }
}
