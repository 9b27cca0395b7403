// Repeated runs: a loop in the background with a pause between two runs, and a retry until something is stored. Each outlives
// failures, because no run depends on the one before, and because an operator never repeats an answer that was not stored.

import { setTimeout } from 'node:timers/promises';

export interface Repeated {
  everyMs: number;
  /** The pause after a run that threw. Default: as after any other. */
  afterErrorMs?: number;
  run(): Promise<unknown>;
  onError(error: unknown): void;
}

/** Runs at once and then until stopped. `stop` resolves when a run under way has ended. */
export function repeat({ everyMs, afterErrorMs = everyMs, run, onError }: Repeated): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const loop = async () => {
    while (!signal.aborted) {
      let pauseMs = everyMs;
      await run().catch((error: unknown) => {
        pauseMs = afterErrorMs;
        onError(error);
      });
      // Rejects when the loop is stopped.
      await setTimeout(pauseMs, undefined, { signal }).catch(() => {});
    }
  };
  const done = loop();
  return {
    stop: () => {
      stopping.abort();
      return done;
    },
  };
}

/** Longest pause between two tries. */
export const maxPauseMs = 2_000;

/** Keeps no process alive: one that ends while the database is away can store nothing any more. */
export const pause = (ms: number): Promise<void> => setTimeout(ms, undefined, { ref: false });

/** Runs `store` until it does not throw: at once, then after 50 ms, twice that, … up to `maxPauseMs`. Each failure is reported. */
export async function untilStored<Result>(
  store: () => Promise<Result>,
  onError: (error: unknown) => void,
): Promise<Result> {
  for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    try {
      return await store();
    } catch (error) {
      onError(error);
      await pause(pauseMs);
    }
  }
}
