// Delivers webhooks: what this process committed at once, what is due by sweeping. The row in the database is the job; what
// is held here is only its leased copy, so whatever is dropped, refused or lost here is swept up when the lease ends.

import type { QueuedDelivery } from '../../db/hot/save.ts';
import { insertEvent } from '../../db/webhook-deliveries.ts';
import {
  claimDeliveries,
  overdueDeliveries,
  putOffDeliveries,
  type Returned,
  returnDeliveries,
} from '../../db/webhooks.ts';
import { Lane } from '../lane.ts';
import type { EventBody } from '../payload.ts';
import { Attempts, type Job } from './attempt.ts';
import { Endpoints } from './endpoints.ts';
import { queueDefaults, type Settings, type WebhooksOptions, withDefaults } from './options.ts';
import { Poster } from './poster.ts';
import { FairQueue } from './queue.ts';
import { type AccountEvent, accountEventBody } from './request.ts';

const claimLimit = 200;
const claimsPerSweep = 20;
const putOffLimit = 2_000;

export class Webhooks {
  readonly endpoints: Endpoints;
  readonly attempts: Attempts;
  readonly settings: Settings;
  readonly #poster: Poster;
  readonly #queue: FairQueue<Job>;
  readonly #returns: Lane<Returned, undefined>;
  readonly #running = new Set<Promise<void>>();
  #sweeping = false;
  #stopped = false;

  constructor({ queue, lane = {}, resolve, ...options }: WebhooksOptions) {
    this.settings = withDefaults(options);
    const { db, ring, allowPrivate, timeoutMs } = this.settings;
    this.#queue = new FairQueue({ ...queueDefaults, ...queue });
    this.endpoints = new Endpoints(db, ring);
    this.#poster = new Poster({ allowPrivate, timeoutMs, ...(resolve ? { resolve } : {}) });
    const giveBack = async (items: readonly Returned[]) => {
      await returnDeliveries(db, items);
      return items.map(() => undefined);
    };
    this.#returns = new Lane(giveBack, { ...lane, name: 'webhook_returns' });
    const enqueue = (jobs: readonly Job[]) => this.enqueue(jobs);
    this.attempts = new Attempts({ ...this.settings, endpoints: this.endpoints, poster: this.#poster, lane, enqueue });
  }

  /** Held here: waiting for a place, and on the wire. */
  get held(): { waiting: number; inFlight: number } {
    return { waiting: this.#queue.waiting, inFlight: this.#queue.inFlight };
  }

  /** Due in the database and not done, over all processes (counted up to 10 000), and since when: for a gauge. */
  overdue(): Promise<{ count: number; oldestDueAt: number | null }> {
    return overdueDeliveries(this.settings.db, this.settings.now());
  }

  /** Posts what was committed just now with a lease of `settings.leaseMs`. Returns at once. */
  post(
    deliveries: readonly QueuedDelivery[],
    bodies: readonly EventBody[],
    { accountId }: { accountId: string },
  ): void {
    const leaseUntil = this.settings.now() + this.settings.leaseMs;
    const byId = new Map(bodies.map((body) => [body.id, body.json]));
    this.enqueue(
      deliveries.flatMap(({ eventId, endpointId }) => {
        const body = byId.get(eventId);
        return body === undefined ? [] : [{ accountId, eventId, endpointId, body, attempts: 0, leaseUntil }];
      }),
    );
  }

  /** Stores an event that is about no session for every endpoint that wants it, and posts it. Resolves once it is stored. */
  async tell(event: Omit<AccountEvent, 'id' | 'at'>): Promise<void> {
    const { db, now, newEventId, leaseMs } = this.settings;
    const { accountId, mode, type } = event;
    const at = now();
    const id = newEventId(accountId);
    const body = accountEventBody({ ...event, id, at });
    const leaseUntil = at + leaseMs;
    const wanted = await insertEvent(db, { accountId, mode, id, type, body, now: at, leaseUntil });
    this.enqueue(wanted.map((endpointId) => ({ accountId, eventId: id, endpointId, body, attempts: 0, leaseUntil })));
  }

  /** Takes rows that are leased to this process. What does not fit is due again, for the sweep. */
  enqueue(jobs: readonly Job[]): void {
    for (const job of jobs) {
      if (!this.#stopped && this.#queue.offer(job.endpointId, job)) continue;
      this.settings.observe.delivery?.('left', 'full', null);
      this.#giveBack(job);
    }
    this.#pump();
  }

  /** A burst goes beyond what fits and is worked off in a second: its last ones must not wait for a lease of half a minute. */
  #giveBack({ accountId, eventId, endpointId, attempts }: Job): void {
    if (this.#stopped) return;
    const row = {
      account_id: accountId,
      event_id: eventId,
      endpoint_id: endpointId,
      attempts,
      at: this.settings.now(),
    };
    this.#returns.push(row).catch(() => {}); // The lease's end does the same, only later.
  }

  /** Takes up what is due and nobody has: retries, and what a dead or full process left. Returns how many rows. */
  async sweep(now: number): Promise<number> {
    if (this.#sweeping || this.#stopped) return 0;
    this.#sweeping = true;
    let total = 0;
    try {
      for (let claims = 0; claims < claimsPerSweep && !this.#stopped; claims += 1) {
        const limit = Math.min(claimLimit, this.#queue.room);
        if (limit <= 0) break;
        const leaseUntil = now + this.settings.leaseMs;
        // Endpoints that are full are passed over, so that one endpoint's backlog hides nobody else's rows.
        const rows = await claimDeliveries(this.settings.db, { now, leaseUntil, limit, except: this.#queue.full() });
        this.enqueue(rows.map((row) => ({ ...row, leaseUntil })));
        total += rows.length;
        if (rows.length < limit) break;
      }
      const endpoints = this.#queue.full();
      const putOff = { now, endpoints, leastMs: this.settings.leaseMs, limit: putOffLimit };
      if (endpoints.length > 0) await putOffDeliveries(this.settings.db, putOff);
    } finally {
      this.#sweeping = false;
    }
    return total;
  }

  /** Forgets endpoints: called when any may have changed, so that a change holds everywhere within a second. */
  clear(): void {
    this.endpoints.clear();
  }

  /** Resolves once nothing waits and nothing is under way here. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Starts nothing new, waits for what is under way, breaks off the rest after `graceMs`. What is left is swept up later. */
  async stop(graceMs: number): Promise<void> {
    this.#stopped = true;
    this.#queue.clear();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([this.idle(), late]);
    clearTimeout(timer);
    await this.#poster.close();
    await this.idle();
  }

  #pump(): void {
    for (let next = this.#queue.take(); next; next = this.#queue.take()) {
      const { endpointId, item } = next;
      const running = this.attempts
        .deliver(item)
        .catch((error: unknown) => {
          const fields = { err: error, event_id: item.eventId, endpoint_id: endpointId };
          this.settings.log.error(fields, 'webhook could not be handled');
          return null;
        })
        .then((delivered) => {
          this.#running.delete(running);
          this.#queue.done(endpointId, delivered);
          this.#pump();
        });
      this.#running.add(running);
    }
  }
}
