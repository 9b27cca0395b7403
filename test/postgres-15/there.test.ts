// The server of the suite postgres-15: Debian's, the oldest that the service works on, with nothing set that Debian does not set.
import { expect, inject } from 'vitest';
import { checkServer } from '../../src/db/connections/server.ts';
import { execute } from '../support/server.ts';
import { requireTool } from '../support/tool.ts';

const test = requireTool('initdb');

test('PostgreSQL 15 as Debian has it', async () => {
  const { url } = inject('databaseServer');
  const { rows } = await execute(
    url,
    `select name, setting from pg_settings
    where name in ('jit', 'fsync', 'synchronous_commit', 'max_connections', 'shared_buffers') order by name`,
  );
  expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
    fsync: 'on',
    jit: 'on',
    max_connections: '100',
    shared_buffers: '16384', // 128 MB
    synchronous_commit: 'on',
  });
  expect((await execute(url, 'show server_version_num')).rows[0].server_version_num).toMatch(/^15/);
  expect(await checkServer(url, { connections: 22 })).toMatchObject({ kind: 'fit' });
});
