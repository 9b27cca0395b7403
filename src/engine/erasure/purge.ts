// The purge of closed accounts: what is theirs is deleted once the time is over in which they can be reopened. In batches, by one process at a time;
// the account's own row goes last, so a purge that was cut off is found by it and goes on.

import { systemActor } from '../../core/accounts/actor.ts';
import { beginPurge, endPurge } from '../../db/accounts/closing.ts';
import {
  endpointsWithWebhooks,
  hasSessions,
  purgeCounts,
  purgeSessions,
  purgeSettings,
  purgeWebhooks,
} from '../../db/erasure/account.ts';
import { alone } from '../../db/lock-patience.ts';
import { type UntypedDb, withSchema } from '../../db/schema.ts';
import type { ErasureDatabases } from './erasure.ts';

/** Read at each use, so that a reload holds at once. */
export interface PurgeSettings {
  /** Days after the closing in which an account can be reopened. */
  readonly closedAccountDays: number;
}

export type Purged =
  /** Another process is at it. */
  | { kind: 'busy' }
  /** No account is due. */
  | { kind: 'nothing' }
  /** Some of the account is left: the turn has done enough, or (`waits`) sessions of it are still pending. */
  | { kind: 'begun'; accountId: string; waits: boolean }
  | { kind: 'purged'; accountId: string };

const PURGE_LOCK = 0x72616d7f; // Beside that of sealing again.
const dayMs = 86_400_000;

/** Of one transaction. */
const batch = { sessions: 100, webhooks: 500, rows: 1_000 };
/** Full batches of one turn. */
const perTurn = 20;

export class Purge {
  readonly #dbs: ErasureDatabases;
  /** Unix ms. */
  readonly #now: () => number;
  readonly #settings: PurgeSettings;

  constructor(dbs: ErasureDatabases, now: () => number, settings: PurgeSettings) {
    this.#dbs = dbs;
    this.#now = now;
    this.#settings = settings;
  }

  /** A bounded part of the account whose turn it is. */
  async run(): Promise<Purged> {
    const done = await alone(this.#dbs.home, PURGE_LOCK, { patienceMs: 0 }, () => this.#turn());
    return done?.result ?? { kind: 'busy' };
  }

  async #turn(): Promise<Purged> {
    const home = withSchema(this.#dbs.home);
    const now = this.#now();
    const actor = systemActor('the end of a closed account');
    const closedBefore = new Date(now - this.#settings.closedAccountDays * dayMs);
    const accountId = await beginPurge(home, { closedBefore, now: new Date(now), actor });
    if (accountId === null) return { kind: 'nothing' };
    const left = { batches: perTurn };
    for (const db of this.#dbs.cells) {
      if (!(await inBatches(left, batch.sessions, (limit) => purgeSessions(db, accountId, limit)))) {
        return { kind: 'begun', accountId, waits: false };
      }
      if (await hasSessions(db, accountId)) return { kind: 'begun', accountId, waits: true };
      if (!(await this.#webhooks(db, accountId, left))) return { kind: 'begun', accountId, waits: false };
      await purgeCounts(db, accountId, batch.rows);
    }
    await purgeSettings(this.#dbs.home, accountId, batch.rows);
    await endPurge(home, { id: accountId, now: new Date(this.#now()), actor });
    return { kind: 'purged', accountId };
  }

  async #webhooks(db: UntypedDb, accountId: string, left: { batches: number }): Promise<boolean> {
    for (const endpoint of await endpointsWithWebhooks(db, accountId)) {
      if (!(await inBatches(left, batch.webhooks, (limit) => purgeWebhooks(db, endpoint, limit)))) return false;
    }
    return true;
  }
}

/** False where the turn ends before all is done. A batch that is not full ends the work, and is not counted: each database has one at least. */
async function inBatches(
  left: { batches: number },
  limit: number,
  purge: (limit: number) => Promise<number>,
): Promise<boolean> {
  while (left.batches > 0) {
    if ((await purge(limit)) < limit) return true;
    left.batches -= 1;
  }
  return false;
}
