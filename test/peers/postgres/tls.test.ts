// A Postgres that takes TLS alone: verify-full with the authority's certificate works, and every weaker bond is refused.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { createDatabase } from '../../../src/db/client.ts';
import { checkServer } from '../../../src/db/connections/server.ts';
import { selfSigned } from '../../support/certificate.ts';
import { give } from '../../support/debian-cluster.ts';
import { type DebianPostgres, debianPostgres } from '../../support/debian-postgres.ts';
import { testFolder } from '../../support/folder.ts';
import { execute } from '../../support/server.ts';
import { requireTool, toolPath } from '../../support/tool.ts';
import { until } from '../../support/wait.ts';

const test = requireTool('initdb');
const folder = testFolder('tls');
const paths = { own: join(folder, 'server.pem'), other: join(folder, 'other.pem') };
const postgres = toolPath('initdb') ? await start() : undefined;
afterAll(() => postgres?.kill());

async function start(): Promise<DebianPostgres> {
  const { cert, key } = selfSigned();
  const keyPath = join(folder, 'server.key');
  writeFileSync(paths.own, cert);
  writeFileSync(paths.other, selfSigned().cert);
  writeFileSync(keyPath, key, { mode: 0o600 });
  give(keyPath);
  const started = await debianPostgres(folder, {
    listen_addresses: '127.0.0.1, 127.0.0.2',
    ssl: 'on',
    ssl_cert_file: paths.own,
    ssl_key_file: keyPath,
  });
  // From here on nothing but TLS.
  writeFileSync(join(started.files, 'pg_hba.conf'), 'hostssl all all 127.0.0.0/8 trust\n');
  await execute(started.url, 'select pg_reload_conf()');
  await until(
    async () =>
      execute(started.url, 'select 1').then(
        () => false,
        () => true,
      ),
    { what: 'plain text to be refused' },
  );
  return started;
}

/** Its configuration is Debian's. */
const asItComes = expect.stringContaining('set log_error_verbosity = terse');

const ask = async (host: string, query: string) => {
  const { port } = postgres as DebianPostgres;
  const url = `postgres://admin@${host}:${port}/postgres${query}`;
  const { lanes, close } = createDatabase(url, { lanes: 1 });
  try {
    const { rows } = await lanes.query('select ssl, version from pg_stat_ssl where pid = pg_backend_pid()');
    expect(await checkServer(url, { connections: 5 })).toEqual({ kind: 'fit', warnings: [asItComes] });
    return rows;
  } finally {
    await close();
  }
};

test('verify-full with sslrootcert, on each of several hosts', async () => {
  const query = `?sslmode=verify-full&sslrootcert=${paths.own}`;
  expect(await ask('localhost', query)).toEqual([{ ssl: true, version: 'TLSv1.3' }]);
  expect(await ask('127.0.0.1:1,localhost', query)).toEqual([{ ssl: true, version: 'TLSv1.3' }]);
});

test('refused: no TLS, an authority of somebody else, no authority, another name', async () => {
  await expect(ask('localhost', '')).rejects.toThrow(/no encryption/);
  await expect(ask('localhost', `?sslmode=verify-full&sslrootcert=${paths.other}`)).rejects.toThrow(/certificate/);
  await expect(ask('localhost', '?sslmode=verify-full')).rejects.toThrow(/certificate/);
  await expect(ask('127.0.0.2', `?sslmode=verify-full&sslrootcert=${paths.own}`)).rejects.toThrow(/altnames/);
});
