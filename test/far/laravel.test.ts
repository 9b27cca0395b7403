// The Laravel package on each Laravel that Debian packages: its tests in a system of that suite of Debian, with its PHP and PHPUnit.
// About 130 MB each are downloaded. Needs root: a chroot.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root, run } from '../../scripts/run.ts';
import { laravelManifest } from '../sdks/install/laravel.ts';
import { testFolder } from '../support/folder.ts';

const folder = testFolder('laravel');
/** Suite of Debian → the version of Laravel that it has. */
const suites = { bookworm: '8.83', trixie: '10.48', sid: '13.31' };
const packages = 'php-cli php-laravel-framework phpunit php-curl php-mbstring php-xml composer'.split(' ');

const { code: hasTool } = await run('mmdebstrap', ['--version']);
const missing = hasTool !== 0 ? 'mmdebstrap is missing' : process.getuid?.() !== 0 ? 'a chroot needs root' : undefined;

/** Where this machine has its own packages from. */
function mirror(): string {
  const format = '$(SITE) $(LABEL)';
  const known = execFileSync('apt-get', ['indextargets', '--format', format, 'Created-By: Packages'], {
    encoding: 'utf8',
  });
  const [site] = known.split('\n').flatMap((line) => /^(\S+) Debian$/.exec(line)?.[1] ?? []);
  if (site === undefined) throw new Error(`apt knows no mirror of Debian: ${known}`);
  return site;
}

/** A system with Laravel and nothing that it does not need. Suites that move may be older than their signature allows. */
function install(suite: string): string {
  const system = join(folder, suite);
  execFileSync(
    'mmdebstrap',
    [
      '--quiet',
      '--variant=apt',
      '--mode=root',
      '--aptopt=APT::Install-Recommends "false"',
      `--include=${packages.join(',')}`,
      suite,
      system,
      `deb [trusted=yes check-valid-until=no] ${mirror()} ${suite} main`,
    ],
    { stdio: 'inherit', timeout: 10 * 60_000 },
  );
  return system;
}

describe.skipIf(missing !== undefined)(`Laravel of Debian${missing === undefined ? '' : ` (${missing})`}`, () => {
  test.each(Object.entries(suites))('%s: Laravel %s', (suite, version) => {
    const system = install(suite);
    const inside = (script: string): string =>
      execFileSync('chroot', [system, 'sh', '-ec', script], {
        encoding: 'utf8',
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/tmp', LANG: 'C.UTF-8' },
        timeout: 5 * 60_000,
      });
    const found = inside('dpkg-query --show php-laravel-framework').split('\t')[1]?.trim() ?? '';
    expect(found).toMatch(new RegExp(`^${version.replace('.', '\\.')}\\.`));

    for (const sdk of ['php', 'laravel'])
      cpSync(join(root, 'sdks', sdk), join(system, 'ramz', sdk), { recursive: true });
    mkdirSync(join(system, 'ramz', 'project'));
    const exact = found.replace(/\+.*$/, '');
    writeFileSync(join(system, 'ramz', 'project', 'composer.json'), JSON.stringify(laravelManifest('/ramz', exact)));
    const report = inside(`
      export COMPOSER_DISABLE_NETWORK=1 COMPOSER_ALLOW_SUPERUSER=1 RAMZ_LARAVEL_PROJECT=/ramz/project
      cd /ramz/project
      composer install --quiet --no-interaction
      phpunit --configuration /ramz/laravel/phpunit.xml --do-not-cache-result || true`);
    // Those with a running service are skipped.
    expect(report).toMatch(/^OK/m);
    expect(Number(/^Tests: (\d+)/m.exec(report)?.[1])).toBeGreaterThan(70);
  });
});
