// Virtual time: one queue of what is to happen, in which a day passes as fast as it can be computed. Each entry belongs to a process or to
// the world around them, and what it sets off belongs to the same one: so a process that is killed does nothing any more, not even
// what it had awaited, and one that is frozen does it when it wakes up.
import { real, useClock } from './node-clock.ts';

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

/** What is to happen, and what stands for a timer: `ref` and `unref` are all that the engine asks of it. */
class Entry {
  readonly at: number;
  readonly order: number;
  readonly host: Host | null;
  readonly phase: Phase;
  /** Null once it is cleared. */
  run: (() => void) | null;

  constructor(at: number, order: number, host: Host | null, phase: Phase, run: () => void) {
    this.at = at;
    this.order = order;
    this.host = host;
    this.phase = phase;
    this.run = run;
  }

  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
}

/** Time as a process under Node meets it. */
export interface Inexact {
  /** How much sooner than asked for the next timer rings: less than 1, since the loop's own time is one of whole ms. */
  earlyMs(): number;
  /** What was computed since the clock was read last. */
  workMs(): number;
}

/** Runs what promises have to do, as Node does between two immediates. Not documented; without it a turn of the event loop is one step. */
const drain = (process as { _tickCallback?: () => void })._tickCallback;
const stepsPerTurn = drain ? 256 : 1;

export class VirtualTime {
  /** True time, Unix ms. */
  now: number;
  /** Entries run so far. */
  steps = 0;
  #order = 0;
  #queue: Entry[] = [];
  readonly #held: Entry[] = [];
  #current: Host | null = null;
  readonly #inexact: Inexact | null;

  /** @param inexact Default: timers ring to the moment, and computing takes no time. */
  constructor(startsAt: number, inexact: Inexact | null = null) {
    this.now = startsAt;
    this.#inexact = inexact;
  }

  /** Whose work is being done; null = the world's. */
  get current(): Host | null {
    return this.#current;
  }

  /** The clock as `host` reads it. */
  clockOf(host: Host | null): number {
    return Math.floor(this.now + (host?.skewMs ?? 0));
  }

  /** A process looks at its clock. */
  read(host: Host | null): number {
    this.now += this.#inexact?.workMs() ?? 0;
    return this.clockOf(host);
  }

  /** Runs `work` of `host` after `ms`. */
  after(ms: number, host: Host | null, run: () => void, phase: Phase = 'arrival'): Entry {
    this.#order += 1;
    const entry = new Entry(this.now + Math.max(0, ms), this.#order, host, phase, run);
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
    // Each entry, with everything that follows from it in promises, is one step. Many are taken in one turn of the real event loop, which
    // costs more than a step.
    const turn = () => {
      try {
        for (let n = 0; n < stepsPerTurn; n += 1) {
          this.#current = null;
          if (isOver() || !this.#next()) {
            resolve();
            return;
          }
          drain?.call(process);
        }
        real.setImmediate(turn);
      } catch (error) {
        reject(error);
      }
    };
    real.setImmediate(turn);
    return promise;
  }

  /** From now on timers and `Date.now` are of this time; until the function that is returned is called. */
  install(): () => void {
    return useClock({
      read: () => this.read(this.#current),
      setTimer: (work, ms) =>
        this.after(Math.max(1, ms) - (this.#inexact?.earlyMs() ?? 0), this.#current, work, 'timer'),
      setImmediate: (work) => this.after(0, this.#current, work, 'immediate'),
      clear: (handle) => {
        if (handle instanceof Entry) handle.run = null;
      },
    });
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
      const { run } = entry;
      run();
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
