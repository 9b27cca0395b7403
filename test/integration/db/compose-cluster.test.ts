// The cluster that the image of Postgres makes for deploy/compose.yaml, made by the Postgres that tests run on, of the same minor release.
import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../../scripts/run.ts';
import { serverEnvironment } from '../../../src/db/embedded/cluster.ts';
import { serverIdentity } from '../../../src/db/embedded/identity.ts';
import { serverBinaries } from '../../../src/db/embedded/place.ts';
import { testFolder } from '../../support/folder.ts';

const compose = readFileSync(join(root, 'deploy', 'compose.yaml'), 'utf8');
const [, initdbArguments = ''] = /^ +POSTGRES_INITDB_ARGS: (.+)$/m.exec(compose) ?? [];

const identity = serverIdentity(() => undefined);
const { initdb, postgres } = serverBinaries(identity);
const folder = testFolder('compose-cluster');
const files = join(folder, 'cluster');
mkdirSync(files, { mode: 0o700 });
if (identity.uid !== undefined && identity.gid !== undefined)
  for (const path of [folder, files]) chownSync(path, identity.uid, identity.gid);

/** Runs to its end, in the environment of the image: its locale is not the one that the arguments name. @throws with what it wrote */
function run(program: string, args: readonly string[], input = ''): string {
  const env = { ...serverEnvironment(), LANG: 'en_US.utf8' };
  const { status, stdout, stderr } = spawnSync(program, args, { ...identity, cwd: '/', env, input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
  return stdout;
}

test('initdb takes the arguments of compose.yaml, and makes databases of UTF-8 that sort alike everywhere', () => {
  expect(initdbArguments).not.toBe('');
  run(initdb, ['-D', files, '-U', 'postgres', '--no-sync', ...initdbArguments.split(' ')]);
  const query = 'select pg_encoding_to_char(encoding), datlocprovider, datlocale from pg_database';
  const rows = run(postgres, ['--single', '-D', files, 'template1'], `${query}\n`);
  expect(rows).toMatch(/pg_encoding_to_char = "UTF8".*\n.*datlocprovider = "b".*\n.*datlocale = "C\.UTF-8"/);
});
