// The database of a rig: the embedded Postgres as the service starts it, or Debian's in the configuration it comes with, as somebody else's.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startEmbedded } from '../../src/db/embedded.ts';

export interface RigPostgres {
  url: string;
  /** Of the postmaster. */
  pid: number;
  destroy(): Promise<void>;
}

export type PostgresKind = 'embedded' | 'debian';

const debianPrograms = '/usr/lib/postgresql/15/bin';
const startMs = 30_000;

/** Whether Debian's package `postgresql` is installed (bench/apt.txt). */
export const hasDebianPostgres = (): boolean => existsSync(join(debianPrograms, 'initdb'));

/** `settings` come on top of what the kind has by itself. */
export function openPostgres(
  kind: PostgresKind,
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<RigPostgres> {
  return kind === 'embedded' ? startEmbedded({ dataDir, settings }) : startDebian(settings);
}

async function startDebian(settings: Readonly<Record<string, string>>): Promise<RigPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'ramz-bench-debian-'));
  const identity = ownUser();
  const { uid, gid } = identity;
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  const files = join(folder, 'cluster');
  const env = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' };
  const initdb = ['-D', files, '-U', 'bench', '--auth=trust', '--encoding=UTF8'];
  execFileSync(join(debianPrograms, 'initdb'), initdb, { ...identity, cwd: '/', env, stdio: 'ignore' });
  const port = await freePort();
  const own = { port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: '', ...settings };
  const lines = Object.entries(own).map(([name, value]) => `${name} = '${value}'\n`);
  appendFileSync(join(files, 'postgresql.conf'), lines.join(''));
  mkdirSync(join(folder, 'log'));
  const log = join(folder, 'log', 'postgres');
  const output = openSync(log, 'a');
  const server = spawn(join(debianPrograms, 'postgres'), ['-D', files], {
    ...identity,
    cwd: '/',
    env,
    stdio: ['ignore', output, output],
  });
  const url = `postgres://bench@127.0.0.1:${port}/postgres`;
  const destroy = async () => {
    if (server.exitCode === null && server.signalCode === null) {
      const exit = once(server, 'exit');
      server.kill('SIGQUIT');
      await exit;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  for (const until = Date.now() + startMs; Date.now() < until; await sleep(50)) {
    if (await answers(url)) return { url, pid: server.pid as number, destroy };
    if (server.exitCode !== null) break;
  }
  const told = readFileSync(log, 'utf8');
  await destroy();
  throw new Error(`Debian's Postgres did not start:\n${told}`);
}

/** Postgres does not run as root: then its files and its process are those of the user that Debian's package makes. */
function ownUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** For programs that take no port 0. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
