// Accounts that wait for approval, where anyone may create one: how many may wait, and the end of those that nobody uses. Without a bound one
// stranger fills the database, because each account is rows that nobody deletes.

import { systemActor } from '../../core/accounts/actor.ts';
import { closeUnused, enoughWait, lockWaiting } from '../../db/accounts/waiting.ts';
import { earlierTime } from '../../db/clock.ts';
import { inFullBatches } from '../../db/pages.ts';
import type { Tx } from '../../db/schema.ts';
import { dayMs } from '../../time/wall-clock.ts';
import type { AccountsContext } from './context.ts';

/** Closed by one transaction. */
const batch = 100;

export class WaitingAccounts {
  readonly #context: AccountsContext;
  /** The log says once that no more may wait. */
  #alarmed = false;

  constructor(context: AccountsContext) {
    this.#context = context;
  }

  /** Asked before a transaction begins, so that calls that will be refused do not queue for the lock with a connection each. */
  async hasPlace(): Promise<boolean> {
    return this.#judge(!(await enoughWait(this.#context.db, this.#most)));
  }

  /** Part of the transaction that adds the account: its place is its own from here on, and calls beside it can't take it too. */
  async takePlace(tx: Tx): Promise<boolean> {
    await lockWaiting(tx);
    return this.#judge(!(await enoughWait(tx, this.#most)));
  }

  /**
   * Closes those whose keys were not used for `waitingAccountDays`, by the earlier of this clock and the database's, or some of them once `stopping`
   * is aborted. Returns how many.
   */
  async closeUnused(stopping?: AbortSignal): Promise<number> {
    const { db, now, caches, log } = this.#context;
    const { waitingAccountDays: days = 30 } = this.#context.settings;
    const unusedSince = new Date((await earlierTime(db, now())) - days * dayMs);
    const reason = `waited for approval, unused for ${days} days`;
    const actor = systemActor('the end of an unused account');
    const close = async () => {
      const lapse = { unusedSince, now: new Date(now()), actor, reason, limit: batch };
      return (await closeUnused(db, lapse)).length;
    };
    const count = await inFullBatches(batch, close, stopping);
    if (count === 0) return 0;
    caches?.clear();
    log?.info({ accounts: count, days }, 'accounts that waited for approval and were not used are closed');
    return count;
  }

  get #most(): number {
    return this.#context.settings.mostWaiting ?? 1_000;
  }

  #judge(hasPlace: boolean): boolean {
    if (!hasPlace && !this.#alarmed) {
      const what =
        'no account can be registered, because too many wait for approval: approve or close them (npm run account -- waiting)';
      this.#context.log?.error({ waiting_accounts: this.#most }, what);
    }
    this.#alarmed = !hasPlace;
    return hasPlace;
  }
}
