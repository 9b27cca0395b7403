// One try at one delivery: signed, posted, marked. When and whether it is tried is decided in webhooks.ts.

import { Lane, LaneFull, type LaneOptions } from '../../db/batch.ts';
import { isOutage } from '../../db/outage.ts';
import type { QueuedDelivery } from '../../db/verify/save.ts';
import { type Mark, type Marked, markDeliveries } from '../../db/webhooks/attempts.ts';
import { parkDeliveries } from '../../db/webhooks/deliveries.ts';
import { disableEndpoint } from '../../db/webhooks/endpoints.ts';
import { type Hold, holdDeliveries } from '../../db/webhooks/holds.ts';
import { accountEventBody } from './account-events.ts';
import { type Endpoint, type Endpoints, liveSecrets } from './endpoints.ts';
import { hostOf } from './hosts.ts';
import { leaseMarginMs, type Settings } from './options.ts';
import { disableReason, judge, offText, type Verdict } from './outcome.ts';
import type { Answer, Poster } from './poster.ts';
import { signedPost } from './request.ts';

/** A leased row. */
export interface Job extends QueuedDelivery {
  accountId: string;
  body: string;
  /** Attempts so far. */
  attempts: number;
  /** Unix ms. */
  leasedAt: number;
  leaseUntil: number;
}

export interface AttemptsOptions extends Settings {
  endpoints: Endpoints;
  poster: Poster;
  lane: Omit<LaneOptions, 'name'>;
  /** Posts rows that were written down just now. */
  enqueue(jobs: readonly Job[]): void;
  /** The endpoint's posts go to another host than the one that has a place for this one: the row waits for that. */
  moved(job: Job, host: string): void;
  /** Makes the row due for whoever sweeps first, unless somebody has taken it already. */
  giveBack(job: Job): void;
  /** True once nothing is waited for any more. */
  stopping(): boolean;
}

/** Between tries to store an outcome. Its place stays taken: nothing is posted that could not be marked. */
const markPauseMs = 250;

/** Rows given up at once when an endpoint is switched off, and rounds of it; the rest is finished when it comes due. */
const parkLimit = 1_000;
const parkRounds = 100;

export class Attempts {
  readonly #options: AttemptsOptions;
  readonly #marks: Lane<Mark, Marked>;
  readonly #holds: Lane<Hold, boolean>;

  constructor(options: AttemptsOptions) {
    this.#options = options;
    this.#marks = new Lane((items) => markDeliveries(options.db, items), { ...options.lane, name: 'webhook_marks' });
    this.#holds = new Lane((items) => holdDeliveries(options.db, items), { ...options.lane, name: 'webhook_holds' });
  }

  /**
   * Whether it was delivered; null when nothing was sent. `host`: where a place is taken for it. @throws when the database fails or the secret can't be opened:
   * then the row stays as it is, and is due again when it is given back or its lease ends.
   */
  async deliver(job: Job, host: string): Promise<boolean | null> {
    const { now, fleet, observe, timeoutMs } = this.#options;
    const endpoint = await this.#options.endpoints.get(job.endpointId);
    const startedAt = now();
    if (startedAt + timeoutMs + leaseMarginMs > job.leaseUntil || !fleet.keptSince(job.leasedAt)) {
      if (startedAt < job.leaseUntil) this.#options.giveBack(job); // Else it is due, and perhaps taken once more, even from here.
      return this.#left('lease');
    }
    if (endpoint?.suspended) return this.#hold(job);
    if (!endpoint?.enabled) {
      const lastError = endpoint ? offText(endpoint.disabledReason) : 'the endpoint was deleted';
      await this.#mark(
        job,
        { status: 'failed', nextAt: null, lastStatus: null, lastError },
        { at: startedAt, attempted: false },
      );
      observe.delivery?.('switched_off', '', null);
      return null;
    }
    const target = hostOf(endpoint.url);
    if (target !== host) {
      this.#options.moved(job, target);
      return null;
    }
    const answer = await this.post(endpoint, job, startedAt);
    if (answer.kind === 'broken_off') return this.#left('stopped');
    const at = now();
    const { attempts } = job;
    const verdict = judge(answer, { attempts, now: at, jitter: this.#options.jitter(), timeoutMs });
    const { failingSince } = await this.#mark(job, verdict, { at, attempted: true });
    const outcome = verdict.status === 'delivered' ? 'delivered' : verdict.status === 'pending' ? 'retry' : 'exhausted';
    observe.delivery?.(
      outcome,
      answer.kind === 'answered' ? String(answer.status) : answer.reason,
      (at - startedAt) / 1000,
    );
    if (outcome === 'delivered') return true;
    const { maxFailingMs } = this.#options;
    const off = disableReason({ status: verdict.lastStatus, failingSince, now: at, maxFailingMs });
    if (off) await this.#switchOff(endpoint, off, at);
    return false;
  }

  /** Signs and posts, and marks nothing. @throws when the endpoint's secret can't be opened: nothing goes out unsigned. */
  post(endpoint: Endpoint, event: { eventId: string; body: string }, now: number): Promise<Answer> {
    const secrets = liveSecrets(endpoint, now);
    if (secrets.length === 0)
      throw new Error(`the secret of ${endpoint.id} can not be opened: the key ring lacks its key`);
    const { eventId, body } = event;
    return this.#options.poster.post(signedPost({ url: endpoint.url, eventId, body, secrets, now }));
  }

  /** Until the account is resumed. Where it was resumed just now, and this process has not heard of it, the row is due again. */
  async #hold(job: Job): Promise<null> {
    const { accountId: account_id, eventId: event_id, endpointId: endpoint_id, attempts } = job;
    const { holder } = this.#options.fleet;
    const held = await this.#holds.push({ account_id, event_id, endpoint_id, attempts, holder });
    if (!held) this.#options.giveBack(job);
    this.#options.observe.delivery?.('held', '', null);
    return null;
  }

  #left(reason: string): null {
    this.#options.observe.delivery?.('left', reason, null);
    return null;
  }

  /** While the database is away it is kept as long as the row is ours: what was posted need not be posted again. */
  async #mark(job: Job, verdict: Verdict, { at, attempted }: { at: number; attempted: boolean }): Promise<Marked> {
    const mark = {
      account_id: job.accountId,
      event_id: job.eventId,
      endpoint_id: job.endpointId,
      attempts: job.attempts,
      attempted,
      status: verdict.status,
      next_at: verdict.nextAt,
      at,
      last_status: verdict.lastStatus,
      last_error: verdict.lastError,
    };
    const { now, stopping } = this.#options;
    for (;;) {
      try {
        return await this.#marks.push(mark, { patient: true });
      } catch (error) {
        const away = isOutage(error) || error instanceof LaneFull;
        if (!away || stopping() || now() + markPauseMs > job.leaseUntil) throw error;
        await new Promise((resolve) => setTimeout(resolve, markPauseMs));
      }
    }
  }

  /** Tells the account's other endpoints in the same statement; then gives up what this one still had to get. */
  async #switchOff(endpoint: Endpoint, reason: 'gone' | 'failing', at: number): Promise<void> {
    const { db, fleet, log, observe, newEventId, endpoints, leaseMs } = this.#options;
    const { id, accountId, mode, url } = endpoint;
    const event = { id: newEventId(accountId), type: 'endpoint.disabled' };
    const data = { endpoint_id: id, url, reason, disabled_at: new Date(at).toISOString() };
    const body = accountEventBody(event.id, { ...event, accountId, mode, at, data });
    const leaseUntil = at + leaseMs;
    const lease = { holder: fleet.holder, leaseUntil };
    const done = await disableEndpoint(db, { id, url, reason, now: at, event: { ...event, body }, lease });
    if (!done) return; // Somebody was faster, or the address was changed meanwhile.
    endpoints.clear();
    observe.disabled?.(reason);
    log.info({ endpoint_id: id, account_id: accountId, reason }, 'webhook endpoint switched off');
    this.#options.enqueue(
      done.told.map((endpointId) => ({
        accountId,
        eventId: event.id,
        endpointId,
        body,
        attempts: 0,
        leasedAt: at,
        leaseUntil,
      })),
    );
    for (let round = 0; round < parkRounds; round += 1) {
      if ((await parkDeliveries(db, id, offText(reason), parkLimit)) < parkLimit) return;
    }
  }
}
