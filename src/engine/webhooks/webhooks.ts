// The webhooks room: endpoints and deliveries for the API, and delivery itself. Events that this process committed are posted at once, those
// that are due and that no process has are found by sweeping.

import { overdueDeliveries } from '../../db/webhooks/attempts.ts';
import type { StoredWebhooks } from '../context.ts';
import { Returns } from './attempts.ts';
import { type WebhooksContext, type WebhooksOptions, withDefaults } from './context.ts';
import { Deliveries } from './deliveries.ts';
import { Delivery } from './delivery.ts';
import { Endpoints } from './endpoints.ts';
import { Sweeper } from './sweep.ts';

export type { DeliveryView } from './deliveries.ts';
export type { EndpointView, HostFull } from './endpoints.ts';

export class Webhooks {
  readonly endpoints: Endpoints;
  readonly deliveries: Deliveries;
  readonly #context: WebhooksContext;
  readonly #delivery: Delivery;
  readonly #sweeper: Sweeper;

  constructor(options: WebhooksOptions) {
    const context = withDefaults(options);
    const end = new AbortController();
    const returns = new Returns(context, end.signal);
    this.#context = context;
    this.#delivery = new Delivery(context, returns, end);
    this.#sweeper = new Sweeper(context, this.#delivery, returns, end.signal);
    this.endpoints = new Endpoints(context);
    this.deliveries = new Deliveries(context, this.#delivery);
  }

  /** For how long a row is leased that is committed to be posted here. */
  get leaseMs(): number {
    return this.#context.leaseMs;
  }

  /** Held here: waiting for a place, and on the wire. */
  get held(): { waiting: number; inFlight: number } {
    const { waiting, inFlight } = this.#delivery.queue;
    return { waiting, inFlight };
  }

  /** Due in the database and not done, over all processes (counted up to 10 000), and since when: for a gauge. */
  overdue(): Promise<{ count: number; oldestDueAt: number | null }> {
    return overdueDeliveries(this.#context.lanes, this.#context.now());
  }

  /** Posts what was committed just now, within the lease that its rows were stored with. Returns at once. */
  post({ deliveries, bodies, lease }: StoredWebhooks, { accountId }: { accountId: string }): void {
    const byId = new Map(bodies.map((body) => [body.id, body.json]));
    this.#delivery.enqueue(
      deliveries.flatMap(({ eventId, endpointId }) => {
        const body = byId.get(eventId);
        return body === undefined ? [] : [{ accountId, eventId, endpointId, body, attempts: 0, ...lease }];
      }),
    );
  }

  /** A statement that leased rows to this process broke off: they may be leased, and unknown here. */
  commitUnknown(): void {
    this.#sweeper.commitUnknown();
  }

  /** Takes up what is due and no process has. Returns how many rows. */
  sweep(now: number): Promise<number> {
    return this.#sweeper.sweep(now);
  }

  /** Forgets endpoints: called when any, or an account, may have changed, so that a change holds everywhere within a second. */
  clear(): void {
    this.#sweeper.changed();
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
}
