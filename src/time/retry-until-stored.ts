// Retries of a write until the database accepts it. Operators send each answer once, so losing one is not an option.

export interface Patience {
  /** Called with every failure. */
  onError(error: unknown): void;
  /** Pauses between two tries. */
  pause(ms: number): Promise<void>;
}

/** Longest pause between two tries. */
export const maxPauseMs = 2_000;

/** Runs `store` until it does not throw: at once, then after 50 ms, twice that, … up to `maxPauseMs`. */
export async function untilStored<Result>(store: () => Promise<Result>, { onError, pause }: Patience): Promise<Result> {
  for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    try {
      return await store();
    } catch (error) {
      onError(error);
      await pause(pauseMs);
    }
  }
}
