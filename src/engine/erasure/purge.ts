// The purge of closed accounts: once an account can no longer be reopened, everything that belongs to it is deleted, in batches, by one process at a
// time. The account's own row is deleted last, so that a purge that was cut off is found by it and goes on. What others write about the account
// while a pass runs is found by the next pass: the row is deleted by the first pass that finds nothing else.

import { systemActor } from '../../core/accounts/actor.ts';
import { beginPurge, endPurge } from '../../db/accounts/closing.ts';
import { earlierTime } from '../../db/clock.ts';
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
import { dayMs } from '../../time/wall-clock.ts';
import type { ErasureDatabases } from './erasure.ts';

/** Days after the closing in which an account can be reopened. Asked at each turn. */
type ClosedAccountDays = () => Promise<number>;

export type Purged =
  /** Another process is at it. */
  | { kind: 'busy' }
  /** No account is due. */
  | { kind: 'nothing' }
  /** Some of the account may be left. */
  | { kind: 'begun'; accountId: string; waits: PurgeWait }
  | { kind: 'purged'; accountId: string };

/**
 * What the next turn waits for. `nothing`: this turn has only reached its limit. `sessions`: some are still pending. `writers`: there was something to
 * delete, and what was being written about it at that time is not visible yet.
 */
type PurgeWait = 'nothing' | 'sessions' | 'writers';

const PURGE_LOCK = 0x72616d7f; // Beside that of sealing again.

/** Rows of one transaction. */
const batch = { sessions: 100, webhooks: 500, rows: 1_000 };
/** Full batches of one turn. */
const perTurn = 20;

export class Purge {
  readonly #dbs: ErasureDatabases;
  /** Unix ms. */
  readonly #now: () => number;
  readonly #closedAccountDays: ClosedAccountDays;

  constructor(dbs: ErasureDatabases, now: () => number, closedAccountDays: ClosedAccountDays) {
    this.#dbs = dbs;
    this.#now = now;
    this.#closedAccountDays = closedAccountDays;
  }

  /** A bounded part of the account whose turn it is, and less once `stopping` is aborted. */
  async run(stopping?: AbortSignal): Promise<Purged> {
    const done = await alone(this.#dbs.home, PURGE_LOCK, { patienceMs: 0 }, () => this.#turn(stopping));
    return done?.result ?? { kind: 'busy' };
  }

  async #turn(stopping: AbortSignal | undefined): Promise<Purged> {
    const home = withSchema(this.#dbs.home);
    const now = this.#now();
    const actor = systemActor('the end of a closed account');
    const days = await this.#closedAccountDays();
    const closedBefore = new Date((await earlierTime(this.#dbs.home, now)) - days * dayMs);
    const accountId = await beginPurge(home, { closedBefore, now: new Date(now), actor });
    if (accountId === null) return { kind: 'nothing' };
    const pass = { batches: perTurn, deleted: 0, stopping };
    const begun = (waits: PurgeWait): Purged => ({ kind: 'begun', accountId, waits });
    for (const db of this.#dbs.cells) {
      if (!(await inBatches(pass, batch.sessions, (limit) => purgeSessions(db, accountId, limit))))
        return begun('nothing');
      if (await hasSessions(db, accountId)) return begun('sessions');
      if (!(await this.#webhooks(db, accountId, pass))) return begun('nothing');
      pass.deleted += await purgeCounts(db, accountId, batch.rows);
    }
    pass.deleted += await purgeSettings(this.#dbs.home, accountId, batch.rows);
    if (pass.deleted > 0) return begun('writers');
    const isGone = await endPurge(home, { id: accountId, now: new Date(this.#now()), actor });
    return isGone ? { kind: 'purged', accountId } : begun('writers');
  }

  async #webhooks(db: UntypedDb, accountId: string, pass: Pass): Promise<boolean> {
    for (const endpoint of await endpointsWithWebhooks(db, accountId)) {
      if (!(await inBatches(pass, batch.webhooks, (limit) => purgeWebhooks(db, endpoint, limit)))) return false;
    }
    return true;
  }
}

/** A turn's way through all that there is of an account. */
interface Pass {
  /** Full ones that it has left. */
  batches: number;
  /** Rows. */
  deleted: number;
  stopping: AbortSignal | undefined;
}

/** False where the turn ends before all is done. A batch that is not full ends the work, and is not counted: each database has one at least. */
async function inBatches(pass: Pass, limit: number, purge: (limit: number) => Promise<number>): Promise<boolean> {
  while (pass.batches > 0 && !pass.stopping?.aborted) {
    const deleted = await purge(limit);
    pass.deleted += deleted;
    if (deleted < limit) return true;
    pass.batches -= 1;
  }
  return false;
}
