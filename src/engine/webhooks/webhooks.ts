// The webhooks room: endpoints and deliveries for the API, and delivery itself. Events that this process committed are posted at once, from
// memory; what is to be tried later, and what no process has in memory, is swept up from the table of retries.

import { Wakeup } from '../../time/on-demand.ts';
import type { StoredWebhooks } from '../context.ts';
import { UnknownCommits } from '../fleet/unknown-commits.ts';
import { Returns } from './attempts.ts';
import { type WebhooksContext, type WebhooksOptions, withDefaults } from './context.ts';
import { Deliveries } from './deliveries.ts';
import { Delivery } from './delivery.ts';
import { DueTimes } from './due-times.ts';
import { Endpoints } from './endpoints.ts';
import { Sweeper } from './sweep.ts';

export type { DeliveryView } from './deliveries.ts';
export type { EndpointView, HostFull } from './endpoints.ts';

/** Between two searches for what a broken statement may have stored: each looks through a minute of events. */
const searchEveryMs = 3_000;

export class Webhooks {
  readonly endpoints: Endpoints;
  readonly deliveries: Deliveries;
  /** Set when `run` has to be called sooner than it said. */
  readonly due = new Wakeup();
  readonly #context: WebhooksContext;
  readonly #delivery: Delivery;
  readonly #sweeper: Sweeper;
  readonly #unknownCommits: UnknownCommits;

  constructor(options: WebhooksOptions) {
    const context = withDefaults(options);
    const { now, fleet } = context;
    const end = new AbortController();
    const times = new DueTimes(this.due);
    const unknownCommits = new UnknownCommits({ now, everyMs: searchEveryMs });
    const returns = new Returns(context, { times, unknownCommits }, end.signal);
    this.#context = context;
    this.#unknownCommits = unknownCommits;
    this.#delivery = new Delivery(context, { returns, times }, end);
    this.#sweeper = new Sweeper(context, { delivery: this.#delivery, returns, times, unknownCommits }, end.signal);
    this.endpoints = new Endpoints(context);
    this.deliveries = new Deliveries(context, this.#delivery);
    const look = () => this.#lookSoon();
    fleet.events.on('gone', look).on('back', look);
    end.signal.addEventListener('abort', () => fleet.events.off('gone', look).off('back', look));
  }

  /** Stores the mark by which another process finds what this one leaves: before this process commits anything. */
  begin(): Promise<void> {
    return this.#sweeper.begin();
  }

  /** Held here: waiting for a place, and on the wire. */
  get held(): { waiting: number; inFlight: number } {
    const { waiting, inFlight } = this.#delivery.queue;
    return { waiting, inFlight };
  }

  /** Retries that are due and not under way, over all processes (counted up to 10 000), as this process last saw them: for a gauge. */
  get overdue(): number {
    return this.#sweeper.overdue;
  }

  /** Posts what was committed just now. Returns at once. */
  post({ deliveries, bodies, storedAt }: StoredWebhooks, { accountId }: { accountId: string }): void {
    const byId = new Map(bodies.map((body) => [body.id, body.json]));
    this.#sweeper.stored();
    const lease = { leasedAt: storedAt, leaseUntil: storedAt + this.#context.leaseMs };
    this.#delivery.enqueue(
      deliveries.flatMap(({ eventId, endpointId }) => {
        const body = byId.get(eventId);
        return body === undefined
          ? []
          : [{ accountId, eventId, endpointId, body, attempts: 0, isRetry: false, ...lease }];
      }),
    );
  }

  /** A statement that stored first attempts of this process, or leased retries, broke off: they may be stored, and unknown here. */
  commitUnknown(): void {
    this.#sweeper.stored();
    this.#unknownCommits.add();
    this.due.set();
  }

  /** Does what is due. Returns how long until something is again, ms. */
  run(now: number): Promise<number> {
    return this.#sweeper.run(now);
  }

  /** Looks for what is due and no process has, and takes it up. Returns how many rows. */
  sweep(now: number): Promise<number> {
    return this.#sweeper.sweep(now);
  }

  /** Forgets endpoints: called when any, or an account, may have changed, so that a change holds everywhere within a second. */
  clear(): void {
    this.#lookSoon();
    this.#delivery.clear();
  }

  /** Resolves once nothing is under way here, and everything still waiting is held back by its host's limit. */
  idle(): Promise<void> {
    return this.#delivery.idle();
  }

  /** Starts nothing new, waits for what is under way, breaks off the rest after `graceMs`. What is left is swept up later. */
  stop(graceMs: number): Promise<void> {
    return this.#delivery.stop(graceMs);
  }

  #lookSoon(): void {
    this.#sweeper.lookSoon();
    this.due.set();
  }
}
