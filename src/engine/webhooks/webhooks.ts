// Delivers webhooks: what this process committed at once, what is due by sweeping. The row in the database is the job; what
// is held here is only its leased copy, so whatever is dropped, refused or lost here is swept up when the lease ends.

import type { EventBody } from '../../core/webhooks/event-body.ts';
import { LaneFull } from '../../db/batch.ts';
import { isOutage } from '../../db/outage.ts';
import type { QueuedDelivery } from '../../db/verify/save.ts';
import {
  claimDeliveries,
  heldDeliveries,
  overdueDeliveries,
  putOffDeliveries,
  type Returned,
  releaseDeliveries,
} from '../../db/webhooks/attempts.ts';
import { isDoneWithin } from '../../time/within.ts';
import { LostTrack, orLost } from '../fleet/unknown-commits.ts';
import { Attempts, type Job } from './attempt.ts';
import { type Endpoint, Endpoints } from './endpoints.ts';
import { Holds } from './holds.ts';
import { Hosts, hostOf, noLimits } from './hosts.ts';
import { queueDefaults, type Settings, type WebhooksOptions, withDefaults } from './options.ts';
import { Poster } from './poster.ts';
import { FairQueue, type Source } from './queue.ts';
import { Returns } from './returns.ts';

const claimLimit = 200;
const claimsPerSweep = 20;
const putOffLimit = 2_000;
/** One failure in a burst may be a connection that was cut: the rest must not wait for long. */
const putOffLeastMs = 5_000;
const releaseLimit = 5_000;
/** What was leased longer ago and is not known here was lost; what is younger may be on its way here from a commit. */
const unknownAfterMs = 2_000;

export class Webhooks {
  readonly endpoints: Endpoints;
  readonly attempts: Attempts;
  readonly settings: Settings;
  /** What each host gets; who posts past the queue asks here, and gives its place back by `leave`. */
  readonly hosts: Hosts;
  readonly #poster: Poster;
  readonly #queue: FairQueue<Job>;
  readonly #returns: Returns;
  readonly #holds: Holds;
  /** On the wire, or being marked. */
  readonly #running = new Map<Promise<void>, Job>();
  readonly #lostTrack: LostTrack;
  /** Endpoints whose host is being looked up. */
  readonly #locating = new Map<string, Promise<void>>();
  /** Until some host gets more. */
  #waking: NodeJS.Timeout | undefined;
  #sweeping = false;
  #stopped = false;

  constructor({ queue, lane = {}, resolve, hosts = noLimits, processes = () => 1, ...options }: WebhooksOptions) {
    this.settings = withDefaults(options);
    const { db, ring, allowPrivate, timeoutMs } = this.settings;
    this.#lostTrack = new LostTrack({ now: this.settings.now });
    this.hosts = new Hosts({ ...hosts, processes, now: this.settings.now });
    const isOlder = (one: Job, other: Job) => one.eventId < other.eventId; // ids sort by time
    this.#queue = new FairQueue({ ...queueDefaults, ...queue }, isOlder, this.hosts);
    this.endpoints = new Endpoints(db, ring);
    this.#poster = new Poster({ allowPrivate, timeoutMs, ...(resolve ? { resolve } : {}) });
    this.#returns = new Returns(db, lane);
    this.#holds = new Holds(db);
    this.attempts = new Attempts({
      ...this.settings,
      endpoints: this.endpoints,
      poster: this.#poster,
      lane,
      enqueue: (jobs) => this.enqueue(jobs),
      moved: (job, host) => {
        this.#queue.setHost(job.endpointId, host);
        this.enqueue([job]);
      },
      giveBack: (job) => this.#giveBack(job),
      stopping: () => this.#stopped,
    });
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
    const leasedAt = this.settings.now();
    const leaseUntil = leasedAt + this.settings.leaseMs;
    const byId = new Map(bodies.map((body) => [body.id, body.json]));
    this.enqueue(
      deliveries.flatMap(({ eventId, endpointId }) => {
        const body = byId.get(eventId);
        return body === undefined ? [] : [{ accountId, eventId, endpointId, body, attempts: 0, leasedAt, leaseUntil }];
      }),
    );
  }

  /** Gives back a place at a host that was taken past the queue: what waits for it goes on. */
  leave(host: string): void {
    this.hosts.done(host, true);
    this.#queue.wake();
    this.#pump();
  }

  /** Takes rows that are leased to this process. What does not fit is due again, for the sweep. */
  enqueue(jobs: readonly Job[], from: Source = 'commit'): void {
    for (const job of jobs) {
      const host = this.endpoints.hostOf(job.endpointId);
      if (!this.#stopped && this.#queue.offer(job.endpointId, job, from, host)) {
        if (host === null) this.#locate(job.endpointId);
        continue;
      }
      this.settings.observe.delivery?.('left', 'full', null);
      this.#giveBack(job);
    }
    this.#pump();
  }

  /** A statement that leased rows to this process broke off: they may be leased, and unknown here. */
  lost(): void {
    this.#lostTrack.lost();
  }

  /**
   * A burst goes beyond what fits and is worked off in a second: its last ones must not wait for a lease of half a minute. Due
   * since it was leased: its turn is before what came since.
   */
  #giveBack({ accountId, eventId, endpointId, attempts, leasedAt: at }: Job): void {
    this.#return({
      account_id: accountId,
      event_id: eventId,
      endpoint_id: endpointId,
      attempts,
      holder: this.settings.fleet.holder,
      at,
    });
  }

  #return(row: Returned): void {
    if (!this.#stopped) this.#returns.push(row); // Else the end of this process's lease does the same, a moment later.
  }

  /** Takes up what is due and nobody has: retries, and what a dead or full process left. Returns how many rows. */
  async sweep(now: number): Promise<number> {
    const { db, fleet, leaseMs } = this.settings;
    // Whoever is dead to the others takes nothing: it would be taken away at once.
    if (this.#sweeping || this.#stopped || !fleet.keptSince(now)) return 0;
    this.#sweeping = true;
    let total = 0;
    try {
      this.#returns.again();
      await this.#lostTrack.lookAgain(() => this.#giveBackUnknown(now));
      if (fleet.mayTakeOver) await releaseDeliveries(db, { now, leaseMs, limit: releaseLimit });
      await this.#holds.release(now);
      for (let claims = 0; claims < claimsPerSweep && !this.#stopped; claims += 1) {
        const limit = Math.min(claimLimit, this.#queue.room);
        if (limit <= 0) break;
        const claim = { holder: fleet.holder, now, leaseUntil: now + leaseMs, limit };
        // Endpoints that are full are passed over, so that one endpoint's backlog hides nobody else's rows.
        const except = this.#queue.full();
        const rows = await orLost(claimDeliveries(db, { ...claim, except }), () => this.lost());
        this.enqueue(
          rows.map((row) => ({ ...row, leasedAt: now, leaseUntil: claim.leaseUntil })),
          'table',
        );
        total += rows.length;
        if (rows.length < limit) break;
      }
      const endpoints = this.#queue.slow();
      const putOff = { now, endpoints, leastMs: putOffLeastMs, limit: putOffLimit };
      if (endpoints.length > 0) await putOffDeliveries(db, putOff);
    } finally {
      this.#sweeping = false;
    }
    return total;
  }

  /** Makes due what is leased to this process and not known here. */
  async #giveBackUnknown(now: number): Promise<void> {
    const { db, fleet, leaseMs } = this.settings;
    const leaseUntil = now + leaseMs - unknownAfterMs;
    const rows = await heldDeliveries(db, { holder: fleet.holder, now, leaseUntil, limit: releaseLimit });
    const key = (eventId: string, endpointId: string) => `${eventId} ${endpointId}`;
    const jobs = [...this.#queue.items(), ...this.#running.values()];
    const known = new Set(jobs.map(({ eventId, endpointId }) => key(eventId, endpointId)));
    for (const row of rows) {
      if (known.has(key(row.event_id, row.endpoint_id))) continue;
      this.#return({ ...row, holder: fleet.holder, at: now });
    }
  }

  /** Forgets endpoints: called when any, or an account, may have changed, so that a change holds everywhere within a second. */
  clear(): void {
    this.#holds.changed();
    this.endpoints.clear();
    for (const endpointId of this.#queue.endpoints()) this.#locate(endpointId);
  }

  /** Resolves once nothing is under way here, and nothing waits but for what its host may get. */
  async idle(): Promise<void> {
    const underWay = () => [...this.#running.keys(), ...this.#locating.values(), ...this.#returns.underWay()];
    for (let waited = underWay(); waited.length > 0; waited = underWay()) await Promise.all(waited);
  }

  /** Starts nothing new, waits for what is under way, breaks off the rest after `graceMs`. What is left is swept up later. */
  async stop(graceMs: number): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#waking);
    this.#queue.clear();
    await isDoneWithin(this.idle(), graceMs);
    await this.#poster.close();
    await this.idle();
  }

  #pump(): void {
    for (let next = this.#queue.take(); next; next = this.#queue.take()) {
      const { endpointId, host, item } = next;
      const running = this.attempts
        .deliver(item, host)
        .catch((error: unknown) => {
          const fields = { err: error, event_id: item.eventId, endpoint_id: endpointId };
          this.settings.log.error(fields, 'webhook could not be handled');
          // The database was away. What is wrong with the webhook itself would be wrong again at once: that waits for its lease.
          if (isOutage(error) || error instanceof LaneFull) this.#giveBack(item);
          return null;
        })
        .then((delivered) => {
          this.#running.delete(running);
          this.#queue.done(endpointId, delivered, host);
          this.#pump();
        });
      this.#running.set(running, item);
    }
    this.#wakeLater();
  }

  /** What waits for the rate of its host goes on when that lets it. */
  #wakeLater(): void {
    const waitMs = this.#stopped ? null : this.#queue.waitMs();
    clearTimeout(this.#waking);
    if (waitMs === null) return;
    this.#waking = setTimeout(() => {
      this.#queue.wake();
      this.#pump();
    }, waitMs);
    this.#waking.unref();
  }

  /** Asks where an endpoint's posts go. Where that can't be known it is a host of its own: the delivery itself then says what is wrong. */
  #locate(endpointId: string): void {
    if (this.#locating.has(endpointId)) return;
    const located = (endpoint: Endpoint | null) => {
      this.#locating.delete(endpointId);
      this.#queue.setHost(endpointId, endpoint ? hostOf(endpoint.url) : endpointId);
      this.#pump();
    };
    this.#locating.set(
      endpointId,
      this.endpoints.get(endpointId).then(located, () => located(null)),
    );
  }
}
