// Time as the machine has given it: a tick counts for its 50 ms however long it took, so that a machine that stands still, or a database that
// is starved, makes nothing look late that would have been in time.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll } from 'vitest';
import type { Queryable } from '../../src/db/queryable.ts';

const tickMs = 50;

export interface MachineClock {
  /** Ms of the machine between two times on the wall (Unix ms), as a multiple of 50. */
  between(from: number, until: number): number;
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

/** Of a machine that must find time for this database, too: what servers promise on it is measured so. Ends with the test file. */
export function databaseClock({ lanes }: { lanes: Queryable }): MachineClock {
  const clock = machineClock(async () => {
    await lanes.query({ name: 'tick', text: 'select 1', values: [] });
  });
  afterAll(() => clock.stop());
  return clock;
}
