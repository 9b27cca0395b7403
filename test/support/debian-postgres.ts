// A Postgres of Debian's as a process of this test file's own: to be killed, started again, promoted.
import { join } from 'node:path';
import { type DebianCluster, debianPrograms, identity, makeCluster, placed } from './debian-cluster.ts';
import { startProcess, type TestProcess } from './process.ts';
import { execute } from './server.ts';
import { until } from './wait.ts';

export interface DebianPostgres extends DebianCluster {
  process: TestProcess;
  /** Resolves when it takes connections. Does nothing where it runs. */
  start(): Promise<void>;
  kill(): Promise<void>;
}

/** Makes a cluster in `folder` and starts it. */
export const debianPostgres = async (folder: string, settings?: Readonly<Record<string, string>>) =>
  started(await makeCluster(folder, settings));

/** Starts a cluster that is there. */
export const startCluster = async (files: string) => started(await placed(files));

async function started(cluster: DebianCluster): Promise<DebianPostgres> {
  const launch = () =>
    startProcess(join(debianPrograms, 'postgres'), {
      args: ['-D', cluster.files],
      cwd: '/',
      env: { LC_ALL: 'C.UTF-8' },
      ...identity(),
    });
  const postgres: DebianPostgres = {
    ...cluster,
    process: launch(),
    async start() {
      if (postgres.process.hasEnded()) postgres.process = launch();
      const answers = () => execute(cluster.url, 'select 1').catch(() => postgres.process.hasEnded());
      await until(answers, { what: 'Postgres to take connections' });
      if (postgres.process.hasEnded()) throw new Error(`Postgres ended: ${postgres.process.output()}`);
    },
    async kill() {
      await postgres.process.end('SIGQUIT'); // The postmaster's own end would leave its children to find out by themselves.
    },
  };
  await postgres.start();
  return postgres;
}
