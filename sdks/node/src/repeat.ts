// Tries until an answer comes that counts. When and how long to wait is retry.ts's.

import type { Course } from './course.ts';
import { ConfigurationError } from './errors.ts';
import type { Reporter } from './response-info.ts';
import { isGone, mayBeDone, pauseMs } from './retry.ts';
import type { Runtime } from './runtime.ts';

export interface Repeating {
  course: Course;
  isRepeatable: boolean;
  reporter: Reporter;
  runtime: Runtime;
}

/**
 * Runs `once` again as long as its error is worth it and there is time. Throws its last error, or the signal's reason.
 * @param deleted of a deletion: what it answers where an earlier attempt, whose answer was lost, has done it.
 */
export async function repeat<T>(
  once: (timeoutMs: number) => Promise<T>,
  options: Repeating,
  deleted?: () => T,
): Promise<T> {
  const { course, reporter, runtime } = options;
  const endsMs = runtime.now() + course.totalTimeoutMs;
  let isInDoubt = false;
  let before: unknown;
  for (let repeats = 1; ; repeats++) {
    try {
      // A pause may have taken longer than it should have; its attempt ends at once.
      return await once(Math.max(0, Math.min(course.timeoutMs, endsMs - runtime.now())));
    } catch (error) {
      if (deleted && isInDoubt && isGone(error) && !reporter.hasThrown) return deleted();
      isInDoubt ||= mayBeDone(error);
      checkMade(before, error, reporter);
      before = error;
      await pause(error, repeats, options, endsMs);
    }
  }
}

/** Throws the failure before, where the client was closed in the pause: `error` would say that nothing was sent. */
export function checkMade(before: unknown, error: unknown, { hasThrown }: Reporter): void {
  if (before !== undefined && error instanceof ConfigurationError && !hasThrown) throw before;
}

/** Waits before the `repeats`-th repeat; throws the error where there is none, or no time for the pause. */
export async function pause(
  error: unknown,
  repeats: number,
  { course, isRepeatable, reporter, runtime }: Repeating,
  endsMs = Number.POSITIVE_INFINITY,
): Promise<void> {
  const { maxRetries, signal } = course;
  if (signal?.aborted || reporter.hasThrown || repeats > maxRetries) throw error;
  const waitMs = pauseMs(error, repeats, isRepeatable, runtime.random());
  if (waitMs === undefined || runtime.now() + waitMs >= endsMs) throw error;
  await runtime.sleep(waitMs, signal);
}
