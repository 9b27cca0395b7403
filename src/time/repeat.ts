// Repeated tries: a pause between two of them, and a retry until something is stored, because an operator never repeats an answer that
// was not.

import { setTimeout } from 'node:timers/promises';

/** Longest pause between two tries. */
export const maxPauseMs = 2_000;

/** Ends early when `signal` is aborted. Keeps no process alive: one that ends while the database is away can store nothing any more. */
export const pause = async (ms: number, signal?: AbortSignal): Promise<void> => {
  await setTimeout(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => {});
};

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
