// A time limit for an answer that comes over the network.

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
