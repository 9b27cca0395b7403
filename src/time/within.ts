// Waiting for an answer, but not for ever.

import { alarm } from './alarm.ts';

/** As `work` ends; or rejects with `what` after `ms`, and then the failure of `work` is nobody's. */
export function within<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = alarm(() => late.reject(new Error(what)), ms);
  return Promise.race([work, late.promise]).finally(timer.clear);
}
