// What a process watches about its database: whether commits wait for a standby, and how far the two clocks are apart. Both are measures,
// and a line in the log when they change for the worse.

import { readServerState, type ServerState } from '../db/connections/server.ts';
import type { Queryable } from '../db/queryable.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { StartRefused } from './lifecycle.ts';

export interface DatabaseWatchOptions {
  db: Queryable;
  now(): number;
  /** In a sandbox nothing of value can be lost. */
  sandbox: boolean;
  metrics: Pick<Metrics, 'synchronousCommit' | 'synchronousStandbys' | 'clockOffset'>;
  logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

export interface DatabaseWatch {
  /** @throws StartRefused where the clocks are too far apart to begin. */
  open(): Promise<void>;
  /** Every 15 s. */
  look(): Promise<void>;
}

/** Deadlines, which one process sets by its own clock and another keeps by its own, may be wrong by so much. */
const alarmMs = 1_000;
/** As long as a lease: what a process writes would be past, or still to come, for all others. One that runs goes on: its clock may be right. */
const refusedMs = 3_000;

const advice = 'keep the clocks of all hosts by NTP';

export function createDatabaseWatch({ db, now, sandbox, metrics, logger }: DatabaseWatchOptions): DatabaseWatch {
  /** Alarms that were given and not yet called off. */
  const given = new Set<string>();

  function alarm(name: string, isOn: boolean, say: () => void): void {
    if (isOn && !given.has(name)) say();
    if (!isOn && given.has(name)) logger.info({ alarm: name }, 'an alarm about the database is over');
    if (isOn) given.add(name);
    else given.delete(name);
  }

  async function look(): Promise<number> {
    const state = await readServerState(db, now);
    metrics.synchronousCommit.set(state.waitsForStandby ? 1 : 0);
    // Unknown is not none: no alert on a number below one fires for it.
    metrics.synchronousStandbys.set(state.standbys ?? Number.NaN);
    metrics.clockOffset.set(state.clockOffsetMs / 1_000);
    if (!sandbox) watchCommits(state);
    const apartMs = Math.max(0, Math.abs(state.clockOffsetMs) - state.roundTripMs / 2);
    alarm('clock', apartMs > alarmMs, () =>
      logger.error({ clock_offset_seconds: state.clockOffsetMs / 1_000 }, `the database has another time: ${advice}`),
    );
    return apartMs;
  }

  function watchCommits({ waitsForStandby, losesOnCrash, standbys }: ServerState): void {
    alarm('commit', losesOnCrash, () =>
      logger.error({}, 'synchronous_commit is off: a crash of the database loses what was answered; set it to on'),
    );
    const what = 'no commit waits for a standby: a failover may lose what was answered; set synchronous_standby_names';
    alarm('standby', !waitsForStandby && !losesOnCrash, () => logger.warn({ synchronous_standbys: standbys }, what));
  }

  return {
    async open() {
      const apartMs = await look();
      if (apartMs <= refusedMs) return;
      const seconds = (apartMs / 1_000).toFixed(1);
      throw new StartRefused(`the clocks of this host and of the database are ${seconds} s apart: ${advice}`);
    },
    async look() {
      await look();
    },
  };
}
