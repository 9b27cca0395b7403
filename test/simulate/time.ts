// Virtual time: one queue of what is to happen, in which a day passes as fast as it can be computed. Each entry belongs to a process or to
// the world around them, and what it sets off belongs to the same one: so a process that is killed does nothing any more, not even
// what it had awaited, and one that is frozen does it when it wakes up. While a simulation runs, the timers and the clock of
// JavaScript are those of this queue (`install`), so that the engine runs as it is.
import { createRequire, syncBuiltinESMExports } from 'node:module';

/** In the order in which Node's event loop does what is due at one moment: a process that wakes up runs its timers before it reads. */
const phases = { timer: 0, arrival: 1, immediate: 2 } as const;
type Phase = keyof typeof phases;

/** A process on its own host. */
export interface Host {
  readonly name: string;
  state: 'running' | 'frozen' | 'dead';
  /** How far its clock is ahead, ms. */
  skewMs: number;
}

interface Entry {
  at: number;
  order: number;
  host: Host | null;
  phase: Phase;
  run: (() => void) | null;
}

const real = { setImmediate, setTimeout, clearTimeout, clearImmediate, now: Date.now };
const timers = createRequire(import.meta.url)('node:timers/promises') as { setTimeout: unknown };
const realPause = timers.setTimeout;

export class VirtualTime {
  /** True time, Unix ms. */
  now: number;
  /** Entries run so far. */
  steps = 0;
  #order = 0;
  #queue: Entry[] = [];
  readonly #held: Entry[] = [];
  #current: Host | null = null;

  constructor(startsAt: number) {
    this.now = startsAt;
  }

  /** Whose work is being done; null = the world's. */
  get current(): Host | null {
    return this.#current;
  }

  /** The clock as `host` reads it. */
  clockOf(host: Host | null): number {
    return Math.floor(this.now + (host?.skewMs ?? 0));
  }

  /** Runs `work` of `host` after `ms`. */
  after(ms: number, host: Host | null, run: () => void, phase: Phase = 'arrival'): Entry {
    this.#order += 1;
    const entry: Entry = { at: this.now + Math.max(0, ms), order: this.#order, host, phase, run };
    this.#push(entry);
    return entry;
  }

  /** Runs `work` as the work of `host`, now. Only for the beginning of something: what is awaited in it must come by `after`. */
  as<Result>(host: Host | null, work: () => Result): Result {
    const before = this.#current;
    this.#current = host;
    try {
      return work();
    } finally {
      this.#current = before;
    }
  }

  /** What a frozen process missed happens now, timers first. */
  wake(host: Host): void {
    host.state = 'running';
    const missed = this.#held.filter((entry) => entry.host === host);
    missed.sort((a, b) => phases[a.phase] - phases[b.phase] || a.at - b.at || a.order - b.order);
    for (const entry of missed) {
      this.#held.splice(this.#held.indexOf(entry), 1);
      if (entry.run) this.after(0, host, entry.run, entry.phase);
    }
  }

  /** Runs until `isOver`, or until nothing is left to do. */
  run(isOver: () => boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let isDone = false;
    // Between two immediates Node runs all that promises have to do: each entry, with everything that follows from it, is one step. A
    // few are scheduled together, because a turn of the real event loop costs more than a step.
    const batch = () => {
      for (let n = 0; n < 32; n += 1) real.setImmediate(step);
      real.setImmediate(() => {
        if (!isDone) batch();
      });
    };
    const step = () => {
      if (isDone) return;
      this.#current = null;
      try {
        isDone = isOver() || !this.#next();
      } catch (error) {
        isDone = true;
        reject(error);
      }
      if (isDone) resolve();
    };
    batch();
    return promise;
  }

  /** From now on timers and `Date.now` are of this time; until the function that is returned is called. */
  install(): () => void {
    const schedule =
      (phase: Phase) =>
      (run: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) =>
        handleOf(this.after(phase === 'timer' ? Math.max(1, ms ?? 1) : 0, this.#current, () => run(...args), phase));
    const clear = (handle?: { entry?: Entry }) => {
      if (handle?.entry) handle.entry.run = null;
    };
    const pause = (ms: number, value: unknown, { signal }: { signal?: AbortSignal } = {}) =>
      this.#pause(ms, value, signal);
    const mine = {
      setTimeout: schedule('timer'),
      setImmediate: (run: (...args: unknown[]) => void, ...args: unknown[]) => schedule('immediate')(run, 0, ...args),
      clearTimeout: clear,
      clearImmediate: clear,
    };
    Object.assign(globalThis, mine);
    Date.now = () => this.clockOf(this.#current);
    timers.setTimeout = pause;
    syncBuiltinESMExports();
    return () => {
      const { now, ...theirs } = real;
      Object.assign(globalThis, theirs);
      Date.now = now;
      timers.setTimeout = realPause;
      syncBuiltinESMExports();
    };
  }

  /** The signal is asked when the time is over: nothing in a simulation waits for the end of a loop. */
  #pause(ms: number, value: unknown, signal?: AbortSignal): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const over = () => (signal?.aborted ? reject(new Error('The operation was aborted')) : resolve(value));
    this.after(Math.max(1, ms), this.#current, over, 'timer');
    return promise;
  }

  /** False where nothing is left. */
  #next(): boolean {
    for (;;) {
      const entry = this.#pop();
      if (!entry) return false;
      if (!entry.run || entry.host?.state === 'dead') continue;
      if (entry.at > this.now) this.now = entry.at;
      if (entry.host?.state === 'frozen') {
        this.#held.push(entry);
        continue;
      }
      this.steps += 1;
      this.#current = entry.host;
      entry.run();
      return true;
    }
  }

  #push(entry: Entry): void {
    const queue = this.#queue;
    let at = queue.push(entry) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isBefore(entry, queue[above] as Entry)) break;
      queue[at] = queue[above] as Entry;
      at = above;
    }
    queue[at] = entry;
  }

  #pop(): Entry | undefined {
    const queue = this.#queue;
    const top = queue[0];
    const last = queue.pop();
    if (!last || queue.length === 0) return top;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= queue.length) break;
      if (below + 1 < queue.length && isBefore(queue[below + 1] as Entry, queue[below] as Entry)) below += 1;
      if (!isBefore(queue[below] as Entry, last)) break;
      queue[at] = queue[below] as Entry;
      at = below;
    }
    queue[at] = last;
    return top;
  }
}

const isBefore = (a: Entry, b: Entry): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** What `setTimeout` returns, as far as the engine uses it. */
const handleOf = (entry: Entry) => {
  const handle = { entry, ref: () => handle, unref: () => handle, hasRef: () => true };
  return handle;
};
