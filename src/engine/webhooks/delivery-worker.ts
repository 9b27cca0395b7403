// The worker that delivers what this process has leased: each delivery waits its turn, is tried once, and leaves its place to the next. What
// does not fit into the queue is given back to the table; what is still here when the process ends is found there by another process.

import { LaneFull } from '../../db/batch.ts';
import { inTransaction, raiseChanges } from '../../db/changes.ts';
import { isOutage } from '../../db/outage.ts';
import { parkDeliveries } from '../../db/webhooks/deliveries.ts';
import { disableEndpoint } from '../../db/webhooks/endpoints.ts';
import { isDoneWithin } from '../../time/alarm.ts';
import { noticeUnknownCommit } from '../fleet/unknown-commits.ts';
import { type EmittedEvent, emitAccountEvent } from './account-events.ts';
import { Attempts } from './attempts.ts';
import type { SwitchOffReason, WebhookCell, WebhooksContext } from './context.ts';
import { type Endpoint, HeldEndpoints } from './held-endpoints.ts';
import { HostLimiter, hostOf } from './host-limiter.ts';
import type { Source } from './host-lines.ts';
import { offText } from './outcome.ts';
import { FairQueue } from './queue.ts';
import type { LeasedDelivery, Records } from './records.ts';

export class DeliveryWorker {
  readonly endpoints: HeldEndpoints;
  readonly attempts: Attempts;
  /** What each host gets; a post outside the queue takes its place here, and gives it back by `leave`. */
  readonly hosts: HostLimiter;
  readonly queue: FairQueue<LeasedDelivery>;
  readonly #context: WebhooksContext;
  readonly #records: readonly Records[];
  readonly #end: AbortController;
  /** On the wire, or being marked. */
  readonly #running = new Map<Promise<void>, LeasedDelivery>();
  /** Endpoints whose host is being looked up. */
  readonly #locating = new Map<string, Promise<void>>();
  /** Runs until some host may get more posts. */
  #waking: NodeJS.Timeout | undefined;

  /** `records`: of each cell; home is the first. */
  constructor(context: WebhooksContext, records: readonly Records[], end: AbortController) {
    this.#context = context;
    this.#records = records;
    this.#end = end;
    this.endpoints = new HeldEndpoints(context);
    this.attempts = new Attempts(context, this.endpoints);
    this.hosts = new HostLimiter(context);
    const isOlder = (one: LeasedDelivery, other: LeasedDelivery) => one.eventId < other.eventId; // ids sort by time
    this.queue = new FairQueue(context.queue, isOlder, this.hosts, ({ accountId }) => accountId);
  }

  /** Everything held here: waiting for a place, and on the wire. */
  leased(): LeasedDelivery[] {
    return [...this.queue.items(), ...this.#running.values()];
  }

  /** Takes what is this process's. What does not fit is due again, for the sweep. */
  enqueue(rows: readonly LeasedDelivery[], from: Source = 'commit'): void {
    for (const row of rows) {
      const host = this.endpoints.hostOf(row.endpointId);
      if (!this.#end.signal.aborted && this.queue.offer(row.endpointId, row, from, host)) {
        if (host === null) this.#locate(row.endpointId);
        continue;
      }
      this.#context.observer.delivery('left', 'full', null);
      this.#giveBack(row, row.leasedAt);
    }
    this.#pump();
  }

  /** Gives back a place at a host that was taken past the queue: what waits for it goes on. */
  leave(host: string): void {
    this.hosts.done(host, true);
    this.queue.wake();
    this.#pump();
  }

  /** Forgets endpoints of the account, or all, and looks up again where the posts of those go that have something here. */
  clear(accountId?: string): void {
    this.endpoints.clear(accountId);
    for (const endpointId of this.queue.endpoints())
      if (this.endpoints.hostOf(endpointId) === null) this.#locate(endpointId);
  }

  /** Resolves once nothing is under way here, and everything still waiting is held back by its host's limit. */
  async idle(): Promise<void> {
    const underWay = () => [
      ...this.#running.keys(),
      ...this.#locating.values(),
      ...this.#records.flatMap(({ returns }) => returns.underWay()),
    ];
    for (let waited = underWay(); waited.length > 0; waited = underWay()) await Promise.all(waited);
  }

  /** Starts nothing new, gives back what waits, waits for what is under way, breaks off the rest after `graceMs`. What is left is swept up later. */
  async stop(graceMs: number): Promise<void> {
    for (const item of this.queue.items()) this.#giveBack(item, item.leasedAt);
    this.#end.abort();
    clearTimeout(this.#waking);
    this.queue.clear();
    await isDoneWithin(this.idle(), graceMs);
    await this.attempts.close();
    await this.idle();
  }

  /** What is due again at once becomes due as of its lease, so that it precedes later rows. */
  #giveBack({ records, eventId, endpointId, attempts }: LeasedDelivery, at: number): void {
    records.returns.push({ event_id: eventId, endpoint_id: endpointId, attempts, at });
  }

  #pump(): void {
    for (let next = this.queue.take(); next; next = this.queue.take()) {
      const { endpointId, host, item } = next;
      const running = this.#attempt(item, host)
        .catch((error: unknown) => {
          const fields = { err: error, event_id: item.eventId, endpoint_id: endpointId };
          this.#context.log.error(
            fields,
            'webhook delivery failed; it is tried again in half a minute, or at once after an outage',
          );
          // The database was away. What is wrong with the webhook itself would be wrong again at once: that waits for its lease.
          this.#giveBack(item, isOutage(error) || error instanceof LaneFull ? item.leasedAt : item.leaseUntil);
          return null;
        })
        .then((delivered) => {
          this.#running.delete(running);
          this.queue.done(endpointId, delivered, host);
          this.#pump();
        });
      this.#running.set(running, item);
    }
    this.#wakeLater();
  }

  /** Whether it was delivered; null when nothing was sent. */
  async #attempt(row: LeasedDelivery, host: string): Promise<boolean | null> {
    const attempted = await this.attempts.deliver(row, host);
    switch (attempted.kind) {
      case 'delivered':
        return true;
      case 'failed':
        if (attempted.off) await this.#switchOff(attempted.endpoint, attempted.off, attempted.at);
        return false;
      case 'moved':
        this.queue.setHost(row.endpointId, attempted.host);
        this.enqueue([row]);
        return null;
      case 'unsent':
        if (attempted.giveBack) this.#giveBack(row, row.leasedAt);
        return null;
    }
  }

  async #switchOff(endpoint: Endpoint, reason: SwitchOffReason, at: number): Promise<void> {
    const [home] = this.#records;
    if (!home) return;
    const event = await noticeUnknownCommit(switchOff(this.#context, endpoint, reason, at), () => home.commitUnknown());
    if (!event) return;
    home.hasStored = true;
    const { accountId } = endpoint;
    this.endpoints.clear(accountId);
    const lease = { leasedAt: at, leaseUntil: at + this.#context.leaseMs };
    this.enqueue(
      event.endpointIds.map((endpointId) => ({
        records: home,
        accountId,
        eventId: event.id,
        endpointId,
        body: event.body,
        attempts: 0,
        isRetry: false,
        ...lease,
      })),
    );
    await Promise.all(this.#records.map(({ cell }) => giveUpWaiting(cell, endpoint.id, reason)));
  }

  /** Resumes rows once their host's rate allows it. */
  #wakeLater(): void {
    const waitMs = this.#end.signal.aborted ? null : this.queue.waitMs();
    clearTimeout(this.#waking);
    if (waitMs === null) return;
    this.#waking = setTimeout(() => {
      this.queue.wake();
      this.#pump();
    }, waitMs);
    this.#waking.unref();
  }

  /** Looks up where an endpoint's posts go. An unknown host is one of its own: the attempt itself then finds what is wrong. */
  #locate(endpointId: string): void {
    if (this.#locating.has(endpointId)) return;
    const located = (endpoint: Endpoint | null) => {
      this.#locating.delete(endpointId);
      this.queue.setHost(endpointId, endpoint ? hostOf(endpoint.url) : endpointId);
      this.#pump();
    };
    this.#locating.set(
      endpointId,
      this.endpoints.get(endpointId).then(located, () => located(null)),
    );
  }
}

/** Rows of an endpoint that was switched off, given up at once, and rounds of it; the rest is finished when it comes due. */
const parkLimit = 1_000;
const parkRounds = 100;

/**
 * Switches a failing endpoint off, with an event for the account's other endpoints. Returns that event, whose deliveries are this process's, at
 * home, or null when there was nothing to switch off: another attempt was faster or delivered, or the address was changed meanwhile.
 */
async function switchOff(
  context: WebhooksContext,
  { id, accountId, mode, url }: Endpoint,
  reason: SwitchOffReason,
  at: number,
): Promise<EmittedEvent | null> {
  const { db, ids, fleet, maxFailingMs } = context;
  const data = { endpoint_id: id, url, reason, disabled_at: new Date(at).toISOString() };
  const event = { type: 'endpoint.disabled', accountId, mode, at, data };
  const emitted = await inTransaction(db, async (tx) => {
    const failingMs = reason === 'failing' ? maxFailingMs : 0;
    if (!(await disableEndpoint(tx, { id, url, reason, failingMs, now: at }))) return null;
    const written = await emitAccountEvent(tx, ids, event, fleet.holder);
    await raiseChanges(tx);
    return written;
  });
  if (emitted) context.observer.switchedOff?.(reason);
  if (emitted) context.log.warn({ endpoint_id: id, account_id: accountId, reason }, 'webhook endpoint switched off');
  return emitted;
}

/** Marks as failed what still waits for an endpoint that was switched off. */
async function giveUpWaiting({ lanes }: WebhookCell, endpointId: string, reason: string): Promise<void> {
  for (let round = 0; round < parkRounds; round += 1) {
    if ((await parkDeliveries(lanes, endpointId, offText(reason), parkLimit)) < parkLimit) return;
  }
}
