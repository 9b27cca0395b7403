// A loop in the background that runs when there is something to do, and costs nothing in between: it is woken, or waits for the time that
// its last run named.

/** Work that has come up. Set by the part that knows of it, as often as it likes. */
export class Wakeup {
  #isSet = false;
  #wake = () => {};

  set(): void {
    this.#isSet = true;
    this.#wake();
  }

  get isSet(): boolean {
    return this.#isSet;
  }

  clear(): void {
    this.#isSet = false;
  }

  /** Resolves once it is set, after `ms` (null = never), or when it is released. For one at a time. */
  wait(ms: number | null): Promise<void> {
    if (this.#isSet) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#wake(), Math.min(ms ?? longestMs, longestMs));
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = () => {};
        resolve();
      };
    });
  }

  /** Ends a wait without anything to do. */
  release(): void {
    this.#wake();
  }
}

/** A run more in a day does no harm, and Node's timers take no more than 2^31 ms. */
const longestMs = 86_400_000;

export interface OnDemand {
  /**
   * Ms until it is to run again unless it is woken before; null: not before it is woken. A run that may take long ends early once `stopping` is
   * aborted: `stop` waits for it.
   */
  run(stopping: AbortSignal): Promise<number | null>;
  wakeup?: Wakeup;
  /** The shortest pause between the end of a run and the next one, ms, however often it is woken. */
  distanceMs: number;
  /** The pause after a run that threw. Default: `distanceMs`. */
  afterErrorMs?: number;
  onError(error: unknown): void;
}

/** Runs at once, then on demand until stopped. `stop` resolves when a run under way has ended. */
export function onDemand(options: OnDemand): { stop(): Promise<void> } {
  const { run, wakeup = new Wakeup(), distanceMs, afterErrorMs = distanceMs, onError } = options;
  const distance = new Wakeup();
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause = (ms: number) => (signal.aborted ? Promise.resolve() : distance.wait(ms));
  const loop = async () => {
    while (!signal.aborted) {
      wakeup.clear();
      try {
        const dueMs = await run(signal);
        await pause(Math.min(distanceMs, Math.max(0, dueMs ?? distanceMs)));
        if (!signal.aborted && (dueMs === null || dueMs > distanceMs)) await wakeup.wait(dueMs && dueMs - distanceMs);
      } catch (error) {
        onError(error);
        await pause(afterErrorMs);
      }
    }
  };
  const done = loop();
  return {
    stop: () => {
      stopping.abort();
      distance.release();
      wakeup.release();
      return done;
    },
  };
}
