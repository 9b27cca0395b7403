// Bounded waits. What takes too long goes on by itself; its caller does not.

import { alarm } from './alarm.ts';

/** As `work` ends; or rejects with `what` after `ms`, and then a failure of `work` is ignored. */
export function within<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = alarm(() => late.reject(new Error(what)), ms);
  return Promise.race([work, late.promise]).finally(timer.clear);
}

/** Whether `work` is done within `ms`. @throws what `work` throws in time. */
export function isDoneWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = alarm(() => late.resolve(false), ms);
  return Promise.race([work.then(() => true), late.promise]).finally(timer.clear);
}
