// What a process watches about each of its databases: whether commits wait for a standby, and how far the two clocks are apart. Both are measures,
// and a line in the log when they change for the worse.

import { mostApartMs } from '../db/clock.ts';
import { readServerState, type ServerState } from '../db/connections/server.ts';
import type { Queryable } from '../db/queryable.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { settleAll } from '../time/settle.ts';
import { StartRefused } from './lifecycle.ts';

/** A database that sessions are in. */
export interface WatchedCell {
  name: string;
  db: Queryable;
}

export interface DatabaseWatchOptions {
  /** Those that this process works on, home first: each has a standby and a clock of its own. */
  cells(): readonly WatchedCell[];
  now(): number;
  /** In a sandbox nothing of value can be lost. */
  sandbox: boolean;
  metrics: Pick<Metrics, 'synchronousCommit' | 'synchronousStandbys' | 'clockOffset'>;
  logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

export interface DatabaseWatch {
  /** @throws StartRefused where the clocks of this host and of home are too far apart to begin. */
  open(): Promise<void>;
  /** Every 15 s. @throws after all that can be reached were looked at, where one can't. */
  look(): Promise<void>;
}

/** Deadlines, which one process sets by its own clock and another keeps by its own, may be wrong by so much. */
const alarmMs = 1_000;
const advice = 'keep the clocks of all hosts by NTP';

export function createDatabaseWatch({ cells, now, sandbox, metrics, logger }: DatabaseWatchOptions): DatabaseWatch {
  /** Alarms that were given and not yet called off. */
  const given = new Set<string>();

  /** Alarms about one cell. The cell is named in their log lines where there are several. */
  function alarmsOf(cell: string) {
    const about = cells().length > 1 ? { cell } : {};
    return (name: string, isOn: boolean, say: (about: { cell?: string }) => void): void => {
      const key = `${name} ${cell}`;
      if (isOn && !given.has(key)) say(about);
      if (!isOn && given.has(key)) logger.info({ alarm: name, ...about }, 'an alarm about the database is over');
      if (isOn) given.add(key);
      else given.delete(key);
    };
  }

  /** Returns how far the clocks are apart, ms. */
  function judge(cell: string, state: ServerState): number {
    const alarm = alarmsOf(cell);
    if (!sandbox) watchCommits(state, alarm);
    const apartMs = Math.max(0, Math.abs(state.clockOffsetMs) - state.roundTripMs / 2);
    alarm('clock', apartMs > alarmMs, (about) => {
      const fields = { clock_offset_seconds: state.clockOffsetMs / 1_000, ...about };
      logger.error(fields, `the database has another time: ${advice}`);
    });
    return apartMs;
  }

  function watchCommits({ waitsForStandby, losesOnCrash, standbys }: ServerState, alarm: ReturnType<typeof alarmsOf>) {
    alarm('commit', losesOnCrash, (about) =>
      logger.error(about, 'synchronous_commit is off: a crash of the database loses what was answered; set it to on'),
    );
    const what = 'no commit waits for a standby: a failover may lose what was answered; set synchronous_standby_names';
    alarm('standby', !waitsForStandby && !losesOnCrash, (about) =>
      logger.warn({ synchronous_standbys: standbys, ...about }, what),
    );
  }

  /** Of several cells the worst counts: what is lost in one is lost. */
  function measure(states: readonly ServerState[]): void {
    if (states.length === 0) return;
    metrics.synchronousCommit.set(states.every(({ waitsForStandby }) => waitsForStandby) ? 1 : 0);
    const known = states.flatMap(({ standbys }) => (standbys === null ? [] : [standbys]));
    // Unknown is not none: no alert on a number below one fires for it.
    metrics.synchronousStandbys.set(known.length === 0 ? Number.NaN : Math.min(...known));
    const offsets = states.map(({ clockOffsetMs }) => clockOffsetMs);
    metrics.clockOffset.set(offsets.reduce((one, other) => (Math.abs(other) > Math.abs(one) ? other : one)) / 1_000);
  }

  return {
    async open() {
      const [home] = cells();
      if (!home) return;
      const state = await readServerState(home.db, now);
      measure([state]);
      const apartMs = judge(home.name, state);
      // What a process writes would be past, or still to come, for all others. One that runs goes on: its clock may be right.
      if (apartMs <= mostApartMs) return;
      const seconds = (apartMs / 1_000).toFixed(1);
      throw new StartRefused(`the clocks of this host and of the database are ${seconds} s apart: ${advice}`);
    },
    async look() {
      const states: ServerState[] = [];
      const lookAt = async ({ name, db }: WatchedCell) => {
        const state = await readServerState(db, now);
        states.push(state);
        judge(name, state);
      };
      await settleAll(cells().map(lookAt)).finally(() => measure(states));
    },
  };
}
