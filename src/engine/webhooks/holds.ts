// Accounts that were resumed: what was held of their webhooks is made due. Asked for after a change, and seldom otherwise: hardly
// any account is ever suspended, and this would be three statements a second of each idle process.

import type { Queryable } from '../../db/queryable.ts';
import { releaseHolds } from '../../db/webhooks/holds.ts';

const releaseLimit = 5_000;
/** Without a change: for what a process left that ended in the middle. */
const everyMs = 5_000;

export class Holds {
  readonly #db: Queryable;
  /** True from the start and after each change, until nothing is left to release. */
  #isDue = true;
  /** Unix ms. */
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** Called when an account may have been resumed. */
  changed(): void {
    this.#isDue = true;
  }

  /** Called at each sweep; `now` in Unix ms. Releases at most 5 000 rows of one account. @throws when the database fails. */
  async release(now: number): Promise<void> {
    if (!this.#isDue && Math.abs(now - this.#askedAt) < everyMs) return;
    this.#isDue = false; // Before the statement: a change during it counts.
    this.#askedAt = now;
    try {
      if (await releaseHolds(this.#db, { now, limit: releaseLimit })) this.#isDue = true;
    } catch (error) {
      this.#isDue = true;
      throw error;
    }
  }
}
