// The Laravel package: its manifest, its syntax, and its tests in a project that has it installed, on Debian's Laravel.

import { join } from 'node:path';
import { root, run } from '../../scripts/run.ts';
import { composerEnvironment } from './install/composer.ts';
import { installLaravel } from './install/laravel.ts';
import type { Step, Suite } from './suite.ts';

export const suite: Suite = {
  async missing() {
    const { code } = await run('phpunit', ['--version']);
    return code === 0 ? undefined : 'phpunit is missing (Debian: phpunit)';
  },
  async steps({ folder }): Promise<Step[]> {
    const project = join(folder, 'project');
    const installed = await installLaravel(project);
    if (installed.kind === 'missing') throw new Error(installed.reason);
    const junit = join(folder, 'junit.xml');
    const lint = `find src generated config lang tests -name '*.php' -print0 | xargs -0 -n 1 -P 2 php -l > /dev/null`;
    return [
      {
        name: 'composer validate',
        program: 'composer',
        // The package is read as Packagist reads it: without a lock file of its own.
        args: ['validate', '--strict', '--no-check-lock', '--no-interaction'],
        cwd: 'sdks/laravel',
        env: composerEnvironment(folder),
      },
      { name: 'php -l', program: 'sh', args: ['-c', lint], cwd: 'sdks/laravel' },
      {
        name: 'phpunit',
        program: 'phpunit',
        args: [
          '--configuration',
          join(root, 'sdks/laravel/phpunit.xml'),
          '--do-not-cache-result',
          '--log-junit',
          junit,
        ],
        cwd: 'sdks/laravel',
        env: { RAMZ_LARAVEL_PROJECT: project },
        junit,
      },
    ];
  },
};
