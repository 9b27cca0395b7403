// The sweep takes up rows that are due and that no process has (retries, and rows left by a dead or full process), and makes rows due that
// were held for accounts that are resumed.

import { claimDeliveries, heldDeliveries, putOffDeliveries, releaseDeliveries } from '../../db/webhooks/attempts.ts';
import { releaseHolds } from '../../db/webhooks/holds.ts';
import { noticeUnknownCommit, UnknownCommits } from '../fleet/unknown-commits.ts';
import type { Returns } from './attempts.ts';
import type { WebhooksContext } from './context.ts';
import type { Delivery } from './delivery.ts';

const claimLimit = 200;
const claimsPerSweep = 20;
const putOffLimit = 2_000;
/** One failure in a burst may be a connection that was cut: the rest must not wait for long. */
const putOffLeastMs = 5_000;
const releaseLimit = 5_000;
/** What was leased longer ago and is not known here was lost; what is younger may be on its way here from a commit. */
const unknownAfterMs = 2_000;
/** Between two looks for resumed accounts without a change: for what a process left that ended in the middle. */
const holdsEveryMs = 5_000;

export class Sweeper {
  readonly #context: WebhooksContext;
  readonly #delivery: Delivery;
  readonly #returns: Returns;
  readonly #end: AbortSignal;
  readonly #unknownCommits: UnknownCommits;
  #sweeping = false;
  /** True from the start and after each change, until nothing is left to release. */
  #holdsAreDue = true;
  /** Unix ms. */
  #holdsAskedAt = Number.NEGATIVE_INFINITY;

  constructor(context: WebhooksContext, delivery: Delivery, returns: Returns, end: AbortSignal) {
    this.#context = context;
    this.#delivery = delivery;
    this.#returns = returns;
    this.#end = end;
    this.#unknownCommits = new UnknownCommits({ now: context.now });
  }

  /** A statement that leased rows to this process broke off: they may be leased, and unknown here. */
  commitUnknown(): void {
    this.#unknownCommits.add();
  }

  /** Called when an account may have been resumed. */
  changed(): void {
    this.#holdsAreDue = true;
  }

  /** Returns how many rows were taken up. */
  async sweep(now: number): Promise<number> {
    const { lanes, fleet, leaseMs } = this.#context;
    // A process that is dead to the others takes nothing: it would be taken away at once.
    if (this.#sweeping || this.#end.aborted || !fleet.keptSince(now)) return 0;
    this.#sweeping = true;
    try {
      this.#returns.again();
      await this.#unknownCommits.search(() => this.#giveBackUnknown(now));
      if (fleet.mayTakeOver) await releaseDeliveries(lanes, { now, leaseMs, limit: releaseLimit });
      await this.#releaseHolds(now);
      const total = await this.#claim(now);
      const endpoints = this.#delivery.queue.slow();
      const putOff = { now, endpoints, leastMs: putOffLeastMs, limit: putOffLimit };
      if (endpoints.length > 0) await putOffDeliveries(lanes, putOff);
      return total;
    } finally {
      this.#sweeping = false;
    }
  }

  async #claim(now: number): Promise<number> {
    const { lanes, fleet, leaseMs } = this.#context;
    const { queue } = this.#delivery;
    const leaseUntil = now + leaseMs;
    let total = 0;
    for (let claims = 0; claims < claimsPerSweep && !this.#end.aborted; claims += 1) {
      const limit = Math.min(claimLimit, queue.room);
      if (limit <= 0) break;
      // Endpoints that are full are passed over, so that one endpoint's backlog hides no other rows.
      const claim = { holder: fleet.holder, now, leaseUntil, limit, except: queue.full() };
      const rows = await noticeUnknownCommit(claimDeliveries(lanes, claim), () => this.commitUnknown());
      this.#delivery.enqueue(
        rows.map((row) => ({ ...row, leasedAt: now, leaseUntil })),
        'table',
      );
      total += rows.length;
      if (rows.length < limit) break;
    }
    return total;
  }

  /** Makes due what is leased to this process and not known here. */
  async #giveBackUnknown(now: number): Promise<void> {
    const { lanes, fleet, leaseMs } = this.#context;
    const leaseUntil = now + leaseMs - unknownAfterMs;
    const rows = await heldDeliveries(lanes, { holder: fleet.holder, now, leaseUntil, limit: releaseLimit });
    const key = (eventId: string, endpointId: string) => `${eventId} ${endpointId}`;
    const known = new Set(this.#delivery.leased().map(({ eventId, endpointId }) => key(eventId, endpointId)));
    for (const row of rows) {
      if (!known.has(key(row.event_id, row.endpoint_id))) this.#returns.push({ ...row, at: now });
    }
  }

  /**
   * At most 5 000 rows of one account. Searched for after a change, and seldom otherwise: hardly any account is ever suspended, and
   * this would be three statements a second of each idle process.
   */
  async #releaseHolds(now: number): Promise<void> {
    if (!this.#holdsAreDue && Math.abs(now - this.#holdsAskedAt) < holdsEveryMs) return;
    this.#holdsAreDue = false; // Before the statement: a change during it counts.
    this.#holdsAskedAt = now;
    try {
      if (await releaseHolds(this.#context.lanes, { now, limit: releaseLimit })) this.#holdsAreDue = true;
    } catch (error) {
      this.#holdsAreDue = true;
      throw error;
    }
  }
}
