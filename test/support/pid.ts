// Looking at processes by their number.
import { existsSync, readFileSync } from 'node:fs';
import { isAlive } from '../../src/db/embedded/place.ts';

/**
 * Whether the process runs. One whose end has begun does not: its memory goes first, and its command with it. So does that of a zombie, which in
 * a container without an init nobody may ever reap.
 */
export function isRunning(pid: number): boolean {
  if (!isAlive(pid)) return false;
  if (!existsSync('/proc/self/cmdline')) return true;
  try {
    return readFileSync(`/proc/${pid}/cmdline`).length > 0;
  } catch {
    return false;
  }
}
