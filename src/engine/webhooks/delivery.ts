// Leased rows on their way: each waits its turn, is tried once, and leaves room for the next. The row in the database is the job;
// what is held here is only its leased copy, so a copy that is dropped, refused or lost is swept up when its lease ends.

import { LaneFull } from '../../db/batch.ts';
import { isOutage } from '../../db/outage.ts';
import { isDoneWithin } from '../../time/within.ts';
import { Attempts, type Job } from './attempts.ts';
import type { WebhooksContext } from './context.ts';
import { type Endpoint, HeldEndpoints } from './held-endpoints.ts';
import type { Source } from './host-lines.ts';
import { Hosts, hostOf } from './hosts.ts';
import { FairQueue } from './queue.ts';
import type { Returns } from './returns.ts';
import { giveUpWaiting, switchOff } from './switch-off.ts';

export class Delivery {
  readonly endpoints: HeldEndpoints;
  readonly attempts: Attempts;
  /** What each host gets; a post past the queue asks here, and gives its place back by `leave`. */
  readonly hosts: Hosts;
  readonly queue: FairQueue<Job>;
  readonly #context: WebhooksContext;
  readonly #returns: Returns;
  readonly #end: AbortController;
  /** On the wire, or being marked. */
  readonly #running = new Map<Promise<void>, Job>();
  /** Endpoints whose host is being looked up. */
  readonly #locating = new Map<string, Promise<void>>();
  /** Until some host gets more. */
  #waking: NodeJS.Timeout | undefined;

  constructor(context: WebhooksContext, returns: Returns, end: AbortController) {
    this.#context = context;
    this.#returns = returns;
    this.#end = end;
    this.endpoints = new HeldEndpoints(context);
    this.attempts = new Attempts(context, this.endpoints, end.signal);
    this.hosts = new Hosts(context);
    const isOlder = (one: Job, other: Job) => one.eventId < other.eventId; // ids sort by time
    this.queue = new FairQueue(context.queue, isOlder, this.hosts);
  }

  /** Everything held here: waiting for a place, and on the wire. */
  jobs(): Job[] {
    return [...this.queue.items(), ...this.#running.values()];
  }

  /** Takes rows that are leased to this process. What does not fit is due again, for the sweep. */
  enqueue(jobs: readonly Job[], from: Source = 'commit'): void {
    for (const job of jobs) {
      const host = this.endpoints.hostOf(job.endpointId);
      if (!this.#end.signal.aborted && this.queue.offer(job.endpointId, job, from, host)) {
        if (host === null) this.#locate(job.endpointId);
        continue;
      }
      this.#context.observer.delivery('left', 'full', null);
      this.#giveBack(job);
    }
    this.#pump();
  }

  /** Gives back a place at a host that was taken past the queue: what waits for it goes on. */
  leave(host: string): void {
    this.hosts.done(host, true);
    this.queue.wake();
    this.#pump();
  }

  /** Forgets endpoints, and looks up again where the posts of those go that have something here. */
  clear(): void {
    this.endpoints.clear();
    for (const endpointId of this.queue.endpoints()) this.#locate(endpointId);
  }

  /** Resolves once nothing is under way here, and nothing waits but for what its host may get. */
  async idle(): Promise<void> {
    const underWay = () => [...this.#running.keys(), ...this.#locating.values(), ...this.#returns.underWay()];
    for (let waited = underWay(); waited.length > 0; waited = underWay()) await Promise.all(waited);
  }

  /** Starts nothing new, waits for what is under way, breaks off the rest after `graceMs`. What is left is swept up later. */
  async stop(graceMs: number): Promise<void> {
    this.#end.abort();
    clearTimeout(this.#waking);
    this.queue.clear();
    await isDoneWithin(this.idle(), graceMs);
    await this.attempts.close();
    await this.idle();
  }

  /**
   * A burst goes beyond what fits and is worked off in a second: its last ones must not wait for a lease of half a minute. Due
   * since it was leased: its turn is before what came since.
   */
  #giveBack({ accountId, eventId, endpointId, attempts, leasedAt: at }: Job): void {
    this.#returns.push({ account_id: accountId, event_id: eventId, endpoint_id: endpointId, attempts, at });
  }

  #pump(): void {
    for (let next = this.queue.take(); next; next = this.queue.take()) {
      const { endpointId, host, item } = next;
      const running = this.#attempt(item, host)
        .catch((error: unknown) => {
          const fields = { err: error, event_id: item.eventId, endpoint_id: endpointId };
          this.#context.log.error(
            fields,
            'webhook delivery failed; it is tried again when its lease ends, or at once after an outage',
          );
          // The database was away. What is wrong with the webhook itself would be wrong again at once: that waits for its lease.
          if (isOutage(error) || error instanceof LaneFull) this.#giveBack(item);
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
  async #attempt(job: Job, host: string): Promise<boolean | null> {
    const attempted = await this.attempts.deliver(job, host);
    switch (attempted.kind) {
      case 'delivered':
        return true;
      case 'failed':
        if (attempted.off) await this.#switchOff(attempted.endpoint, attempted.off, attempted.at);
        return false;
      case 'moved':
        this.queue.setHost(job.endpointId, attempted.host);
        this.enqueue([job]);
        return null;
      case 'unsent':
        if (attempted.giveBack) this.#giveBack(job);
        return null;
    }
  }

  async #switchOff(endpoint: Endpoint, reason: 'gone' | 'failing', at: number): Promise<void> {
    const jobs = await switchOff(this.#context, endpoint, reason, at);
    if (!jobs) return;
    this.endpoints.clear();
    this.enqueue(jobs);
    await giveUpWaiting(this.#context, endpoint.id, reason);
  }

  /** What waits for the rate of its host goes on when that lets it. */
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
