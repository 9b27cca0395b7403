// Time limits: an alarm for an answer that comes over the network, and waits that end with one. Work that takes too long goes on by
// itself; its caller does not wait for it.

export interface Alarm {
  clear(): void;
}

export interface AlarmOptions {
  /** Whether the process stays for it. Default true. */
  ref?: boolean;
}

/**
 * Runs `late` once after `ms`, and not before what had arrived by then was read. A process that stood still for a while (stopped by
 * a debugger, moved to another host, out of processor time, collecting garbage) finds its timers due before the answers
 * that came meanwhile: Node's event loop runs timers, then reads, then runs immediates.
 */
export function alarm(late: () => void, ms: number, { ref = true }: AlarmOptions = {}): Alarm {
  let reading: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    reading = setImmediate(late);
  }, ms);
  if (!ref) timer.unref();
  return {
    clear() {
      clearTimeout(timer);
      clearImmediate(reading);
    },
  };
}

/** The result of `work`; or rejects with `what` after `ms`, and then a failure of `work` is ignored. */
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
