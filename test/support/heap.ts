// Heap snapshots of a running process: what is in its memory, as text. Belongs at the top of a test file.
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { testFolder } from './folder.ts';
import { until } from './wait.ts';

export interface HeapSnapshots {
  /** For NODE_OPTIONS of the process. */
  options: string;
  /** Resolves with a snapshot made now. */
  take(process: { signal(signal: NodeJS.Signals): void }): Promise<string>;
}

export function heapSnapshots(): HeapSnapshots {
  const folder = testFolder('heap');
  return {
    options: `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${folder}`,
    async take(process) {
      const before = (await readdir(folder)).length;
      process.signal('SIGUSR2');
      return until(
        async () => {
          const names = (await readdir(folder)).filter((file) => file.endsWith('.heapsnapshot')).toSorted();
          const name = names.length > before ? names.at(-1) : undefined;
          const text = name === undefined ? '' : readFileSync(join(folder, name), 'utf8');
          return text.trimEnd().endsWith(']}') && text;
        },
        { what: 'the heap snapshot', timeoutMs: 90_000, everyMs: 500 },
      );
    },
  };
}
