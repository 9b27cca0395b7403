// Tries until an answer comes that counts. When and how long to wait is retry.ts's.

import { pauseMs } from './retry.ts';
import type { Runtime } from './runtime.ts';

export interface Repeating {
  maxRetries: number;
  isRepeatable: boolean;
  signal?: AbortSignal | undefined;
  runtime: Runtime;
}

/** Runs `once` again as long as its error is worth it. Throws its last error, or the signal's reason. */
export async function repeat<T>(once: () => Promise<T>, options: Repeating): Promise<T> {
  for (let repeats = 1; ; repeats++) {
    try {
      return await once();
    } catch (error) {
      await pause(error, repeats, options);
    }
  }
}

/** Waits before the `repeats`-th repeat; throws the error where there is none. */
export async function pause(error: unknown, repeats: number, options: Repeating): Promise<void> {
  const { maxRetries, isRepeatable, runtime, signal } = options;
  if (signal?.aborted || repeats > maxRetries) throw error;
  const waitMs = pauseMs(error, repeats, isRepeatable, runtime.random());
  if (waitMs === undefined) throw error;
  await runtime.sleep(waitMs, signal);
}
