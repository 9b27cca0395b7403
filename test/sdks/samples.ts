// Every `x-codeSamples` of the OpenAPI document, run in a project with the packed SDK against the running service.

import { join } from 'node:path';
import type { Suite } from './suite.ts';

export const suite: Suite = {
  steps: ({ folder }) => [
    {
      name: 'the samples of every operation do what they say, in every language',
      program: process.execPath,
      args: ['test/sdks/samples/run.ts', folder],
      junit: join(folder, 'samples.xml'),
      timeoutMs: 10 * 60_000,
    },
  ],
};
