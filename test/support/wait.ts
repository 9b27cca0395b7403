// Waiting for conditions, so that no test sleeps.
import { setTimeout as pause } from 'node:timers/promises';

export interface UntilOptions {
  /** What is waited for, for the error message. */
  what: string;
  /** Only ends what hangs: on a busy machine everything may take ten times as long. Default 60 000. */
  timeoutMs?: number;
  /** Between two looks; default 10. */
  everyMs?: number;
}

/**
 * Looks until the condition gives something truthy and returns that.
 * @throws after the timeout, naming what was waited for and what the condition gave or threw last.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  { what, timeoutMs = 60_000, everyMs = 10 }: UntilOptions,
): Promise<Exclude<T, undefined | null | false | 0 | ''>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    let last: unknown;
    try {
      last = await condition();
      if (last) return last as Exclude<T, undefined | null | false | 0 | ''>;
    } catch (error) {
      last = error;
    }
    if (Date.now() >= deadline) throw new Error(`waited ${timeoutMs} ms for ${what}`, { cause: last });
    await pause(everyMs);
  }
}
