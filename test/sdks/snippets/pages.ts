// The pages whose blocks of code are executed.

import { globSync } from 'node:fs';
import { root } from '../../../scripts/run.ts';

export const pages = (): string[] =>
  globSync(
    [
      'README.md',
      'CONTRIBUTING.md',
      'docs/**/*.md',
      'deploy/*.md',
      'sdks/*.md',
      'sdks/*/README.md',
      'examples/**/*.md',
    ],
    { cwd: root, exclude: ['**/node_modules/**'] },
  ).sort();
