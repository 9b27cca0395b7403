// The running server as the operating system sees it: postmaster.pid, whether that process lives, how it is ended.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Postmaster {
  pid: number;
  port: number;
  /** It takes connections. False while it starts (or recovers) and while it shuts down. */
  ready: boolean;
}

/** Reads postmaster.pid (lines: pid, directory, start time, port, socket, address, shared memory, status). */
export function readPostmaster(files: string): Postmaster | undefined {
  try {
    const lines = readFileSync(join(files, 'postmaster.pid'), 'utf8').split('\n');
    const pid = Number(lines[0]);
    if (!Number.isInteger(pid) || pid <= 0) return undefined;
    return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
  } catch {
    return undefined;
  }
}

/**
 * Whether `pid` is a live server of these files. Looking at the command, not only at the number, tells it from a stranger
 * who got the number of a dead server, and from a zombie nobody reaps (a container without an init).
 */
export function isServerOf(files: string, pid: number): boolean {
  try {
    const command = existsSync('/proc/self/cmdline')
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      : execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return command.includes(files);
  } catch {
    return false;
  }
}

/** Fast shutdown (open transactions are rolled back); after 10 s an immediate one, which recovers at the next start. */
export async function endPostmaster(files: string, pid: number): Promise<void> {
  for (const [signal, patienceMs] of [
    ['SIGINT', 10_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ] as const) {
    if (!isServerOf(files, pid)) return; // Never a stranger who got the number.
    try {
      process.kill(pid, signal);
    } catch {
      return; // It ended between the look and the signal.
    }
    for (const until = Date.now() + patienceMs; Date.now() < until; await sleep(10))
      if (!isServerOf(files, pid)) return;
  }
  throw new Error(`Postgres (pid ${pid}) does not end`);
}
