// Stopping everything below a process, and letting it go on (proc(5)).
import { readdirSync, readFileSync } from 'node:fs';

/** Parents first, so that none starts another unseen. What a test has stopped itself is left to it. Returns what was stopped. */
export function stopBelow(top: number): number[] {
  const stopped: number[] = [];
  for (const pid of [top, ...below(top)]) if (stateOf(pid) !== 'T' && signalled(pid, 'SIGSTOP')) stopped.push(pid);
  return stopped;
}

export function resume(pids: readonly number[]): void {
  for (const pid of pids) signalled(pid, 'SIGCONT');
}

function below(top: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const parent = parentOf(Number(name));
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found = [...(children.get(top) ?? [])];
  for (const pid of found) found.push(...(children.get(pid) ?? []));
  return found;
}

/** False where it is gone already. */
function signalled(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

function stateOf(pid: number): string | null {
  return statOf(pid)?.[0] ?? null;
}

function parentOf(pid: number): number | null {
  const parent = statOf(pid)?.[1];
  return parent === undefined ? null : Number(parent);
}

/** What follows the name in /proc/<pid>/stat (proc(5)): state, parent, and more. */
function statOf(pid: number): string[] | null {
  if (Number.isNaN(pid)) return null;
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}
