// Looking at processes by their number.
import { existsSync, readFileSync } from 'node:fs';
import { isAlive } from '../../src/db/embedded/place.ts';

/** Whether the process runs. A zombie does not: in a container without an init nobody may ever reap it. */
export function isRunning(pid: number): boolean {
  if (!isAlive(pid)) return false;
  if (!existsSync('/proc/self/stat')) return true;
  try {
    // "pid (command) state …"; the command may itself hold parentheses.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.[0] !== 'Z';
  } catch {
    return false;
  }
}
