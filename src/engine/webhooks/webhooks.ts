// The webhooks room: endpoints and deliveries for the API, and delivery itself. Events that this process committed are posted at once, from
// memory; what is to be tried later, and what no process has in memory, is swept up from the table of retries.

import { homeCell, ofCell } from '../../core/fleet/cells.ts';
import { Wakeup } from '../../time/on-demand.ts';
import type { StoredWebhooks } from '../context.ts';
import type { SealedRows } from '../secrets/resealing.ts';
import { type WebhooksContext, type WebhooksOptions, withDefaults } from './context.ts';
import { Deliveries } from './deliveries.ts';
import { DeliveryWorker } from './delivery-worker.ts';
import { DueTimes } from './due-times.ts';
import { Endpoints, sealedEndpoints } from './endpoints.ts';
import { Records } from './records.ts';
import { Sweeper } from './sweep.ts';

export type { DeliveryView } from './deliveries.ts';
export type { EndpointView, HostFull } from './endpoints.ts';

/** The sweep of one cell, as a loop runs it. */
export interface CellSweep {
  /** Of the cell. */
  name: string;
  /** Set when `run` has to be called sooner than it said. */
  due: Wakeup;
  /** Does what is due. Resolves with how long until something is again, ms. */
  run(now: number): Promise<number>;
}

export class Webhooks {
  readonly endpoints: Endpoints;
  readonly deliveries: Deliveries;
  /** Home's first. Each runs for itself: a database that hangs keeps no other waiting. */
  readonly cells: readonly CellSweep[];
  readonly #context: WebhooksContext;
  readonly #worker: DeliveryWorker;
  /** The parts of each cell, by its name; home's are the first. */
  readonly #parts: ReadonlyMap<string, { records: Records; sweeper: Sweeper; due: Wakeup }>;

  constructor(options: WebhooksOptions) {
    const context = withDefaults(options);
    const end = new AbortController();
    const made = context.cells.each.map((cell) => {
      const due = new Wakeup();
      return { cell, due, records: new Records(context, cell, new DueTimes(due), end.signal) };
    });
    this.#context = context;
    this.#worker = new DeliveryWorker(
      context,
      made.map(({ records }) => records),
      end,
    );
    this.#parts = new Map(
      made.map(({ cell, due, records }) => {
        const sweeper = new Sweeper(context, { worker: this.#worker, records }, end.signal);
        const look = () => {
          sweeper.lookSoon();
          due.set();
        };
        // What broke off in an outage may have been committed at its end, or was not looked for while the lease did not run.
        const lookForOwn = () => {
          records.commitUnknown();
          look();
        };
        cell.fleet.events.on('gone', look).on('back', lookForOwn);
        end.signal.addEventListener('abort', () => cell.fleet.events.off('gone', look).off('back', lookForOwn));
        return [cell.name, { records, sweeper, due }];
      }),
    );
    this.cells = [...this.#parts].map(([name, { sweeper, due }]) => ({ name, due, run: (now) => sweeper.run(now) }));
    this.endpoints = new Endpoints(context);
    this.deliveries = new Deliveries(context, this.#worker, (cell) => ofCell(this.#parts, cell).records);
  }

  /** Stores the mark by which another process finds what this one leaves: before this process commits anything. In these cells, or in all. */
  async begin(cells: readonly string[] = [...this.#parts.keys()]): Promise<void> {
    await Promise.all(cells.map((cell) => this.#parts.get(cell)?.sweeper.begin()));
  }

  /** Held here: waiting for a place, and on the wire. */
  get held(): { waiting: number; inFlight: number } {
    const { waiting, inFlight } = this.#worker.queue;
    return { waiting, inFlight };
  }

  /** Retries that are due and not under way, over all processes (counted up to 10 000), as this process last saw them: for a gauge. */
  get overdue(): number {
    return [...this.#parts.values()].reduce((sum, { sweeper }) => sum + sweeper.overdue, 0);
  }

  /** Posts what was committed just now for a session, by whose id its cell is known. Returns at once. */
  post(
    { deliveries, bodies, storedAt }: StoredWebhooks,
    { accountId, id: sessionId }: { accountId: string; id?: string },
  ): void {
    const { map } = this.#context.cells;
    const { records } = ofCell(this.#parts, sessionId === undefined ? homeCell : map.ofId(sessionId));
    const byId = new Map(bodies.map((body) => [body.id, body.json]));
    records.hasStored = true;
    const lease = { leasedAt: storedAt, leaseUntil: storedAt + this.#context.leaseMs };
    this.#worker.enqueue(
      deliveries.flatMap(({ eventId, endpointId }) => {
        const body = byId.get(eventId);
        return body === undefined
          ? []
          : [{ records, accountId, eventId, endpointId, body, attempts: 0, isRetry: false, ...lease }];
      }),
    );
  }

  /** The same, of a statement whose cell is not known (records.ts). */
  commitUnknown(): void {
    for (const { records } of this.#parts.values()) records.commitUnknown();
  }

  /** The number of these sessions was erased: what waits here of them is read again before it is posted. */
  erased(sessionIds: readonly string[]): void {
    this.#worker.attempts.erased.add(sessionIds);
  }

  /** Does in every cell what is due. Resolves with how long until something is again, ms. */
  async run(now: number): Promise<number> {
    return Math.min(...(await Promise.all(this.cells.map((cell) => cell.run(now)))));
  }

  /** Looks in every cell for what is due and no process has, and takes it up. Returns how many rows. */
  async sweep(now: number): Promise<number> {
    const taken = await Promise.all([...this.#parts.values()].map(({ sweeper }) => sweeper.sweep(now)));
    return taken.reduce((sum, count) => sum + count, 0);
  }

  /** What is sealed of endpoints, for sealing it again. */
  get sealed(): SealedRows {
    return sealedEndpoints(this.#context.ring);
  }

  /** Forgets endpoints of the account, or all: called when any, or an account, may have changed, so that a change holds everywhere within a second. */
  clear(accountId?: string): void {
    for (const { sweeper, due } of this.#parts.values()) {
      sweeper.lookSoon();
      due.set();
    }
    this.#worker.clear(accountId);
  }

  /** Resolves once nothing is under way here, and everything still waiting is held back by its host's limit. */
  idle(): Promise<void> {
    return this.#worker.idle();
  }

  /** Starts nothing new, waits for what is under way, breaks off the rest after `graceMs`. What is left is swept up later. */
  stop(graceMs: number): Promise<void> {
    return this.#worker.stop(graceMs);
  }
}
