// Every block of code in the pages is executed, each in a project with the packed SDK: CONTRIBUTING.md has the convention.

import { join } from 'node:path';
import type { Suite } from './suite.ts';

export const suite: Suite = {
  steps: ({ folder }) => [
    {
      name: 'blocks of code in the pages do what they say',
      program: process.execPath,
      args: ['test/sdks/snippets/run.ts', folder],
      junit: join(folder, 'snippets.xml'),
      notes: join(folder, 'not-run.txt'),
      timeoutMs: 10 * 60_000,
    },
  ],
};
