// A Postgres of Debian's, in the configuration it comes with, in a process of this test file's own. On a machine of somebody else's it is
// this one that the service meets, and not the embedded one.
import { execFileSync } from 'node:child_process';
import { appendFileSync, chownSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { startProcess, type TestProcess } from './process.ts';
import { execute } from './server.ts';
import { debianPrograms } from './tool.ts';
import { until } from './wait.ts';

/** Postgres does not run as root: then its files and its process are those of the user that Debian's package makes. */
export function identity(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Gives a file or folder to that user. */
export function give(path: string): string {
  const { uid, gid } = identity();
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
  return path;
}

export interface DebianPostgres {
  /** Of the database `postgres`, as its superuser `admin`; nobody is asked for a password. */
  url: string;
  port: number;
  files: string;
  process: TestProcess;
  /** Resolves when it takes connections. Does nothing where it runs. */
  start(): Promise<void>;
  kill(): Promise<void>;
}

/** Runs one of Debian's programs for Postgres to its end. @throws with what it wrote. */
export function runProgram(program: string, args: readonly string[]): string {
  const env = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' };
  return execFileSync(join(debianPrograms, program), args, { ...identity(), cwd: '/', env, encoding: 'utf8' });
}

/** Makes a cluster in `folder` and starts it. */
export async function debianPostgres(folder: string, settings: Readonly<Record<string, string>> = {}) {
  give(folder);
  const files = join(folder, 'cluster');
  runProgram('initdb', ['-D', files, '-U', 'admin', '--auth=trust', '--encoding=UTF8']);
  return startCluster(files, settings);
}

/** Starts a cluster that is there, on a port that stays the same. */
export async function startCluster(files: string, settings: Readonly<Record<string, string>> = {}) {
  const port = await freePort();
  const sockets = join(files, '..', 'sockets');
  mkdirSync(sockets, { recursive: true });
  give(sockets);
  const own = { port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: sockets, ...settings };
  const lines = Object.entries(own).map(([name, value]) => `${name} = '${value}'\n`);
  appendFileSync(join(files, 'postgresql.conf'), lines.join(''));
  const url = `postgres://admin@127.0.0.1:${port}/postgres`;
  const launch = () =>
    startProcess(join(debianPrograms, 'postgres'), {
      args: ['-D', files],
      cwd: '/',
      env: { LC_ALL: 'C.UTF-8' },
      ...identity(),
    });
  const postgres: DebianPostgres = {
    url,
    port,
    files,
    process: launch(),
    async start() {
      if (postgres.process.hasEnded()) postgres.process = launch();
      await until(() => execute(url, 'select 1').catch(() => null), { what: 'Postgres to take connections' });
    },
    async kill() {
      await postgres.process.end('SIGQUIT'); // The postmaster's own end would leave its children to find out by themselves.
    },
  };
  await postgres.start();
  return postgres;
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
