// The sweep takes up deliveries of one cell that no process has in memory: retries that are due, what dead processes left, and what was held
// for accounts that have been resumed. It runs when such a thing is known to be due, and looks around every ten seconds for the rest.

import { lowestId } from '../../core/ids.ts';
import { endpointIds } from '../../db/webhooks/endpoints.ts';
import { failingEndpoints } from '../../db/webhooks/health.ts';
import { heldAccounts, releaseHolds, suspendedAccounts } from '../../db/webhooks/holds.ts';
import { lookAround, ownDeliveries, takeOverDeliveries } from '../../db/webhooks/recovery.ts';
import { claimRetries, putOffRetries } from '../../db/webhooks/retries.ts';
import { hourMs } from '../../time/wall-clock.ts';
import { noticeUnknownCommit } from '../fleet/unknown-commits.ts';
import type { WebhooksContext } from './context.ts';
import type { DeliveryWorker } from './delivery-worker.ts';
import type { LeasedDelivery, Records } from './records.ts';

const claimLimit = 200;
const claimsPerSweep = 20;
const putOffLimit = 2_000;
/** What a failing endpoint has no room for is put off by this part of the time it has been failing. */
const putOffShare = 0.1;
/** One failure in a burst may be a connection that was cut: the rest must not wait for long. */
const putOffLeastMs = 5_000;
const putOffMostMs = hourMs;
const recoveryLimit = 5_000;
const releaseRounds = 20;
const heldPage = 1_000;

/** How often one statement looks for whatever was missed, ms; an idle process makes it, too. */
const lookEveryMs = 10_000;
/** The pause between two runs while more is due than this process has room for, ms. */
const backlogMs = 300;
/** How often rows that could not be given back are tried again, and rows that may be leased to this process without its knowledge are looked for, ms. */
const recoveryMs = 1_000;
/** How late the process that stored a retry may be with its claim before others claim it, ms. */
const othersMs = 1_000;
/** How long ago a row was leased that counts as lost when it is not known here, ms. A younger one may be on its way here from its commit. */
const unknownAfterMs = 2_000;
/** The mark of this process stays so far behind: a statement may be under way for 20 s, and be of unknown outcome for as long again. */
const settleMs = 60_000;
/** How often an idle process moves its mark, ms: the process that takes over from it looks through everything since. */
const idleMarkMs = 600_000;

export class Sweeper {
  readonly #context: WebhooksContext;
  readonly #worker: DeliveryWorker;
  readonly #records: Records;
  readonly #end: AbortSignal;
  #sweeping = false;
  /** All times in Unix ms; the past = now. */
  #lookAt = Number.NEGATIVE_INFINITY;
  #ranAt = Number.NEGATIVE_INFINITY;
  /** When a retry is late that another process stored. */
  #othersAt: number | null = null;
  /** More is due than this process has room for. */
  #hasBacklog = false;
  /** Where the mark of this process stands: what it stored before is done, or among the retries. */
  #settledAt: number;
  /** Retries that were due at the last look, over all processes. */
  overdue = 0;

  constructor(
    context: WebhooksContext,
    { worker, records }: { worker: DeliveryWorker; records: Records },
    end: AbortSignal,
  ) {
    this.#context = context;
    this.#worker = worker;
    this.#records = records;
    this.#end = end;
    this.#settledAt = context.now() - settleMs;
  }

  /** Stores the mark of this process: before it stores anything else. */
  async begin(): Promise<void> {
    this.#follow(this.#context.now());
    const settledBefore = lowestId('evt_', Math.floor(this.#settledAt));
    const { lanes, fleet } = this.#records.cell;
    await lookAround(lanes, {
      holder: fleet.holder,
      settledBefore,
      now: this.#context.now(),
    });
  }

  /** Looks around with the next run: a process has died, an account may have been resumed. */
  lookSoon(): void {
    this.#lookAt = Number.NEGATIVE_INFINITY;
  }

  /** Ms until something is due. */
  #waitMs(now: number): number {
    // A clock that was set back counts as time that has passed.
    const ranAt = Math.min(this.#ranAt, now);
    const lookAt = Math.min(this.#lookAt, now + lookEveryMs);
    const recovers = this.#records.returns.kept > 0 || this.#records.unknownCommits.isOpen;
    const at = Math.min(
      lookAt,
      this.#records.times.next ?? lookAt,
      this.#othersAt ?? lookAt,
      this.#hasBacklog ? ranAt + backlogMs : lookAt,
      recovers ? ranAt + recoveryMs : lookAt,
    );
    return Math.max(0, at - now);
  }

  /** Does what is due. Returns how long until something is again, ms. */
  async run(now: number): Promise<number> {
    const isLate = this.#othersAt !== null && this.#othersAt <= now;
    await this.#sweep(now, isLate || this.#lookAt <= now);
    // Without a lease what is due stays due. The lease may run again before the fleet says `back`: the next run finds out.
    return this.#records.cell.fleet.keptSince(now) ? this.#waitMs(now) : recoveryMs;
  }

  /** Looks around, and does what is due. Returns how many rows were taken up. */
  sweep(now: number): Promise<number> {
    return this.#sweep(now, true);
  }

  async #sweep(now: number, looks: boolean): Promise<number> {
    if (this.#sweeping || this.#end.aborted) return 0;
    this.#ranAt = now;
    // A process that is dead to the others takes nothing: it would be taken away at once.
    if (!this.#records.cell.fleet.keptSince(now)) return 0;
    this.#sweeping = true;
    const looksNow = this.#follow(now) || looks;
    try {
      this.#records.returns.again();
      await this.#records.unknownCommits.search(() => this.#giveBackUnknown(now));
      const isDue =
        (looksNow && (await this.#look(now))) || this.#hasBacklog || (this.#records.times.next ?? now + 1) <= now;
      return isDue ? await this.#takeUp(now) : 0;
    } catch (error) {
      this.lookSoon(); // What was due may be forgotten here by now.
      throw error;
    } finally {
      this.#sweeping = false;
    }
  }

  /** Whether retries are due. */
  async #look(now: number): Promise<boolean> {
    const { lanes, fleet } = this.#records.cell;
    const { leaseMs } = this.#context;
    this.#lookAt = now + lookEveryMs; // Before the statement: what happens during it counts.
    const settledAt = this.#settledBy(now);
    const settledBefore = settledAt === null ? null : lowestId('evt_', Math.floor(settledAt));
    const found = await lookAround(lanes, { holder: fleet.holder, settledBefore, now });
    if (settledAt !== null) {
      this.#settledAt = settledAt;
      this.#records.hasStored = false;
    } else if (!found.marked) {
      // Another process took this one for dead: the mark is stored again, at once. Without it nobody finds what this one leaves, and by one that
      // was searched already it is found only when nothing of this one can be committed any more.
      this.#records.hasStored = true;
      this.lookSoon();
    }
    this.#expectOthers(found.nextAt);
    let isDue = found.due > 0;
    this.overdue = found.due;
    if (found.dead.length > 0 && fleet.mayTakeOver) {
      const { taken, more } = await takeOverDeliveries(lanes, {
        holders: found.dead,
        endpoints: await endpointIds(this.#context.home),
        now,
        leaseMs,
        limit: recoveryLimit,
      });
      if (more) this.lookSoon();
      if (taken > 0) isDue = true;
    } else if (found.dead.length > 0) this.#lookAt = now + recoveryMs;
    if (found.held && (await this.#releaseHolds(now))) isDue = true;
    return isDue;
  }

  async #takeUp(now: number): Promise<number> {
    this.#records.times.pass(now);
    const total = await this.#claim(now);
    await this.#putOff(now, this.#worker.queue.slow());
    return total;
  }

  async #putOff(now: number, endpoints: readonly string[]): Promise<void> {
    if (endpoints.length === 0) return;
    const { home } = this.#context;
    const until = new Map<string, number>();
    for (const [id, since] of await failingEndpoints(home, endpoints)) {
      const delayMs = Math.min(putOffMostMs, Math.max(putOffLeastMs, (now - since) * putOffShare));
      until.set(id, Math.round(now + delayMs));
    }
    if (until.size > 0) await putOffRetries(this.#records.cell.lanes, { now, until, limit: putOffLimit });
  }

  async #claim(now: number): Promise<number> {
    const { lanes, fleet } = this.#records.cell;
    const { leaseMs } = this.#context;
    const { queue } = this.#worker;
    const leaseUntil = now + leaseMs;
    let total = 0;
    this.#hasBacklog = true;
    for (let claims = 0; claims < claimsPerSweep && !this.#end.aborted; claims += 1) {
      const limit = Math.min(claimLimit, queue.room);
      if (limit <= 0) break;
      // Endpoints that are full are passed over, so that one endpoint's backlog hides no other rows.
      const except = queue.full();
      const claim = { holder: fleet.holder, now, leaseUntil, limit, except };
      const rows = await noticeUnknownCommit(claimRetries(lanes, claim), () => this.#records.unknownCommits.add());
      this.#worker.enqueue(
        rows.map((row) => ({ ...row, records: this.#records, isRetry: true, leasedAt: now, leaseUntil })),
        'table',
      );
      total += rows.length;
      if (rows.length < limit) {
        this.#hasBacklog = except.length > 0;
        break;
      }
    }
    return total;
  }

  /** Notes when a retry of another process would be late, where it is due before all that are known here. */
  #expectOthers(nextAt: number | null): void {
    const own = this.#records.times.next;
    const isOwn = nextAt !== null && own !== null && own <= nextAt + othersMs;
    this.#othersAt = nextAt === null || isOwn ? null : nextAt + (this.#context.fleet.alive > 1 ? othersMs : 0);
  }

  /** Takes the mark back with a clock that was set back: what is stored now has smaller ids than what was settled. Whether it was. */
  #follow(now: number): boolean {
    if (this.#settledAt <= now - settleMs) return false;
    this.#settledAt = now - settleMs;
    this.#records.hasStored = true;
    return true;
  }

  /** Until when everything that this process has stored is settled, for its mark; null where the mark stays. */
  #settledBy(now: number): number | null {
    if (!this.#records.hasStored && now - this.#settledAt < idleMarkMs) return null;
    if (this.#records.unknownCommits.isOpen || this.#records.returns.isBusy)
      return this.#records.hasStored ? this.#settledAt : null;
    let at = now - settleMs;
    for (const { isRetry, leasedAt } of this.#leased()) if (!isRetry) at = Math.min(at, leasedAt);
    return at;
  }

  /** What is held here of this cell. */
  #leased(): LeasedDelivery[] {
    return this.#worker.leased().filter(({ records }) => records === this.#records);
  }

  /** Makes due what is this process's and not known here. */
  async #giveBackUnknown(now: number): Promise<void> {
    const { lanes, fleet } = this.#records.cell;
    const { home, leaseMs } = this.#context;
    const limit = this.#leased().length + recoveryLimit;
    const rows = await ownDeliveries(lanes, {
      holder: fleet.holder,
      endpoints: await endpointIds(home),
      from: lowestId('evt_', Math.floor(this.#settledAt)),
      until: lowestId('evt_', now - unknownAfterMs),
      now,
      leaseUntil: now + leaseMs - unknownAfterMs,
      limit,
    });
    if (rows.length >= limit) this.#records.unknownCommits.add(); // The next search finds the rest.
    const key = (eventId: string, endpointId: string) => `${eventId} ${endpointId}`;
    // As of now: what was committed during the statement may have come here since. What was done since is not given back (retries.ts).
    const known = new Set(this.#leased().map(({ eventId, endpointId }) => key(eventId, endpointId)));
    for (const row of rows) {
      if (!known.has(key(row.event_id, row.endpoint_id))) this.#records.returns.push({ ...row, at: now });
    }
  }

  /** Makes due what is held for accounts that have been resumed; the oldest first, 5 000 of one account a round. Whether there was any. */
  async #releaseHolds(now: number): Promise<boolean> {
    const { lanes } = this.#records.cell;
    const resumed = await this.#resumedAccounts();
    for (let round = 0; round < releaseRounds; round += 1) {
      const [accountId] = resumed;
      if (accountId === undefined) return round > 0;
      const released = await releaseHolds(lanes, accountId, { now, limit: recoveryLimit });
      if (released < recoveryLimit) resumed.shift();
    }
    this.lookSoon();
    return true;
  }

  /** Accounts for which something is held here and that are suspended no more: as many as get a round. More than a page may be suspended. */
  async #resumedAccounts(): Promise<string[]> {
    const resumed: string[] = [];
    for (let after: string | undefined = ''; after !== undefined && resumed.length < releaseRounds; ) {
      const held = await heldAccounts(this.#records.cell.lanes, { after, limit: heldPage });
      const suspended = await suspendedAccounts(this.#context.home, held);
      resumed.push(...held.filter((id) => !suspended.has(id)));
      after = held[heldPage - 1];
    }
    return resumed;
  }
}
