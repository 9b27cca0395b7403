// A primary and its streaming standby, Debian's Postgres as it comes, behind one address that the service knows.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { runProgram } from '../../support/debian-cluster.ts';
import { type DebianPostgres, debianPostgres, startCluster } from '../../support/debian-postgres.ts';
import { testFolder } from '../../support/folder.ts';
import { execute } from '../../support/server.ts';
import { until } from '../../support/wait.ts';
import { virtualAddress } from './virtual-address.ts';

/** Whether a commit is answered before the standby has it. */
export type Replication = 'asynchronous' | 'synchronous';

export interface Pair {
  /** Of the service's own database, by the address that moves. */
  url: string;
  /** The primary's machine is gone, from one moment to the next: postmaster and backends. */
  kill(): Promise<void>;
  /** The standby is the primary from now on, and the address is its. Resolves when it takes writes. */
  promote(): Promise<void>;
}

/** Belongs at the top of a test file; ends with it. */
export async function startPair(replication: Replication): Promise<Pair> {
  const folder = testFolder('failover');
  const primary = await debianPostgres(folder);
  afterAll(() => ended(primary));
  const from = `host=127.0.0.1 port=${primary.port} user=admin application_name=standby`;
  const files = join(folder, 'standby');
  runProgram('pg_basebackup', ['-d', from, '-D', files, '--write-recovery-conf', '--wal-method=stream']);
  const standby = await startCluster(files);
  afterAll(() => ended(standby));

  // Not in the standby's own settings: once it is alone, its commits wait for nobody.
  if (replication === 'synchronous')
    await execute(primary.url, "alter system set synchronous_standby_names = 'standby'");
  await execute(primary.url, 'select pg_reload_conf()');
  const wanted = replication === 'synchronous' ? 'sync' : 'async';
  await until(
    async () => {
      const { rows } = await execute(primary.url, 'select sync_state as state from pg_stat_replication');
      if (rows[0]?.state !== wanted) throw new Error(JSON.stringify(rows));
      return true;
    },
    { what: `the standby to follow, ${replication}` },
  );
  await execute(primary.url, 'create database ramz');
  const address = await virtualAddress(primary.port);

  return {
    url: `postgres://admin@127.0.0.1:${address.port}/ramz`,
    async kill() {
      const { pid } = primary.process;
      const listed = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
      for (const each of [pid, ...listed.trim().split(/\s+/).map(Number)]) process.kill(each, 'SIGKILL');
      await primary.process.exit();
    },
    async promote() {
      await execute(standby.url, 'select pg_promote()');
      address.moveTo(standby.port);
    },
  };
}

async function ended(postgres: DebianPostgres): Promise<void> {
  if (!postgres.process.hasEnded()) await postgres.kill();
}
