// CPU time and memory of running processes, from Linux' /proc. Rates depend on who else uses the machine; CPU per item hardly.

import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second in /proc/<pid>/stat: 100 on every Linux Node runs on. */
const ticksPerSecond = 100;

interface Stat {
  parent: number;
  /** Of the process itself, in µs. */
  ownUs: number;
  /** Of its children that have ended and were waited for, in µs. */
  endedChildrenUs: number;
}

/** @throws when there is no such process, or no /proc. */
function statOf(pid: number): Stat {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The command in parentheses may hold anything; fields are counted from behind it (proc(5)): ppid is the 2nd there.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const us = (...at: number[]) => at.reduce((sum, index) => sum + Number(fields[index]), 0) * (1e6 / ticksPerSecond);
  return { parent: Number(fields[1]), ownUs: us(11, 12), endedChildrenUs: us(13, 14) };
}

/** CPU time used by a process so far, in µs, to 10 ms. */
export const cpuUs = (pid: number): number => statOf(pid).ownUs;

/** The same for a process and all its children, those that have ended too: Postgres is one process a connection. */
export function cpuWithChildrenUs(pid: number): number {
  const own = statOf(pid);
  let total = own.ownUs + own.endedChildrenUs;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = statOf(Number(name));
      if (stat.parent === pid) total += stat.ownUs;
    } catch {
      // It ended between the listing and the look.
    }
  }
  return total;
}

/**
 * How long the main thread was ready to run and had no processor to run on, so far, in ms: somebody else's doing. Undefined where
 * the kernel does not count it.
 */
export function waitedMs(pid: number): number | undefined {
  try {
    // sched-stats: nanoseconds on a processor, nanoseconds waiting for one, number of turns.
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6;
  } catch {
    return undefined;
  }
}

/** How often the main thread has gone to sleep so far: each time it was woken up again, which costs the more the less there was to do. */
export const wakeups = (pid: number): number =>
  Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);

/** Resident memory in MiB. */
export function residentMib(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  return Number(kib) / 1024;
}
