// A loop in the background: one function run again and again, with a pause between two runs. It outlives failures, because no run may
// depend on the one before.

import { setTimeout as pauseFor } from 'node:timers/promises';

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
      await pauseFor(pauseMs, undefined, { signal }).catch(() => {});
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
