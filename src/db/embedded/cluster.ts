// The files of a database cluster (initdb makes them, whole or not at all), and the running server as the operating system sees it:
// postmaster.pid, whether that process lives, how it is ended. embedded.ts starts it.

import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refused } from '../../core/refused.ts';
import { databaseUser, type Identity, nameOf } from './identity.ts';
import { type Binaries, draftPlace, keepOwner, systemHome } from './place.ts';

export const USER = 'ramz';

export interface Cluster {
  /** Postgres' own data directory. */
  files: string;
  logFile: string;
  /** Of the superuser `ramz`; kept in a file only the starting user may read. */
  password: string;
}

/**
 * Opens the cluster in `dataDir`, making it first when there is none. Safe when several processes do so at once.
 * @throws Refused where it is another user's.
 */
export function openCluster(dataDir: string, binaries: Binaries, identity: Identity): Cluster {
  if (!isMade(dataDir)) makeCluster(dataDir, binaries, identity);
  const files = realpathSync(join(dataDir, 'cluster')); // The name in the server's command line, however it is reached.
  if (identity.uid !== undefined) {
    handOver(files, identity);
    if (isBelowHome(files)) keepOwner(dirname(files), dataDir);
  }
  return {
    files,
    logFile: join(dataDir, 'postgres.log'),
    password: readFileSync(join(dataDir, 'password'), 'utf8').trim(),
  };
}

const isBelowHome = (files: string) => files.startsWith(`${realpathSync(systemHome)}/`);

function isMade(dataDir: string): boolean {
  const files = join(dataDir, 'cluster');
  try {
    statSync(join(files, 'PG_VERSION'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') return false;
    const owner = nameOf(statSync(files).uid);
    const who = owner === databaseUser ? 'root' : owner;
    throw new Refused(
      `${files} belongs to ${owner}, and this user may not read it: start as ${who}, or set DATABASE_URL`,
    );
  }
}

/**
 * A cluster that was made while the server ran as another user. A server that runs keeps its user until its end. Root's own are below
 * `systemHome`: elsewhere it is that of an ordinary user, whom it would be taken from.
 */
function handOver(files: string, { uid, gid }: Identity): void {
  const owner = statSync(files).uid;
  if (owner === uid) return;
  const server = readPostmaster(files);
  if (server !== undefined && isServerOf(files, server.pid)) return;
  if (owner !== 0 && !isBelowHome(files)) {
    throw new Refused(
      `${files} belongs to ${nameOf(owner)}, who could not start on it any more if root did: use sudo -u ${nameOf(owner)} for this command. ` +
        `If the database is to be root's from now on, change its owner first: chown -R ${uid}:${gid} ${files}`,
    );
  }
  execFileSync('chown', ['-R', `${uid}:${gid}`, files]);
}

function makeCluster(dataDir: string, binaries: Binaries, identity: Identity): void {
  const { draft, publish } = draftPlace(dataDir, identity);
  const files = join(draft, 'cluster');
  const password = randomBytes(24).toString('base64url');
  const passwordForInit = join(draft, 'password.init');
  mkdirSync(files, { mode: 0o700 });
  writeFileSync(join(draft, 'password'), password, { mode: 0o600 });
  writeFileSync(passwordForInit, password, { mode: 0o600 });
  if (identity.uid !== undefined && identity.gid !== undefined)
    for (const path of [files, passwordForInit]) chownSync(path, identity.uid, identity.gid);

  const args = ['-D', files, '-U', USER, '--auth=scram-sha-256', `--pwfile=${passwordForInit}`, '--encoding=UTF8'];
  // The builtin provider sorts alike on every machine and needs no locale installed in the system.
  args.push('--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8');
  const init = spawnSync(binaries.initdb, args, { ...identity, cwd: '/', env: serverEnvironment(), encoding: 'utf8' });
  rmSync(passwordForInit, { force: true });
  if (init.status !== 0) {
    rmSync(draft, { recursive: true, force: true });
    throw new Error(`initdb failed: ${init.error?.message ?? (init.stderr.trim() || init.signal)}`);
  }
  if (!publish() && !existsSync(join(dataDir, 'cluster', 'PG_VERSION')))
    throw new Error(`${dataDir} exists and holds no database: move it away or set DATABASE_URL`);
}

/** Nothing of the caller's environment (PGDATA, PGPORT, LC_ALL, …) may steer the server. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
}

export interface Postmaster {
  pid: number;
  port: number;
  /** It takes connections. False while it starts (or recovers) and while it shuts down. */
  ready: boolean;
}

/** Reads postmaster.pid (lines: pid, directory, start time, port, socket, address, shared memory, status). */
export function readPostmaster(files: string): Postmaster | undefined {
  try {
    const lines = readFileSync(join(files, 'postmaster.pid'), 'utf8').split('\n');
    const pid = Number(lines[0]);
    if (!Number.isInteger(pid) || pid <= 0) return undefined;
    return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
  } catch {
    return undefined;
  }
}

/**
 * Whether `pid` is a live server of these files. Looking at the command, not only at the number, distinguishes it from
 * another process with the number of a dead server, and from a zombie that is never reaped (a container without an init).
 */
export const isServerOf = (files: string, pid: number): boolean => commandOf(pid)?.includes(files) ?? false;

/** Words of the command that `pid` runs, with a space between them; undefined where it runs none. */
export function commandOf(pid: number): string | undefined {
  try {
    return existsSync('/proc/self/cmdline')
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      : execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return undefined;
  }
}

/** Fast shutdown (open transactions are rolled back); after 10 s an immediate one, which recovers at the next start. */
export async function endPostmaster(files: string, pid: number): Promise<void> {
  for (const [signal, patienceMs] of [
    ['SIGINT', 10_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ] as const) {
    if (!isServerOf(files, pid)) return; // Never another process that got the number.
    try {
      process.kill(pid, signal);
    } catch {
      return; // It ended between the look and the signal.
    }
    for (const until = Date.now() + patienceMs; Date.now() < until; await sleep(10))
      if (!isServerOf(files, pid)) return;
  }
  throw new Error(`Postgres (pid ${pid}) does not end`);
}
