// One `npm start` at a time in a data directory: a second one would write its addresses over those of the first, and take them away at its end.

import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { commandOf } from '../db/embedded/cluster.ts';

export type Taken =
  | { kind: 'taken'; release(): void }
  /** Another start runs in the directory; `pid` is its process. */
  | { kind: 'busy'; pid: number };

/** Takes the file `path`, which holds the pid of the start that runs. One that was killed has left its own there: that one counts for nothing. */
export function takeOnlyStart(path: string): Taken {
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, String(process.pid), { mode: 0o600 });
    while (!isMade(draft, path)) {
      const pid = ownerOf(path);
      if (pid !== null && isStart(pid)) return { kind: 'busy', pid };
      rmSync(path, { force: true });
    }
  } finally {
    rmSync(draft, { force: true });
  }
  const release = () => {
    if (ownerOf(path) === process.pid) rmSync(path, { force: true });
  };
  return { kind: 'taken', release };
}

/** Makes the file in one step with its content, so that no other process reads it half-written. False where it is there already. */
function isMade(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === 'EEXIST') return false;
    throw error;
  }
}

function ownerOf(path: string): number | null {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return null; // It has just ended.
  }
}

/** Its number may be another process's by now, and in a container it may be ours. */
const isStart = (pid: number): boolean => pid !== process.pid && /\bmain\.ts\s+start\b/.test(commandOf(pid) ?? '');
