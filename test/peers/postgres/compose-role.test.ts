// What Compose makes in a new volume: the service's role is no superuser, and the whole schema with its partitions is made by it.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { root } from '../../../scripts/run.ts';
import { prepareSchema } from '../../../src/db/migrate.ts';
import { debianPostgres } from '../../support/debian-postgres.ts';
import { testFolder } from '../../support/folder.ts';
import { execute } from '../../support/server.ts';
import { requireTool, toolPath } from '../../support/tool.ts';

const test = requireTool('initdb', 'psql');
const postgres = toolPath('initdb') && toolPath('psql') ? await debianPostgres(testFolder('compose')) : undefined;
afterAll(() => postgres?.kill());

/** Runs the script as the image does. @throws where it ends with another code than 0. */
const init = (port: number, passwordFile: string, path = process.env.PATH) =>
  execFileSync(join(root, 'deploy', 'postgres-init.sh'), {
    env: {
      PATH: path,
      PGHOST: '127.0.0.1',
      PGPORT: String(port),
      POSTGRES_USER: 'admin',
      DATABASE_PASSWORD_FILE: passwordFile,
    },
    stdio: 'pipe',
  });

test('deploy/postgres-init.sh makes no role where its password can not be read', async () => {
  const { port, url } = postgres as NonNullable<typeof postgres>;
  expect(() => init(port, join(testFolder('no-password'), 'database_password'))).toThrow(/database_password/);
  expect((await execute(url, "select from pg_roles where rolname = 'ramz'")).rows).toEqual([]);
});

test('deploy/postgres-init.sh makes a role without rights over the server, which is enough for the service', async () => {
  const { port, url: admin } = postgres as NonNullable<typeof postgres>;
  const password = join(testFolder('password'), 'database_password');
  writeFileSync(password, "it's a password\n");
  // What programs are called with anybody on the host can read.
  const seen = testFolder('psql');
  const psql = `#!/bin/sh\necho "$@" >> ${seen}/arguments\nexec ${toolPath('psql')} "$@"\n`;
  writeFileSync(join(seen, 'psql'), psql, { mode: 0o755 });
  init(port, password, `${seen}:${process.env.PATH}`);
  expect(readFileSync(join(seen, 'arguments'), 'utf8')).toMatch(/^(?!.*a password).*--dbname postgres/);
  const url = `postgres://ramz@127.0.0.1:${port}/ramz`;
  expect(await prepareSchema(url, { migrate: true })).toMatchObject({ kind: 'ready' });
  const rights =
    'select rolsuper, rolcreaterole, rolcreatedb, rolreplication from pg_roles where rolname = current_user';
  expect((await execute(url, rights)).rows).toEqual([
    { rolsuper: false, rolcreaterole: false, rolcreatedb: false, rolreplication: false },
  ]);
  const { rows } = await execute(
    admin,
    "select rolpassword is not null as protected from pg_authid where rolname = 'ramz'",
  );
  expect(rows).toEqual([{ protected: true }]);
  await expect(execute(url, "copy (select 1) to program 'true'")).rejects.toThrow(/must be superuser/);
});
