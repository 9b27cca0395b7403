// Attempts: a delivery is tried once: signed, posted, marked. delivery-worker.ts decides when it is tried, and what follows for the queue.

import { timeOf } from '../../core/ids.ts';
import { Seldom } from '../../time/seldom.ts';
import { hourMs } from '../../time/wall-clock.ts';
import { type DeliveryOutcome, leaseMarginMs, type WebhooksContext } from './context.ts';
import { ErasedSessions } from './erased-sessions.ts';
import { Health } from './health.ts';
import { type Endpoint, type HeldEndpoints, liveKeys } from './held-endpoints.ts';
import { hostOf } from './host-limiter.ts';
import { disableReason, judge, noAnswerText, offText, unsignedRestMs, type Verdict } from './outcome.ts';
import { type Answer, Poster, signedPost } from './poster.ts';
import type { LeasedDelivery } from './records.ts';
import { checkUrl } from './target.ts';

/** What the queue has to do after a try. */
export type Attempted =
  | { kind: 'delivered' }
  /** `off`: why its endpoint is to be switched off; null = it is not. */
  | { kind: 'failed'; endpoint: Endpoint; off: 'gone' | 'failing' | null; at: number }
  /** The endpoint's posts go to another host than the one that has a place for this one: the row waits for that. */
  | { kind: 'moved'; host: string }
  /** Nothing was sent. `giveBack`: it is this process's still, and due again at once. */
  | { kind: 'unsent'; giveBack: boolean };

/** A line in the log about a secret that can not be opened. */
const unreadableEveryMs = hourMs;

export class Attempts {
  readonly erased: ErasedSessions;
  readonly #context: WebhooksContext;
  readonly #endpoints: HeldEndpoints;
  readonly #poster: Poster;
  readonly #health: Health;
  readonly #logged: Seldom;

  constructor(context: WebhooksContext, endpoints: HeldEndpoints) {
    this.#context = context;
    this.#endpoints = endpoints;
    this.#poster = new Poster(context);
    this.#health = new Health(context);
    this.#logged = new Seldom(context.now);
    this.erased = new ErasedSessions(context);
  }

  /** `host`: where a place is taken for it. @throws when the database fails: then it is to be given back. */
  async deliver(row: LeasedDelivery, host: string): Promise<Attempted> {
    const { now, timeoutMs, jitter, maxFailingMs } = this.#context;
    const { records } = row;
    const endpoint = await this.#endpoints.get(row.endpointId);
    const startedAt = now();
    if (startedAt + timeoutMs + leaseMarginMs > row.leaseUntil || !records.cell.fleet.keptSince(row.leasedAt)) {
      // A retry whose lease has ended is due, and perhaps leased once more, even by this process.
      return this.#unsent('left', 'lease', !row.isRetry || startedAt < row.leaseUntil);
    }
    if (this.erased.precedes(row)) return this.#unsent('left', 'erased', true);
    if (endpoint?.suspended) return this.#hold(row);
    if (!endpoint?.enabled) {
      const lastError = endpoint ? offText(endpoint.disabledReason) : 'the endpoint was deleted';
      const verdict: Verdict = { status: 'failed', nextAt: null, lastStatus: null, lastError };
      await records.mark(row, verdict, { at: startedAt, attempted: false });
      return this.#unsent('switched_off', '', false);
    }
    if (liveKeys(endpoint, startedAt).length === 0) return this.#leaveUnsigned(row, endpoint, startedAt);
    const target = hostOf(endpoint.url);
    if (target !== host) return { kind: 'moved', host: target };
    const answer = await this.post(endpoint, row, startedAt);
    if (answer.kind === 'broken_off') return this.#unsent('left', 'stopped', false);
    const at = now();
    const { attempts } = row;
    const verdict = judge(answer, { attempts, now: at, jitter: jitter(), timeoutMs });
    await records.mark(row, verdict, { at, attempted: true });
    const works = verdict.status === 'delivered';
    const failingSince = await this.#health.report(endpoint, { works, at, isRetry: attempts > 0 });
    const outcome = verdict.status === 'delivered' ? 'delivered' : verdict.status === 'pending' ? 'retry' : 'exhausted';
    const reason = answer.kind === 'answered' ? String(answer.status) : answer.reason;
    this.#context.observer.delivery(outcome, reason, (at - startedAt) / 1000);
    if (outcome === 'delivered') return { kind: 'delivered' };
    const off = disableReason({
      status: verdict.lastStatus,
      failingSince,
      attempt: attempts + 1,
      eventAt: timeOf(row.eventId),
      now: at,
      maxFailingMs,
    });
    return { kind: 'failed', endpoint, off, at };
  }

  /**
   * Signs and posts, and marks nothing. Nothing goes out unsigned, and nothing to an address that no endpoint may have: it may have been stored while
   * the deployment let targets be private and unencrypted.
   */
  async post(
    endpoint: Endpoint,
    event: { eventId: string; body: string },
    now: number,
    timeoutMs = this.#context.timeoutMs,
  ): Promise<Answer> {
    const target = checkUrl(endpoint.url, this.#context);
    if (target.kind === 'refused') return { kind: 'no_answer', reason: 'target_refused' };
    const keys = liveKeys(endpoint, now);
    if (keys.length === 0) {
      this.#logUnreadable(endpoint);
      return { kind: 'no_answer', reason: 'secret_unreadable' };
    }
    const { eventId, body } = event;
    return this.#poster.post(signedPost({ url: endpoint.url, eventId, body, keys, now }), timeoutMs);
  }

  /** Breaks off what is on the wire. */
  close(): Promise<void> {
    return this.#poster.close();
  }

  /** No attempt, and no failure of the endpoint: the row waits for another secret, or for a process that can open this one. */
  async #leaveUnsigned(row: LeasedDelivery, endpoint: Endpoint, at: number): Promise<Attempted> {
    this.#logUnreadable(endpoint);
    const lastError = noAnswerText('secret_unreadable', this.#context.timeoutMs);
    const nextAt = at + unsignedRestMs(at - timeOf(row.eventId));
    await row.records.mark(row, { status: 'pending', nextAt, lastStatus: null, lastError }, { at, attempted: false });
    return this.#unsent('left', 'secret', false);
  }

  #logUnreadable({ id, accountId }: Endpoint): void {
    if (!this.#logged.isDue(id, unreadableEveryMs)) return;
    const what =
      'the secret of a webhook endpoint can not be opened: the key ring lacks its key (docs/service-keys.md)';
    this.#context.log.error({ endpoint_id: id, account_id: accountId }, what);
  }

  async #hold(row: LeasedDelivery): Promise<Attempted> {
    const isHeld = await row.records.hold(row);
    return isHeld ? this.#unsent('held', '', false) : this.#unsent('left', 'resumed', true);
  }

  #unsent(outcome: DeliveryOutcome, reason: string, giveBack: boolean): Attempted {
    this.#context.observer.delivery(outcome, reason, null);
    return { kind: 'unsent', giveBack };
  }
}
