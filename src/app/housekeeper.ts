// Housekeeping of a running process: partitions are made before its start and kept while it runs, with an alarm long before they run
// out, because nothing can be sent without one; and how long is kept what it deletes.

import { type Retention, type SaidRetention, saidRetentions, sayRetention } from '../db/fleet/maintenance.ts';
import { ensurePartitions, partitionHorizonMs } from '../db/partitions.ts';
import type { Queryable } from '../db/queryable.ts';
import type { UntypedDb } from '../db/schema.ts';
import { runMaintenance } from '../engine/fleet/maintenance.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { settleAll } from '../time/settle.ts';
import { dayMs } from '../time/wall-clock.ts';

export interface HousekeeperOptions {
  /** All that sessions are in, and that this process works on. */
  dbs(): readonly UntypedDb[];
  now(): number;
  /** Of this process's configuration. Asked at every turn: a reload may have changed it. */
  retention(): Pick<Retention, 'retentionDays'>;
  /** What is older than this is deleted. */
  longest(): Promise<Omit<Retention, 'closedAccountDays'>>;
  metrics: Pick<Metrics, 'partitionHorizon'>;
  logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

export interface Housekeeper {
  /** @throws only when rows can't be stored now: whatever else is wrong is logged, and tried again by `keep`. */
  open(): Promise<void>;
  /** Once an hour. Ends early, once it is to stop: the next turn goes on. @throws when something failed; everything was tried. */
  keep(stopping?: AbortSignal): Promise<void>;
  /**
   * Once a minute: how far the partitions reach, in the gauge and in `horizonSeconds`. Where it is under a day they are made at once, because a
   * clock that jumped ahead, as after a machine was suspended, has nowhere to store anything until then; an alarm where that fails.
   */
  look(): Promise<void>;
  /** The horizon at the last look. */
  horizonSeconds(): number;
}

export function createHousekeeper({ dbs, now, retention, longest, metrics, logger }: HousekeeperOptions): Housekeeper {
  let until = 0;
  let alarmed = false;

  /** The horizon, ms, in memory and in the gauge. */
  async function measure(): Promise<number> {
    const at = now();
    // The first to end counts: then what belongs there can't be sent.
    const horizonMs = Math.min(...(await settleAll(dbs().map((db) => partitionHorizonMs(db, at)))));
    until = at + horizonMs;
    metrics.partitionHorizon.set(Number.isFinite(horizonMs) ? horizonMs / 1000 : Number.POSITIVE_INFINITY);
    return horizonMs;
  }

  /** Makes in every database what is missing. Returns what went wrong. */
  const ensure = (): Promise<{ err?: unknown }> =>
    settleAll(dbs().map((db) => ensurePartitions(db, now(), retention().retentionDays))).then(
      () => ({}),
      (err: unknown) => ({ err }),
    );

  /** @param failure what went wrong when they were made. */
  function judge(horizonMs: number, failure: { err?: unknown } = {}): void {
    if (horizonMs >= dayMs) {
      if (alarmed) logger.info({ partition_horizon_seconds: horizonSeconds() }, 'partitions reach far enough again');
      alarmed = false;
    } else if (!alarmed) {
      alarmed = true;
      const what = 'partitions end soon, and then nothing can be sent: find in the log why housekeeping fails';
      logger.error({ ...failure, partition_horizon_seconds: horizonSeconds() }, what);
    }
  }

  /** A whole number for JSON, which has no infinity: partitions without an end reach for a century. */
  function horizonSeconds(): number {
    return Math.round(Math.min(Math.max(0, until - now()), 36_525 * dayMs) / 1000);
  }

  return {
    horizonSeconds,
    async look() {
      const horizonMs = await measure();
      if (horizonMs >= dayMs) return judge(horizonMs);
      const failure = await ensure();
      judge(await measure(), failure);
    },
    async open() {
      const failure = await ensure();
      judge(await measure(), failure);
      if (!('err' in failure)) return;
      if (until <= now()) throw failure.err;
      logger.warn(failure, 'partitions for later could not be made yet: it is tried again');
    },
    async keep(stopping) {
      // Without it nothing is deleted, and partitions are made all the same.
      const kept = await longest().catch(async (error) => {
        await ensure();
        throw error;
      });
      const keepOne = async (db: UntypedDb) => {
        const done = await runMaintenance(db, now(), kept, stopping);
        if (Object.values(done).some((names) => names.length > 0)) logger.info({ ...done }, 'partitions');
      };
      await settleAll(dbs().map(keepOne));
      if (!stopping?.aborted) judge(await measure());
    },
  };
}

export interface FleetRetentionOptions {
  /** Home. */
  db: Queryable;
  processId: string;
  /** This process's own, read at each use: a reload may have changed it. */
  own(): Retention;
  log: Pick<Logger, 'warn'>;
}

/**
 * How long data is kept by all processes of a deployment. Each of them deletes for all, so one with a shorter retention in its file, or with no
 * file, would delete what the others are still to keep. The longest counts, for an hour after its process has ended: a restart with a
 * wrong file deletes nothing until then.
 */
export class FleetRetention {
  readonly #options: FleetRetentionOptions;
  /** What was logged last, so that each difference is logged once. */
  #logged = '';

  constructor(options: FleetRetentionOptions) {
    this.#options = options;
  }

  /** Says this process's own to the others: once it has a lease, and whenever it has changed. */
  async say(): Promise<void> {
    const { db, processId, own } = this.#options;
    await sayRetention(db, processId, ownOf(own()));
  }

  /** The longest of each kind, of all processes that live or have ended within the last hour. */
  async longest(): Promise<Retention> {
    await this.say();
    const { db, own } = this.#options;
    const said = await saidRetentions(db);
    const longest = ownOf(own());
    for (const { retention } of said) {
      for (const kind of kinds) longest[kind] = Math.max(longest[kind], retention[kind] ?? 0);
    }
    this.#tell(longest, said);
    return longest;
  }

  #tell(longest: Retention, said: readonly SaidRetention[]): void {
    const own = this.#options.own();
    const longer = kinds.filter((kind) => longest[kind] > own[kind]);
    const days = Object.fromEntries(longer.map((kind) => [kind, { own: own[kind], longest: longest[kind] }]));
    const processes = said.filter(({ retention }) => longer.some((kind) => retention[kind] > own[kind]));
    const line = JSON.stringify(days);
    if (longer.length > 0 && line !== this.#logged) {
      const what =
        'another process keeps data for longer, or did so within the last hour: the longest retention counts';
      this.#options.log.warn({ days, processes: processes.map(({ processId }) => processId) }, what);
    }
    this.#logged = line;
  }
}

const kinds = [
  'retentionDays',
  'reportRetentionDays',
  'auditRetentionDays',
  'closedAccountDays',
] as const satisfies (keyof Retention)[];

/** Without the other settings that `own` may bring. */
const ownOf = (own: Retention): Retention =>
  Object.fromEntries(kinds.map((kind) => [kind, own[kind]])) as Record<(typeof kinds)[number], number>;
