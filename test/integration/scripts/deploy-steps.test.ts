// The commands of the pages that make secrets, as somebody pastes them: a line that fails stops none of those after it. Run again, they change
// nothing that is there. Docker, npm, openssl and chown are stand-ins; the first three say something else each time.
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../../scripts/run.ts';
import { testFolder } from '../../support/folder.ts';

const folder = testFolder('deploy-steps');
const bin = join(folder, 'bin');
/** While it is there, what makes secrets fails. */
const outage = join(folder, 'outage');
const secret = `test ! -e ${outage} || exit 1; head -c 24 /dev/urandom | od -An -vtx1`;
mkdirSync(bin);
for (const [name, script] of Object.entries({
  openssl: secret,
  npm: secret,
  docker: `case "$*" in *"keys new") ${secret};; esac`,
  chown: 'exit 0',
}))
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });

/** The block of the page that makes a key ring. */
function blockOf(page: string): string {
  const blocks = [...readFileSync(join(root, page), 'utf8').matchAll(/^( *)```sh[^\n]*\n(.*?)^ *```$/gms)];
  const [, indent = '', text = ''] = blocks.find(([, , block]) => block?.includes('keys new')) ?? [];
  return text.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
}

function paste(commands: string, cwd: string): void {
  const { error } = spawnSync('sh', ['-s'], {
    input: commands,
    cwd,
    env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
  });
  if (error) throw error;
}

const pages = {
  'deploy/README.md': [
    'deploy/secrets/database_password',
    'deploy/secrets/ring/key_ring.json',
    'deploy/secrets/service/admin_token',
    'deploy/secrets/service/database_url',
    'deploy/secrets/service/metrics_token',
    'deploy/secrets/superuser_password',
  ],
  'docs/service-keys.md': ['key_ring.json'],
};

test.each(Object.entries(pages))(
  '%s: nothing that is there is written over, and what failed is made up for',
  (page, expected) => {
    const cwd = join(folder, page.replaceAll('/', '-'));
    mkdirSync(join(cwd, 'deploy'), { recursive: true });
    const commands = blockOf(page);
    const made = () =>
      new Map(
        globSync(['deploy/secrets/**/*', '*.json'], { cwd })
          .filter((path) => statSync(join(cwd, path)).isFile())
          .toSorted()
          .map((path) => [path, readFileSync(join(cwd, path), 'utf8')]),
      );

    writeFileSync(outage, '');
    paste(commands, cwd);
    expect([...made().values()].join('')).toBe('');
    rmSync(outage);
    paste(commands, cwd);
    const first = made();
    expect([...first.keys()]).toEqual(expected);
    expect([...first].filter(([, text]) => !/[0-9a-f]{2}/.test(text))).toEqual([]);
    paste(commands, cwd);
    expect(made()).toEqual(first);
    writeFileSync(outage, '');
    paste(commands, cwd);
    expect(made()).toEqual(first);
    rmSync(outage);

    const modes = [...first.keys()].map((path) => [path, (statSync(join(cwd, path)).mode & 0o777).toString(8)]);
    expect(modes).toEqual(expected.map((path) => [path, path.endsWith('_password') ? '644' : '600']));
  },
);

test('the user of Postgres reads the script that makes the role, also in a checkout under umask 077', () => {
  const cwd = join(folder, 'private');
  mkdirSync(join(cwd, 'deploy'), { recursive: true });
  const script = join(cwd, 'deploy', 'postgres-init.sh');
  writeFileSync(script, '', { mode: 0o700 });
  paste(blockOf('deploy/README.md'), cwd);
  expect((statSync(script).mode & 0o777).toString(8)).toBe('755');
});
