// The OpenAPI document: by an independent validator, its examples against its schemas, and the running service against it.

import { join } from 'node:path';
import { preparePythonTools, pythonBin } from '../../scripts/tools/python.ts';
import type { Step, Suite, SuiteContext } from './suite.ts';

const python = join(pythonBin, 'python');

export const suite: Suite = {
  missing: () => preparePythonTools((line) => console.log(line)),
  steps: (context) => [
    {
      name: 'openapi-spec-validator finds nothing',
      program: python,
      args: ['-m', 'openapi_spec_validator', '--schema', '3.1.0', 'src/gen/openapi.json'],
    },
    nodeTests(context, 'examples pass their own schemas', 'examples'),
    nodeTests(context, 'the running service answers as documented', 'answers'),
    nodeTests(context, 'and accepts its own examples', 'accepted'),
    nodeTests(context, 'and refuses what the document says', 'refusals'),
  ],
};

function nodeTests({ folder }: SuiteContext, name: string, file: string): Step {
  const junit = join(folder, `${file}.xml`);
  const reporters = ['--test-reporter=spec', '--test-reporter-destination=stdout'];
  const report = ['--test-reporter=junit', `--test-reporter-destination=${junit}`];
  return {
    name,
    junit,
    program: process.execPath,
    args: ['--test', ...reporters, ...report, `test/sdks/docs/${file}.ts`],
  };
}
