// The build of the pages beside a start: API and sandbox are up first, and the pages say so until they are built. A build that fails
// is one line in the terminal and ends nothing.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

export interface BuildOptions {
  /** The repository: the build's script and its packages are looked for there. */
  root?: string;
  /** File descriptor for what the build writes. */
  log: number;
  /** Called when the pages could not be built. */
  onFailure(how: string): void;
}

const ours = fileURLToPath(new URL('../../', import.meta.url));

/** Builds the pages where they are not up to date; resolves null where nothing can build them: an installation for production has them built. */
export function buildPages({ root = ours, log, onFailure }: BuildOptions): { stop(): Promise<void> } | null {
  const script = `${root}scripts/web/build.ts`;
  if (!existsSync(script) || !existsSync(`${root}node_modules/vite/package.json`)) return null;
  const child = spawn(process.execPath, [script], { cwd: root, stdio: ['ignore', log, log] });
  yieldToOthers(child);
  let isWanted = true;
  const ended = new Promise<void>((resolve) => {
    const end = (how: string | null) => {
      if (how !== null && isWanted) onFailure(how);
      resolve();
    };
    child.once('error', ({ message }) => end(message));
    child.once('exit', (code, signal) => end(code === 0 ? null : (signal ?? `exit code ${code}`)));
  });
  return {
    stop: () => {
      isWanted = false;
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** The first call of a person at the terminal is not to wait for a bundler. */
function yieldToOthers({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended already, or the system does not allow it.
  }
}
