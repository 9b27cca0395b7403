// The context of the webhooks room: connections, clock, keys, settings with their defaults, and the observer. Its parts take
// this one object, so that nothing is handed from one to the next.

import { type CellMap, homeCell, oneCell } from '../../core/fleet/cells.ts';
import type { IdSource } from '../../core/ids.ts';
import type { KeyRing } from '../../core/secrets/key-ring.ts';
import { maxFailingMs } from '../../core/webhooks/retry.ts';
import type { LaneOptions } from '../../db/batch.ts';
import { inside, type Queryable, type Reads } from '../../db/queryable.ts';
import type { Db } from '../../db/schema.ts';
import type { Fleet, Lease } from '../fleet/members.ts';
import { type HostLimits, noLimits } from './host-limiter.ts';
import type { QueueOptions } from './queue.ts';
import type { Resolve } from './target.ts';

/** What came of a delivery. */
export type DeliveryOutcome =
  | 'delivered'
  | 'retry'
  | 'exhausted'
  /** Its endpoint is switched off or deleted. */
  | 'switched_off'
  /** Its account is suspended. */
  | 'held'
  /**
   * Nothing was sent, and the row is due again, at once or when its lease ends. The reason is `full`: no room in the queue; `lease`: too little of it
   * was left, or this process's own has ended; `stopped`: this process ends; `secret`: it can't be signed; `erased`: the number in its body was erased
   * meanwhile; or `resumed`: its account was suspended here and is not any more, or another process has the row.
   */
  | 'left';

export interface WebhookObserver {
  /** `reason`: an HTTP status, a word of `NoAnswer`, why it was left, or empty. `seconds` is null where nothing was sent. */
  delivery(outcome: DeliveryOutcome, reason: string, seconds: number | null): void;
  /** An endpoint was switched off by its failures, or because it said that it is gone. */
  switchedOff?(reason: SwitchOffReason): void;
}

export const switchOffReasons = ['gone', 'failing'] as const;
export type SwitchOffReason = (typeof switchOffReasons)[number];

const unobserved: WebhookObserver = { delivery() {} };

/** The part of pino that is used. Ids only: no address, no body, no number is ever logged. */
export interface WebhookLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What this process holds in memory of accounts, keys and endpoints; other processes notice a change within a second. */
export interface Caches {
  /** Forgets what is held of the account; without one, everything. */
  clear(accountId?: string): void;
}

/** A database that deliveries lie in, and this process there. */
export interface WebhookCell {
  name: string;
  /** The lanes' pool: claims and marks. */
  lanes: Queryable;
  /** For what the API reads and changes, and for lists. */
  reads: Reads;
  lists: Reads;
  /** What is leased there is this process's no longer than it lives. */
  fleet: Lease & Pick<Fleet, 'events'>;
}

/** Read at each use, so that a reload holds at once. */
export interface WebhookSettings extends HostLimits {
  /** Endpoints of one account at one host, both modes together. */
  readonly endpointsPerHost: number;
}

export interface WebhooksOptions {
  /** For what the API reads and changes: not the lanes' pool, or what a customer reads would hold up what others send. */
  db: Db;
  /** For lists, which may be long. Default `db`. */
  lists?: Reads;
  /** The lanes' pool: claims, marks, endpoints to post to. */
  lanes: Queryable;
  /** Where there are several databases: the map of them, and each. The others here are home's then. */
  cells?: { map: CellMap; each: readonly WebhookCell[] };
  /** What is leased here is this process's no longer than it lives; `alive` counts all processes, this one included. */
  fleet: Lease & Pick<Fleet, 'events'> & { readonly alive: number };
  ids: IdSource;
  ring: KeyRing;
  now(): number;
  log: WebhookLog;
  /** Default: no limits. */
  settings?: WebhookSettings;
  observer?: WebhookObserver;
  /** Cleared after each change of an endpoint. Default: holds nothing. */
  caches?: Caches;
  /** Lets endpoints be private and unencrypted. Default false. */
  allowPrivate?: boolean;
  /** For one whole exchange. Default 15 000. */
  timeoutMs?: number;
  /** How long a retry belongs to the process that claimed it, and a first attempt may wait in memory. Default: `deliveryLeaseMs(timeoutMs)`. */
  leaseMs?: number;
  /** An endpoint that failed for this long without one success is switched off. Default 5 days. */
  maxFailingMs?: number;
  /** Endpoints of one account and mode. Default 50. */
  mostEndpoints?: number;
  /** Defaults: `queueDefaults`. */
  queue?: Partial<QueueOptions>;
  /** Random, 0 to 1. Default Math.random: it only spreads retries. */
  jitter?(): number;
  /** Default: `defaultResolve`. */
  resolve?: Resolve;
  lane?: Omit<LaneOptions, 'name'>;
}

/** The options with their defaults. */
export type WebhooksContext = Required<Omit<WebhooksOptions, 'resolve' | 'queue' | 'lanes'>> & {
  /** The lanes' pool of the database with accounts and endpoints. */
  readonly home: Queryable;
  readonly reads: Reads;
  readonly queue: QueueOptions;
  readonly resolve: Resolve | undefined;
};

const queueDefaults: QueueOptions = {
  maxInFlight: 256,
  maxInFlightPerEndpoint: 16,
  maxWaiting: 20_000,
  maxWaitingPerEndpoint: 1_000,
};

/** The lease outlives the timeout, or a slow answer would be posted twice; what is on top may be spent waiting for a place. */
export const deliveryLeaseMs = (timeoutMs: number): number => timeoutMs + 15_000;

/** Kept free at a lease's end, for storing the outcome. */
export const leaseMarginMs = 2_000;

export function withDefaults(options: WebhooksOptions): WebhooksContext {
  const { timeoutMs = 15_000, queue, resolve, lanes, fleet, ...given } = options;
  const reads = inside(options.db);
  const lists = options.lists ?? reads;
  return {
    allowPrivate: false,
    leaseMs: deliveryLeaseMs(timeoutMs),
    maxFailingMs,
    mostEndpoints: 50,
    jitter: Math.random,
    settings: { ...noLimits, endpointsPerHost: Number.POSITIVE_INFINITY },
    observer: unobserved,
    caches: { clear() {} },
    cells: { map: oneCell, each: [{ name: homeCell, lanes, reads, lists, fleet }] },
    lane: {},
    ...given,
    home: lanes,
    fleet,
    timeoutMs,
    reads,
    lists,
    queue: { ...queueDefaults, ...queue },
    resolve,
  };
}
