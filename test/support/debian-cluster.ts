// Clusters of Debian's Postgres, in the configuration they come with: on a machine of somebody else's it is this one that the service meets,
// and not the embedded one. Knows no test runner; the servers of test files are in debian-postgres.ts.
import { execFileSync } from 'node:child_process';
import { appendFileSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

export const debianPrograms = '/usr/lib/postgresql/15/bin';

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

/** Runs one of Debian's programs for Postgres to its end. @throws with what it wrote. */
export function runProgram(program: string, args: readonly string[]): string {
  const env = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' };
  return execFileSync(join(debianPrograms, program), args, { ...identity(), cwd: '/', env, encoding: 'utf8' });
}

export interface DebianCluster {
  files: string;
  /** Stays the same over restarts. */
  port: number;
  /** Of the database `postgres`, as its superuser `admin`; nobody is asked for a password. */
  url: string;
}

/** Makes a cluster in `folder`, which is given to Postgres' user. */
export function makeCluster(folder: string, settings: Readonly<Record<string, string>> = {}): Promise<DebianCluster> {
  const files = join(give(folder), 'cluster');
  runProgram('initdb', ['-D', files, '-U', 'admin', '--auth=trust', '--encoding=UTF8']);
  return placed(files, settings);
}

/** Gives a cluster that is there a port of its own. */
export async function placed(files: string, settings: Readonly<Record<string, string>> = {}): Promise<DebianCluster> {
  const port = await freePort();
  const sockets = join(files, '..', 'sockets');
  mkdirSync(sockets, { recursive: true });
  give(sockets);
  const own = { port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: sockets, ...settings };
  const lines = Object.entries(own).map(([name, value]) => `${name} = '${value}'\n`);
  appendFileSync(join(files, 'postgresql.conf'), lines.join(''));
  return { files, port, url: `postgres://admin@127.0.0.1:${port}/postgres` };
}
