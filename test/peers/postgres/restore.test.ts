// The way back that docs/database.md describes: a base backup of Debian's Postgres and its archived log, put together on another server, and the
// service started over it with its key ring. Keys, codes under way and secrets of webhooks work there, and what was used stays used.
import { appendFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { prepareSchema } from '../../../src/db/migrate.ts';
import type { Schema } from '../../../src/db/schema.ts';
import { databaseAt } from '../../support/database.ts';
import { give, runProgram } from '../../support/debian-cluster.ts';
import { type DebianPostgres, debianPostgres, startCluster } from '../../support/debian-postgres.ts';
import { testFolder } from '../../support/folder.ts';
import { execute } from '../../support/server.ts';
import { testService } from '../../support/service.ts';
import { requireTool, toolPath } from '../../support/tool.ts';
import { until } from '../../support/wait.ts';

const test = requireTool('initdb', 'pg_basebackup');
const own = testFolder('backup');
const archive = join(own, 'archive');
const backup = join(own, 'cluster');
let restored: DebianPostgres | undefined;
const lost = toolPath('pg_basebackup') ? await start() : undefined;

async function start() {
  give(own);
  mkdirSync(archive);
  give(archive);
  const postgres = await debianPostgres(testFolder('lost'), {
    archive_mode: 'on',
    // A file is there under its name once it is whole: the server may be killed while it copies one.
    archive_command: `cp %p ${archive}/.%f && mv ${archive}/.%f ${archive}/%f`,
  });
  afterAll(async () => {
    await restored?.kill();
    await postgres.kill();
  });
  const { url } = postgres;
  expect(await prepareSchema(url, { migrate: true })).toMatchObject({ kind: 'ready' });
  const service = await testService({ errorsExpected: true, database: databaseAt<Schema>(url) });
  return { postgres, service, server: await service.startProcess() };
}

/** Everything that was committed so far is in the archive. */
async function archived(url: string): Promise<void> {
  const { rows } = await execute(url, 'select pg_walfile_name(pg_current_wal_lsn()) as name');
  const { name } = rows[0] as { name: string };
  await execute(url, 'select pg_switch_wal()');
  await until(() => readdirSync(archive).includes(name), { what: `${name} in the archive` });
}

test('a base backup and the archived log bring everything back, with the key ring', async () => {
  const { postgres, service, server } = lost as NonNullable<typeof lost>;
  const { sandbox } = service;
  const used = await server.live.send('+213551350101');
  const usedCode = await sandbox.codeTo('+213551350101');
  runProgram('pg_basebackup', ['-D', backup, '-X', 'none', '-c', 'fast', '-d', postgres.url.replace('/postgres', '/')]);
  // From here on it is in the log alone.
  expect(await server.live.check(used.id, usedCode)).toMatchObject({ valid: true });
  const pending = await server.live.send('+213551350102');
  const code = await sandbox.codeTo('+213551350102');
  await sandbox.eventsOf(pending.id, 2);
  await archived(postgres.url);

  await server.process.end('SIGKILL');
  await postgres.kill();
  appendFileSync(join(backup, 'postgresql.conf'), `restore_command = 'cp ${archive}/%f %p'\n`);
  writeFileSync(join(backup, 'recovery.signal'), '');
  give(join(backup, 'recovery.signal'));
  restored = await startCluster(backup);
  const { url } = restored;
  const isPrimary = async () => {
    const { rows } = await execute(url, 'select pg_is_in_recovery() as recovers');
    return (rows[0] as { recovers: boolean }).recovers === false;
  };
  await until(isPrimary, { what: 'the log to be replayed' });

  const again = await service.startProcess({ DATABASE_URL: url });
  expect(await again.live.check(used.id, usedCode)).toMatchObject({ valid: false, reason: 'already_verified' });
  expect(await again.live.check(pending.id, code)).toMatchObject({ valid: true });
  const events = await sandbox.eventsOf(pending.id, 3);
  expect(events.at(-1)).toMatchObject({ type: 'session.verified' });
});
