// The base that every part of a process is made with: its connections, its clock, ids, keys, log and metrics. Nothing is opened here;
// the first statement opens the first connection.

import { randomBytes } from 'node:crypto';
import type { CallReport } from '../api/waist/ports.ts';
import type { CarrierReceipt } from '../channels/channel.ts';
import { reportProblems } from '../channels/sms/report.ts';
import type { Config } from '../config.ts';
import { type IdSource, idSource } from '../core/ids.ts';
import type { BudgetName } from '../core/limits/budget.ts';
import { stopRules } from '../core/limits/stop.ts';
import { countedAt } from '../core/reports/rollup.ts';
import type { ParsedKeyRing } from '../core/secrets/key-ring.ts';
import { believedTime } from '../core/verify/receipt.ts';
import type { Message, MessageStatus, Session } from '../core/verify/session.ts';
import type { Database } from '../db/client.ts';
import type { Schema } from '../db/schema.ts';
import { LiveRing } from '../engine/secrets/live-ring.ts';
import { switchOffReasons, type WebhookObserver } from '../engine/webhooks/context.ts';
import { BuiltPages } from '../pages/built-pages.ts';
import type { Logger } from '../telemetry/log.ts';
import { type Metrics, startAtZero } from '../telemetry/metrics.ts';
import { OperatorClocks } from '../telemetry/operator-clocks.ts';
import { type Cell, openCells } from './cells.ts';
import { LiveSettings } from './live-settings.ts';

export interface AppOptions {
  config: Config;
  databaseUrl: string;
  logger: Logger;
  metrics: Metrics;
  /** Reads the key ring again, where it is kept. Default: the ring of the configuration is the only one. */
  readKeyRing?(): ParsedKeyRing;
  /** Aborted when the process is to end: a start does not wait for others any longer. Default: never. */
  ending?: AbortSignal;
  /** The pages of web/ as built. Default: those of this folder. */
  pages?: Pick<BuiltPages, 'answer'>;
}

export interface Base {
  live: LiveSettings;
  /** The databases that sessions are in; home is the first. */
  cells: readonly Cell[];
  /** Home's connections. */
  database: Database<Schema>;
  watch: Database<Schema>;
  ring: LiveRing;
  ids: IdSource;
  /** ms since 1970. */
  now(): number;
  /** Aborted when the process is to end. */
  ending: AbortSignal;
  logger: Logger;
  metrics: Metrics;
  observe: ReturnType<typeof observers>;
  pages: Pick<BuiltPages, 'answer'>;
  /** Everything this process holds of accounts, keys and endpoints. */
  caches: Caches;
  /** Logs a failure that no caller hears of. `message`: the thing that failed, and what follows. */
  onError(error: unknown, about: object, message: string): void;
}

export function createBase(options: AppOptions): Base {
  const { config, databaseUrl, logger, metrics, pages = new BuiltPages() } = options;
  const now = Date.now;
  const cells = openCells(config, databaseUrl, logger);
  const [{ database, watch }] = cells;
  return {
    live: new LiveSettings(config),
    cells,
    database,
    watch,
    ring: new LiveRing(config.server.keyRing),
    ids: idSource({ now, randomBytes }),
    now,
    ending: options.ending ?? new AbortController().signal,
    logger,
    metrics,
    observe: observers(metrics, logger, now),
    pages,
    caches: new Caches(),
    onError: (error, about, message) => logger.error({ err: error, ...about }, message),
  };
}

interface Cache {
  /** Forgets what is held of the account; without one, everything. */
  clear(accountId?: string): void;
}

/**
 * The caches of a process, cleared together: a change that raised the change counter may concern any of them. A change made here names its
 * account, so that one caller's changes do not send the calls of all others to the database.
 */
export class Caches implements Cache {
  readonly #caches: Cache[] = [];

  add(...caches: readonly Cache[]): void {
    this.#caches.push(...caches);
  }

  clear(accountId?: string): void {
    for (const cache of this.#caches) cache.clear(accountId);
  }
}

/** What becomes of an SMS. A later one corrects an earlier: `unknown` by a receipt, `undelivered` by `delivered`. */
const smsOutcomes: ReadonlySet<MessageStatus> = new Set(['delivered', 'undelivered', 'expired', 'rejected', 'unknown']);

/** What the SMS of these operators can come to, and what can be wrong with their reports, before anything has. */
export function showOperators(
  metrics: Pick<Metrics, 'smsOutcome' | 'receiptProblems'>,
  operators: readonly { id: string }[],
): void {
  for (const { id: operator } of operators) {
    startAtZero(
      metrics.smsOutcome,
      [...smsOutcomes].map((status) => ({ operator, status })),
    );
    startAtZero(
      metrics.receiptProblems,
      reportProblems.map((problem) => ({ operator, problem })),
    );
  }
}

export function observers(metrics: Metrics, logger: Logger, now: () => number) {
  const clocks = new OperatorClocks();
  startAtZero(
    metrics.webhookEndpointsOff,
    switchOffReasons.map((reason) => ({ reason })),
  );
  startAtZero(
    metrics.guardStops,
    stopRules.flatMap((rule) => ['monitor', 'enforce'].map((mode) => ({ rule, mode }))),
  );
  const webhooks: WebhookObserver = {
    delivery: (outcome, _reason, seconds) => {
      metrics.webhookAttempts.inc({ outcome });
      if (seconds !== null) metrics.webhookSeconds.observe(seconds);
    },
    switchedOff: (reason) => metrics.webhookEndpointsOff.inc({ reason }),
  };
  return {
    webhooks,
    call: ({ method, door, code, seconds }: CallReport) => {
      metrics.calls.inc({ method, door, code });
      metrics.callSeconds.observe({ method, door }, seconds);
    },
    refusals: {
      observe: ({ door, reason }: { door: string; reason: string }) => metrics.refusals.inc({ door, reason }),
      unlogged: ({ door, reason }: { door: string; reason: string }) => metrics.unlogged.inc({ door, reason }),
    },
    peer: (verb: string, result: string, seconds: number) => {
      metrics.peerQuestions.inc({ verb, result });
      metrics.peerSeconds.observe({ verb }, seconds);
    },
    lane: (lane: string, batch: { size: number; waitMs: number; runMs: number }) => {
      metrics.laneBatch.observe({ lane }, batch.size);
      metrics.laneWait.observe({ lane }, batch.waitMs / 1000);
      metrics.laneRun.observe({ lane }, batch.runMs / 1000);
    },
    budget: {
      exhausted: (budget: BudgetName, mode: string) => metrics.budgetExhausted.inc({ budget, mode }),
      warned: (budget: BudgetName, percent: number) => metrics.budgetWarnings.inc({ budget, percent }),
    },
    sessionOver: (session: Session) => {
      const { operator, channel } = countedAt(session) ?? { operator: null, channel: session.channel };
      metrics.sessions.inc({ mode: session.mode, operator: operator ?? '', channel, outcome: session.status });
    },
    messageMoved: ({ mode }: Session, { channel, operator, status, submittedAt }: Message) => {
      if (mode !== 'live' || channel !== 'sms' || operator === null || !smsOutcomes.has(status)) return;
      metrics.smsOutcome.inc({ operator, status });
      if (status === 'delivered' && submittedAt !== null)
        metrics.smsDeliverySeconds.observe({ operator }, Math.max(0, now() - submittedAt) / 1000);
    },
    reread: () => metrics.messagesReread.inc(),
    stopped: (rule: string, mode: string) => metrics.guardStops.inc({ rule, mode }),
    unreadable: (operator: string) => metrics.receipts.inc({ operator, status: '', result: 'unreadable' }),
    receipt: ({ operator, receipt }: CarrierReceipt, result: string) => {
      metrics.receipts.inc({ operator, status: receipt.status, result });
      const { operatorTimestamp, receivedAt } = receipt;
      if (operatorTimestamp === null) return;
      metrics.operatorClockSkew.set({ operator }, (operatorTimestamp - receivedAt) / 1000);
      // A clock that is hours off says nothing of how long the receipt took.
      if (believedTime(receipt) === operatorTimestamp) {
        metrics.receiptSeconds.observe({ operator }, Math.max(0, now() - operatorTimestamp) / 1000);
      }
      const minutes = clocks.see(operator, operatorTimestamp, receivedAt);
      if (minutes === null) return;
      const line = 'the dates of an operator are off by the same time again and again: check its time_zone';
      logger.warn({ operator, minutes }, line);
    },
  };
}
