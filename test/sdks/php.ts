// The PHP SDK's suite: its manifest is valid, every file is PHP, the package installs by Composer into an empty project
// without a network, and its tests pass there.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../scripts/run.ts';
import { composerEnvironment, phpPackage } from './install/composer.ts';
import type { Step, Suite } from './suite.ts';

const folder = 'sdks/php';
const programs = ['php', 'composer', 'phpunit', 'phpcs'];

export const suite: Suite = {
  async missing() {
    for (const program of programs) {
      const { code } = await run(program, ['--version']);
      if (code !== 0) return `${program} is missing (Debian: see test/apt.txt)`;
    }
    return undefined;
  },

  steps({ folder: work }): Step[] {
    const project = join(work, 'php-project');
    const junit = join(work, 'phpunit.xml');
    mkdirSync(project);
    writeFileSync(join(project, 'composer.json'), JSON.stringify(emptyProject, null, 2));
    const env = composerEnvironment(work);
    const composer = (name: string, args: string[], cwd: string): Step => ({
      name,
      program: 'composer',
      args,
      cwd,
      env,
    });
    // Paths of steps are relative to the repository; the project lies outside of it.
    const inProject = ['--working-dir', project, '--no-interaction'];
    return [
      composer('composer.json is valid', ['validate', '--strict', '--no-check-lock', '--no-interaction'], folder),
      {
        name: 'every file is PHP',
        program: 'sh',
        args: ['-c', 'find src generated tests -name "*.php" -print0 | xargs -0 -n 1 php -n -l'],
        cwd: folder,
      },
      { name: 'PSR-12', program: 'phpcs', args: ['-q'], cwd: folder },
      {
        name: 'the fake runs on PHP without any extension',
        program: 'php',
        args: ['-n', 'tests/bare.php'],
        cwd: folder,
      },
      composer('install into an empty project', ['install', '--no-progress', ...inProject], folder),
      // What production does: Composer names classes whose place does not fit their name.
      composer('optimise the autoloader', ['dump-autoload', '--optimize', '--strict-psr', ...inProject], folder),
      {
        name: 'phpunit',
        program: 'phpunit',
        args: ['--configuration', 'phpunit.xml', '--log-junit', junit],
        cwd: folder,
        env: { RAMZ_PHP_PROJECT: project },
        junit,
      },
    ];
  },
};

/** Needs the package alone. */
const emptyProject = {
  name: 'example/empty',
  description: 'Installs the SDK.',
  repositories: [phpPackage(), { 'packagist.org': false }],
  require: { 'ramz/ramz-php': '*' },
  'minimum-stability': 'dev',
};
