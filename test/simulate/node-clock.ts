// The timers and the clock of JavaScript, which are those of a virtual time while it runs, so that the engine runs as it is. To put them there
// and take them away costs as much as some dozen steps, so a run of many schedules does it once (`keepInstalled`).
import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { setTimeout as Pause } from 'node:timers/promises';

export const real = { setImmediate, setTimeout, clearTimeout, clearImmediate, now: Date.now };
const promised = createRequire(import.meta.url)('node:timers/promises') as { setTimeout: typeof Pause };
const realPause = promised.setTimeout;

type Work = (...args: unknown[]) => void;

/** What takes the place of Node's. */
export interface NodeClock {
  /** Unix ms. */
  read(): number;
  setTimer(work: () => void, ms: number): object;
  setImmediate(work: () => void): object;
  clear(handle: object): void;
}

/** Whose timers are set now; null: Node's. */
let current: NodeClock | null = null;
let holders = 0;

const bound = (work: Work, args: unknown[]): (() => void) => (args.length === 0 ? work : () => work(...args));

const installed = {
  setTimeout: (work: Work, ms?: number, ...args: unknown[]) =>
    current ? current.setTimer(bound(work, args), ms ?? 1) : real.setTimeout(work, ms, ...args),
  setImmediate: (work: Work, ...args: unknown[]) =>
    current ? current.setImmediate(bound(work, args)) : real.setImmediate(work, ...args),
  clearTimeout: (handle?: NodeJS.Timeout) => (current ? handle && current.clear(handle) : real.clearTimeout(handle)),
  clearImmediate: (handle?: NodeJS.Immediate) =>
    current ? handle && current.clear(handle) : real.clearImmediate(handle),
};

/** The signal is asked when the time is over: nothing in a simulation waits for the end of a loop. */
const pause: typeof Pause = (ms = 1, value, options = {}) => {
  if (!current) return realPause(ms, value, options);
  const { promise, resolve, reject } = Promise.withResolvers<NonNullable<typeof value>>();
  const over = () =>
    options.signal?.aborted
      ? reject(new Error('The operation was aborted'))
      : resolve(value as NonNullable<typeof value>);
  current.setTimer(over, ms);
  return promise;
};

/** Until the function that is returned is called, `useClock` costs nothing. */
export function keepInstalled(): () => void {
  holders += 1;
  if (holders === 1) {
    Object.assign(globalThis, installed);
    Date.now = () => (current ? current.read() : real.now());
    promised.setTimeout = pause;
    syncBuiltinESMExports();
  }
  return () => {
    holders -= 1;
    if (holders > 0) return;
    const { now, ...theirs } = real;
    Object.assign(globalThis, theirs);
    Date.now = now;
    promised.setTimeout = realPause;
    syncBuiltinESMExports();
  };
}

/** From now on timers and `Date.now` are of this clock; until the function that is returned is called. */
export function useClock(clock: NodeClock): () => void {
  const release = keepInstalled();
  const before = current;
  current = clock;
  return () => {
    current = before;
    release();
  };
}
