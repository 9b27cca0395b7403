// The records of deliveries in one cell: marks and holds, and what this process gives back. A delivery stays with the records of the cell
// that its row lies in, and is this process's while the lease there lasts.

import { setTimeout as pause } from 'node:timers/promises';
import { Lane, LaneFull } from '../../db/batch.ts';
import { isOutage } from '../../db/outage.ts';
import type { QueuedDelivery } from '../../db/verify/save.ts';
import { type Mark, markDeliveries } from '../../db/webhooks/attempts.ts';
import { type Hold, holdDeliveries, suspendedAccounts } from '../../db/webhooks/holds.ts';
import { type Returned, returnDeliveries } from '../../db/webhooks/retries.ts';
import { UnknownCommits } from '../fleet/unknown-commits.ts';
import type { WebhookCell, WebhooksContext } from './context.ts';
import type { DueTimes } from './due-times.ts';
import type { Verdict } from './outcome.ts';

/** One event for one endpoint that is this process's to deliver, while its lease in the cell has run without a gap since `leasedAt`. */
export interface LeasedDelivery extends QueuedDelivery {
  /** The records of the cell that its row lies in. */
  records: Records;
  accountId: string;
  body: string;
  /** Attempts so far. */
  attempts: number;
  /** Claimed in the table of retries, until `leaseUntil`. Else a first attempt, which nobody else takes while this process lives. */
  isRetry: boolean;
  /** Unix ms. */
  leasedAt: number;
  /** What has waited here until then is given back. */
  leaseUntil: number;
}

/** Between tries to store an outcome. Its place stays taken: nothing is posted that could not be marked. */
const markPauseMs = 250;
/** Between two searches for what a broken statement may have stored: each looks through a minute of events. */
const searchEveryMs = 3_000;

export class Records {
  readonly cell: WebhookCell;
  readonly times: DueTimes;
  readonly unknownCommits: UnknownCommits;
  readonly returns: Returns;
  /** True where first attempts were stored since the mark of this process was moved (sweep.ts); at first, because there is no mark. */
  hasStored = true;
  readonly #now: () => number;
  /** Aborted once this process stops waiting. */
  readonly #end: AbortSignal;
  readonly #marks: Lane<Mark, boolean>;
  readonly #holds: Lane<Hold, boolean>;

  constructor(context: WebhooksContext, cell: WebhookCell, times: DueTimes, end: AbortSignal) {
    const { home, lane, now } = context;
    const { lanes, fleet } = cell;
    this.cell = cell;
    this.times = times;
    this.unknownCommits = new UnknownCommits({ now, everyMs: searchEveryMs });
    this.#now = now;
    this.#end = end;
    this.#marks = new Lane((items) => markDeliveries(lanes, items), { ...lane, name: 'webhook_marks' });
    const hold = async (items: readonly Hold[]): Promise<boolean[]> => {
      const suspended = await suspendedAccounts(home, [...new Set(items.map(({ account_id }) => account_id ?? ''))]);
      const wanted = items.filter(({ account_id }) => suspended.has(account_id ?? ''));
      const held = wanted.length > 0 ? await holdDeliveries(lanes, fleet.holder, wanted) : [];
      return items.map((item) => held[wanted.indexOf(item)] ?? false);
    };
    this.#holds = new Lane(hold, { ...lane, name: 'webhook_holds' });
    this.returns = new Returns(this, context, end);
  }

  /** A statement that stored first attempts of this process, or leased retries, broke off: they may be stored, and unknown here. */
  commitUnknown(): void {
    this.hasStored = true;
    this.unknownCommits.add();
    this.times.wake();
  }

  /** While the database is away it is kept for as long as the lease: what was posted need not be posted again. */
  async mark(
    { eventId, endpointId, attempts, leaseUntil }: LeasedDelivery,
    { status, nextAt, lastStatus, lastError }: Verdict,
    { at, attempted }: { at: number; attempted: boolean },
  ): Promise<void> {
    const key = { event_id: eventId, endpoint_id: endpointId };
    const outcome = { status, next_at: nextAt, last_status: lastStatus, last_error: lastError };
    for (;;) {
      try {
        await this.#marks.push({ ...key, ...outcome, attempts, attempted, at }, { patient: true });
        if (nextAt !== null) this.times.add(nextAt);
        return;
      } catch (error) {
        const away = isOutage(error) || error instanceof LaneFull;
        if (!away || this.#end.aborted || this.#now() + markPauseMs > leaseUntil) throw error;
        await pause(markPauseMs);
      }
    }
  }

  /**
   * Until its account is resumed. False where it is resumed already, and this process does not know it yet, or another process has the row. What
   * is held for an account that is resumed at this very moment is found by the next look around (sweep.ts).
   */
  hold({ accountId, eventId, endpointId, attempts }: LeasedDelivery): Promise<boolean> {
    return this.#holds.push({ account_id: accountId, event_id: eventId, endpoint_id: endpointId, attempts });
  }
}

/** Returns kept while the database is away. */
const mostKept = 20_000;

/** What this process gives back: it becomes a retry, for this process or another. */
export class Returns {
  readonly #lane: Lane<Returned, undefined>;
  readonly #times: DueTimes;
  readonly #unknownCommits: UnknownCommits;
  readonly #end: AbortSignal;
  /** Rows given back while the database was away. */
  #kept: Returned[] = [];
  readonly #underWay = new Set<Promise<void>>();

  constructor(
    { cell, times, unknownCommits }: Pick<Records, 'cell' | 'times' | 'unknownCommits'>,
    { lane }: Pick<WebhooksContext, 'lane'>,
    end: AbortSignal,
  ) {
    this.#times = times;
    this.#unknownCommits = unknownCommits;
    this.#end = end;
    const giveBack = async (items: readonly Returned[]) => {
      await returnDeliveries(cell.lanes, cell.fleet.holder, items);
      return items.map(() => undefined);
    };
    this.#lane = new Lane(giveBack, { ...lane, name: 'webhook_returns' });
  }

  /** Never rejects: a row that can't be stored now is kept for `again`. */
  push(row: Returned): void {
    // The end of this process's lease does the same, a moment later.
    if (!this.#end.aborted) this.#push(row);
  }

  /** Rows that wait for `again`. */
  get kept(): number {
    return this.#kept.length;
  }

  /** Whether something is given back that is not stored yet. */
  get isBusy(): boolean {
    return this.#kept.length > 0 || this.#underWay.size > 0;
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
      if (this.#kept.length < mostKept) this.#kept.push(row);
      else this.#unknownCommits.add(); // It is looked for in the table.
    };
    const returning: Promise<void> = this.#lane
      .push(row)
      .then(() => this.#times.add(row.at ?? 0), keep)
      .then(() => void this.#underWay.delete(returning));
    this.#underWay.add(returning);
  }
}
