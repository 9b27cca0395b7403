// What delivery is told and asked: settings with their defaults, and the hooks it reports through.

import type { KeyRing } from '../../core/secrets/key-ring.ts';
import { maxFailingMs } from '../../core/webhooks/retry.ts';
import type { LaneOptions } from '../../db/batch.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { Lease } from '../fleet/members.ts';
import type { HostLimits } from './hosts.ts';
import type { Resolve } from './lookup.ts';
import type { QueueOptions } from './queue.ts';

/**
 * What came of a delivery. `left`: it stays in the database as it was (reason `full`: no room in the queue; `lease`: too
 * little of it was left, or this process's own has ended; `stopped`). `switched_off`: its endpoint is switched off or deleted.
 * `held`: its account is suspended.
 */
export type DeliveryOutcome = 'delivered' | 'retry' | 'exhausted' | 'switched_off' | 'held' | 'left';

export interface WebhookObserver {
  /** `reason`: an HTTP status, a word of `NoAnswer`, why it was left, or empty. `seconds` is null where nothing was sent. */
  delivery?(outcome: DeliveryOutcome, reason: string, seconds: number | null): void;
  disabled?(reason: 'gone' | 'failing'): void;
}

/** What this process holds in memory of accounts, keys and endpoints; other processes notice a change within a second. */
export interface Caches {
  clear(): void;
}

/** The part of pino that is used. Ids only: no address, no body, no number is ever logged. */
export interface WebhookLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface WebhooksOptions {
  /** The lanes' pool. */
  db: Queryable;
  /** Rows leased here are this process's until then, and no longer than it lives. */
  fleet: Lease;
  ring: KeyRing;
  now(): number;
  newEventId(accountId: string): string;
  log: WebhookLog;
  observe?: WebhookObserver;
  /** Lets endpoints be private and unencrypted. Default false. */
  allowPrivate?: boolean;
  /** For one whole exchange. Default 15 000. */
  timeoutMs?: number;
  /** How long a row belongs to whoever claimed it. Default: `deliveryLeaseMs(timeoutMs)`. */
  leaseMs?: number;
  /** An endpoint that failed for this long without one success is switched off. Default 5 days. */
  maxFailingMs?: number;
  /** Defaults: `queueDefaults`. */
  queue?: Partial<QueueOptions>;
  /** What one host gets, over all accounts and processes. Default: no limits. */
  hosts?: HostLimits;
  /** Processes alive, this one included. Default 1. */
  processes?(): number;
  /** Random, 0 to 1. Default Math.random: it only spreads retries. */
  jitter?(): number;
  /** Default: `defaultResolve`. */
  resolve?: Resolve;
  lane?: Omit<LaneOptions, 'name'>;
}

export const queueDefaults: QueueOptions = {
  maxInFlight: 256,
  maxInFlightPerEndpoint: 16,
  maxWaiting: 20_000,
  maxWaitingPerEndpoint: 1_000,
};

/** The lease outlives the timeout, or a slow answer would be posted twice; what is on top may be spent waiting for a place. */
export const deliveryLeaseMs = (timeoutMs: number): number => timeoutMs + 15_000;

/** Kept free at a lease's end: for storing the outcome, and for the save that began before the lease was known here. */
export const leaseMarginMs = 2_000;

export type Settings = Omit<WebhooksOptions, 'queue' | 'lane' | 'resolve' | 'hosts' | 'processes'> &
  Required<Pick<WebhooksOptions, 'allowPrivate' | 'timeoutMs' | 'leaseMs' | 'maxFailingMs' | 'jitter' | 'observe'>>;

export function withDefaults(options: WebhooksOptions): Settings {
  const timeoutMs = options.timeoutMs ?? 15_000;
  const defaults = { allowPrivate: false, timeoutMs, leaseMs: deliveryLeaseMs(timeoutMs), maxFailingMs };
  return { ...defaults, jitter: Math.random, observe: {}, ...options };
}
