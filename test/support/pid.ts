// Looking at processes by their number.
import { existsSync, readFileSync } from 'node:fs';

/** Whether the process runs. A zombie does not: in a container without an init nobody may ever reap it. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  if (!existsSync('/proc/self/stat')) return true;
  try {
    // "pid (command) state …"; the command may itself hold parentheses.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.[0] !== 'Z';
  } catch {
    return false;
  }
}
