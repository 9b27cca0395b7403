// Attempts and returns: a delivery is tried once (signed, posted, marked), or given back to the table. delivery.ts decides when it is
// tried, and what follows for the queue.

import { setTimeout as pause } from 'node:timers/promises';
import { Lane, LaneFull } from '../../db/batch.ts';
import { isOutage } from '../../db/outage.ts';
import type { QueuedDelivery } from '../../db/verify/save.ts';
import { type Mark, markDeliveries } from '../../db/webhooks/attempts.ts';
import { type Hold, holdDeliveries, suspendedAccounts } from '../../db/webhooks/holds.ts';
import { type Returned, returnDeliveries } from '../../db/webhooks/retries.ts';
import type { UnknownCommits } from '../fleet/unknown-commits.ts';
import { type DeliveryOutcome, leaseMarginMs, type WebhooksContext } from './context.ts';
import type { DueTimes } from './due-times.ts';
import { Health } from './health.ts';
import { type Endpoint, type HeldEndpoints, liveSecrets } from './held-endpoints.ts';
import { hostOf } from './hosts.ts';
import { disableReason, judge, offText, type Verdict } from './outcome.ts';
import { type Answer, Poster, signedPost } from './poster.ts';

/** One event for one endpoint that is this process's to deliver, while its lease in `fleet` has run without a gap since `leasedAt`. */
export interface LeasedDelivery extends QueuedDelivery {
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

/** What the queue has to do after a try. */
export type Attempted =
  | { kind: 'delivered' }
  /** `off`: why its endpoint is to be switched off; null = it is not. */
  | { kind: 'failed'; endpoint: Endpoint; off: 'gone' | 'failing' | null; at: number }
  /** The endpoint's posts go to another host than the one that has a place for this one: the row waits for that. */
  | { kind: 'moved'; host: string }
  /** Nothing was sent. `giveBack`: it is this process's still, and due again at once. */
  | { kind: 'unsent'; giveBack: boolean };

/** Between tries to store an outcome. Its place stays taken: nothing is posted that could not be marked. */
const markPauseMs = 250;

export class Attempts {
  readonly #context: WebhooksContext;
  readonly #endpoints: HeldEndpoints;
  readonly #poster: Poster;
  readonly #times: DueTimes;
  /** Aborted once this process stops waiting. */
  readonly #end: AbortSignal;
  readonly #health: Health;
  readonly #marks: Lane<Mark, boolean>;
  readonly #holds: Lane<Hold, boolean>;

  constructor(
    context: WebhooksContext,
    { endpoints, times }: { endpoints: HeldEndpoints; times: DueTimes },
    end: AbortSignal,
  ) {
    this.#context = context;
    this.#endpoints = endpoints;
    this.#times = times;
    this.#poster = new Poster(context);
    this.#end = end;
    this.#health = new Health(context);
    const { lanes, lane } = context;
    this.#marks = new Lane((items) => markDeliveries(lanes, items), { ...lane, name: 'webhook_marks' });
    this.#holds = new Lane((items) => holdAll(context, items), { ...lane, name: 'webhook_holds' });
  }

  /** `host`: where a place is taken for it. @throws when the database fails or the secret can't be opened: then it is to be given back. */
  async deliver(row: LeasedDelivery, host: string): Promise<Attempted> {
    const { now, fleet, timeoutMs, jitter, maxFailingMs } = this.#context;
    const endpoint = await this.#endpoints.get(row.endpointId);
    const startedAt = now();
    if (startedAt + timeoutMs + leaseMarginMs > row.leaseUntil || !fleet.keptSince(row.leasedAt)) {
      // A retry whose lease has ended is due, and perhaps leased once more, even by this process.
      return this.#unsent('left', 'lease', !row.isRetry || startedAt < row.leaseUntil);
    }
    if (endpoint?.suspended) return this.#hold(row);
    if (!endpoint?.enabled) {
      const lastError = endpoint ? offText(endpoint.disabledReason) : 'the endpoint was deleted';
      const verdict: Verdict = { status: 'failed', nextAt: null, lastStatus: null, lastError };
      await this.#mark(row, verdict, { at: startedAt, attempted: false });
      return this.#unsent('switched_off', '', false);
    }
    const target = hostOf(endpoint.url);
    if (target !== host) return { kind: 'moved', host: target };
    const answer = await this.post(endpoint, row, startedAt);
    if (answer.kind === 'broken_off') return this.#unsent('left', 'stopped', false);
    const at = now();
    const { attempts } = row;
    const verdict = judge(answer, { attempts, now: at, jitter: jitter(), timeoutMs });
    await this.#mark(row, verdict, { at, attempted: true });
    const failingSince = await this.#health.report(endpoint, verdict.status === 'delivered', at);
    if (verdict.nextAt !== null) this.#times.add(verdict.nextAt);
    const outcome = verdict.status === 'delivered' ? 'delivered' : verdict.status === 'pending' ? 'retry' : 'exhausted';
    const reason = answer.kind === 'answered' ? String(answer.status) : answer.reason;
    this.#context.observer.delivery(outcome, reason, (at - startedAt) / 1000);
    if (outcome === 'delivered') return { kind: 'delivered' };
    const off = disableReason({ status: verdict.lastStatus, failingSince, now: at, maxFailingMs });
    return { kind: 'failed', endpoint, off, at };
  }

  /** Signs and posts, and marks nothing. @throws when the endpoint's secret can't be opened: nothing goes out unsigned. */
  post(endpoint: Endpoint, event: { eventId: string; body: string }, now: number): Promise<Answer> {
    const secrets = liveSecrets(endpoint, now);
    if (secrets.length === 0) {
      throw new Error(`the secret of ${endpoint.id} can not be opened: the key ring lacks its key`);
    }
    const { eventId, body } = event;
    return this.#poster.post(signedPost({ url: endpoint.url, eventId, body, secrets, now }));
  }

  /** Breaks off what is on the wire. */
  close(): Promise<void> {
    return this.#poster.close();
  }

  /** Until the account is resumed. Where it was resumed already, and this process does not know it yet, the row is due again. */
  async #hold({ accountId, eventId, endpointId, attempts }: LeasedDelivery): Promise<Attempted> {
    const key = { account_id: accountId, event_id: eventId, endpoint_id: endpointId };
    const isHeld = await this.#holds.push({ ...key, attempts });
    return isHeld ? this.#unsent('held', '', false) : this.#unsent('left', 'resumed', true);
  }

  #unsent(outcome: DeliveryOutcome, reason: string, giveBack: boolean): Attempted {
    this.#context.observer.delivery(outcome, reason, null);
    return { kind: 'unsent', giveBack };
  }

  /** While the database is away it is kept for as long as the lease: what was posted need not be posted again. */
  async #mark(
    row: LeasedDelivery,
    verdict: Verdict,
    { at, attempted }: { at: number; attempted: boolean },
  ): Promise<void> {
    const mark = {
      event_id: row.eventId,
      endpoint_id: row.endpointId,
      attempts: row.attempts,
      attempted,
      status: verdict.status,
      next_at: verdict.nextAt,
      at,
      last_status: verdict.lastStatus,
      last_error: verdict.lastError,
    };
    for (;;) {
      try {
        await this.#marks.push(mark, { patient: true });
        return;
      } catch (error) {
        const away = isOutage(error) || error instanceof LaneFull;
        if (!away || this.#end.aborted || this.#context.now() + markPauseMs > row.leaseUntil) throw error;
        await pause(markPauseMs);
      }
    }
  }
}

/** Whether each was held. What is held for an account that is resumed at this very moment is found by the next look around (sweep.ts). */
async function holdAll({ home, lanes, fleet }: WebhooksContext, items: readonly Hold[]): Promise<boolean[]> {
  const suspended = await suspendedAccounts(home, [...new Set(items.map(({ account_id }) => account_id ?? ''))]);
  const wanted = items.filter(({ account_id }) => suspended.has(account_id ?? ''));
  const held = wanted.length > 0 ? await holdDeliveries(lanes, fleet.holder, wanted) : [];
  return items.map((item) => held[wanted.indexOf(item)] ?? false);
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
    { lanes, lane, fleet }: WebhooksContext,
    { times, unknownCommits }: { times: DueTimes; unknownCommits: UnknownCommits },
    end: AbortSignal,
  ) {
    this.#times = times;
    this.#unknownCommits = unknownCommits;
    this.#end = end;
    const giveBack = async (items: readonly Returned[]) => {
      await returnDeliveries(lanes, fleet.holder, items);
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
