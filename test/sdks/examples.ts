// The servers of examples/, as a user runs them: installed with the packed SDK, driven over HTTP, called by the service.

import { join } from 'node:path';
import type { Suite } from './suite.ts';

export const suite: Suite = {
  steps: ({ folder }) => {
    const junit = join(folder, 'examples.xml');
    const reporters = ['--test-reporter=spec', '--test-reporter-destination=stdout'];
    const report = ['--test-reporter=junit', `--test-reporter-destination=${junit}`];
    return [
      {
        name: 'examples log in and take webhooks',
        program: process.execPath,
        args: ['--test', ...reporters, ...report, 'test/sdks/examples/all.ts'],
        env: { RAMZ_FOLDER: folder },
        junit,
        timeoutMs: 10 * 60_000,
      },
    ];
  },
};
