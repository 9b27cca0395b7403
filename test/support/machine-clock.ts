// Time as the machine has given it: a tick counts for its 50 ms however long it took, so that a machine that stands still, or a database that
// is starved, makes nothing look late that would have been in time.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll } from 'vitest';
import type { Queryable } from '../../src/db/queryable.ts';

const tickMs = 50;

export interface MachineClock {
  /** Ms of the machine between two times on the wall (Unix ms), as a multiple of 50. */
  between(from: number, until: number): number;
  /** The longest standstill of the machine between two times on the wall, ms. */
  standstill(from: number, until: number): number;
  /** Resolves after so much of the machine's time. */
  pass(ms: number): Promise<void>;
  stop(): Promise<void>;
}

/** `work` is done in every tick: what the machine must find time for beside this process. */
export function machineClock(work: () => Promise<void>): MachineClock {
  const ticks: number[] = [];
  let isStopped = false;
  const tick = async () => {
    ticks.push(Date.now());
    await Promise.all([pause(tickMs), work()]);
  };
  const running = (async () => {
    while (!isStopped) await tick();
  })();
  return {
    between: (from, until) => ticks.filter((at) => at >= from && at < until).length * tickMs,
    standstill(from, until) {
      const since = ticks.findLastIndex((at) => at <= from);
      const seen = [...ticks.slice(Math.max(0, since)).filter((at) => at < until), until];
      return Math.max(0, ...seen.slice(1).map((at, index) => at - (seen[index] as number)));
    },
    async pass(ms) {
      const from = Date.now();
      while (ticks.filter((at) => at >= from).length * tickMs <= ms) await pause(tickMs);
    },
    async stop() {
      isStopped = true;
      await running;
    },
  };
}

/**
 * Of a machine that must find time for this database, too, and for these servers: what servers promise on it is measured so. Ends with the test
 * file.
 */
export function databaseClock(
  { lanes }: { lanes: Queryable },
  servers: () => readonly { http: string }[] = () => [],
): MachineClock {
  const clock = machineClock(async () => {
    await Promise.all([
      lanes.query({ name: 'tick', text: 'select 1', values: [] }),
      // One that has ended takes no time.
      ...servers().map(({ http }) => fetch(`${http}/healthz`).catch(() => {})),
    ]);
  });
  afterAll(() => clock.stop());
  return clock;
}

/**
 * How long the machine may stand still before a process takes its lease of 3 s for lost, ms: it renews that every 0.8 s, and closes its binds half
 * a second before the end. It opens them again, and both are as they should be.
 */
const leaseMs = 1_200;

/** Whether a process of the service may have lost its lease since then, Unix ms, by no fault of its own. */
export const mayHaveLostLease = (clock: MachineClock, since: number): boolean =>
  clock.standstill(since, Date.now()) > leaseMs;

/** For what a lost lease spoils: the body runs again where it failed and the machine had stood still meanwhile, or a moment before. */
export async function whileLeasesHold(clock: MachineClock, body: () => Promise<void>): Promise<void> {
  for (let left = 5; ; left -= 1) {
    const from = Date.now() - 3_000;
    try {
      return await body();
    } catch (error) {
      if (left === 0 || !mayHaveLostLease(clock, from)) throw error;
      console.warn(`once more, because the machine stood still: ${(error as Error).message}`);
    }
  }
}
