// The embedded Postgres, for running without an installed one: starts the npm package's server on a data directory, or adopts the one already
// running there. Files and identity: embedded/. Connections for the application: client.ts.
//
// The starter may be killed at any time: the server is detached (Ctrl-C must reach it only after the drain), so it survives `kill -9` of
// its starter and the next start adopts it. Who uses it is counted by the server itself: every user holds a shared
// advisory lock, which a dying process can't keep; the last to stop takes it exclusively and ends the server.

import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  type Cluster,
  endPostmaster,
  isServerOf,
  openCluster,
  readPostmaster,
  serverEnvironment,
  USER,
} from './embedded/cluster.ts';
import { serverIdentity } from './embedded/identity.ts';
import { removeCluster } from './embedded/leftovers.ts';
import { serverBinaries } from './embedded/place.ts';

export { isRunning, leftovers, removeCluster } from './embedded/leftovers.ts';

const START_TIMEOUT_MS = 60_000; // Cold 0.7 s; recovery after a crash under load can take many seconds.
const USERS_LOCK = 0x72616d7a; // "ramz": shared while a process uses the server.
/** Between two tries to join the users again. Each takes milliseconds, or is refused at once while the server recovers. */
const REJOIN_EVERY_MS = 100;
/** Who joins again after a crash may be the first: the others are given so long to do the same before they are counted. */
const OTHERS_REJOIN_MS = 1_000;
/** How long a stop waits for the server's recovery. A server that is left running is adopted by the next start. */
const STOP_PATIENCE_MS = 10_000;

/** Server settings; `settings` of the caller win. Durability is never traded for speed here (measured: 10-25 %). */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '256MB',
  synchronous_commit: 'on',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  jit: 'off', // Every statement is small; compiling would cost more than running.
  idle_in_transaction_session_timeout: '60s', // One forgotten snapshot makes claims 13 times slower.
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  // Statements and their DETAIL carry phone numbers.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

export interface EmbeddedOptions {
  /** Made when missing. As root it becomes a link to a folder the server's identity can reach. */
  dataDir: string;
  /** Server settings (`-c name=value`), e.g. a fixed `port`; default any free one. An adopted server keeps those it was started with. */
  settings?: Readonly<Record<string, string>>;
  log?: (message: string) => void;
  /** What its reader should know, or do something about: a user was made, or could not be. */
  warn?: (message: string) => void;
}

export interface Embedded {
  /** Of the database `postgres`, as its superuser, password included: never log it. */
  url: string;
  pid: number;
  /** True when the server was already running: it outlived a crash, or another process uses it too. */
  adopted: boolean;
  /** Resolves when the server has ended, and not by a `stop` or `destroy` of this user: it was killed, or it crashed. */
  lost: Promise<void>;
  /** Ends the server, unless another process still uses it ('shared'): then that one's stop does. Idempotent. */
  stop(): Promise<'stopped' | 'shared'>;
  /** Stops the server, even one in use, and removes its files. For tests. */
  destroy(): Promise<void>;
}

/**
 * Starts (or adopts) the server of a data directory; returns when it takes connections.
 * @throws when the binaries are missing, the directory holds something else, or the server does not come up in 60 s.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const dataDir = resolve(options.dataDir);
  const log = options.log ?? (() => {});
  const identity = serverIdentity(options.warn ?? log);
  const binaries = serverBinaries(identity);
  const cluster = openCluster(dataDir, binaries, identity);
  const settings = { ...SETTINGS, ...options.settings };

  /** The server that this process started; a failed one (lost a race, port taken) is replaced on the next turn. */
  let child: { pid: number | undefined; ended: boolean } | undefined;
  for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline; await sleep(20)) {
    const running = readPostmaster(cluster.files);
    if (running !== undefined && isServerOf(cluster.files, running.pid)) {
      const holder = running.ready ? await hold(cluster, running.port) : undefined;
      if (holder === undefined) continue; // Starting or shutting down.
      const adopted = running.pid !== child?.pid;
      if (adopted) log(`Postgres was already running on ${dataDir} (pid ${running.pid})`);
      return handle({ dataDir, cluster, holder, adopted, ...running });
    }
    if (child !== undefined && !child.ended) continue;
    // A stale file whose number belongs to another process now would make the server refuse to start. Backends of the one before, which may
    // still commit, keep it from starting without the file, too: it looks for their shared memory by the directory's inode.
    if (running !== undefined) rmSync(join(cluster.files, 'postmaster.pid'), { force: true });
    child = spawnServer(binaries.postgres, cluster, { port: String(await freePort()), ...settings }, identity);
  }
  throw new Error(`Postgres did not start within ${START_TIMEOUT_MS / 1000} s:\n${lastLines(cluster.logFile)}`);
}

function spawnServer(
  postgres: string,
  cluster: Cluster,
  settings: Record<string, string>,
  identity: { uid?: number; gid?: number },
): { pid: number | undefined; ended: boolean } {
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const output = openSync(cluster.logFile, 'a', 0o600);
  const server = spawn(postgres, ['-D', cluster.files, ...args], {
    ...identity,
    cwd: '/',
    env: serverEnvironment(),
    detached: true,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  server.unref();
  const child = { pid: server.pid, ended: false };
  server.once('exit', () => {
    child.ended = true;
  });
  server.once('error', () => {
    child.ended = true;
  });
  return child;
}

const connectionString = (cluster: Cluster, port: number) =>
  `postgres://${USER}:${cluster.password}@127.0.0.1:${port}/postgres`;

/** pg has both methods; its types don't. */
type Holder = pg.Client & { ref(): void; unref(): void };

/** Connects and joins the users; undefined when the server goes away meanwhile. Never keeps the process alive. */
async function hold(cluster: Cluster, port: number): Promise<Holder | undefined> {
  const client = new pg.Client({
    connectionString: connectionString(cluster, port),
    application_name: 'ramz embedded',
    connectionTimeoutMillis: 5_000,
  }) as Holder;
  client.on('error', () => {}); // The server was ended from outside; the pools report it.
  try {
    await client.connect();
    // Waits while the last user is shutting the server down, and fails when it is down.
    await client.query('select pg_advisory_lock_shared($1)', [USERS_LOCK]);
    client.unref();
    return client;
  } catch (error) {
    client.end().catch(() => {});
    if ((error as { code?: string }).code === '28P01') throw error; // Not our password: not our server.
    return undefined;
  }
}

function handle(server: {
  dataDir: string;
  cluster: Cluster;
  holder: Holder;
  pid: number;
  port: number;
  adopted: boolean;
}): Embedded {
  const { dataDir, cluster, pid } = server;
  let { holder } = server;
  /** When all other users have joined, too; of `performance.now`, which no change of the clock moves. */
  let isCountedFrom = 0;
  let isOver = false;
  let stopping: Promise<'stopped' | 'shared'> | undefined;
  /** Whether nobody else uses the server, or it has ended. */
  const isAlone = async (): Promise<boolean> => {
    const deadline = performance.now() + STOP_PATIENCE_MS;
    for (;;) {
      holder.ref();
      await sleep(Math.max(0, isCountedFrom - performance.now()));
      const alone = await isLastUser(holder);
      if (alone !== null) return alone;
      const next = await holdAgain(server, { isOver: () => performance.now() > deadline, ref: true });
      if (!next) return !isServerOf(cluster.files, pid);
      holder = next;
      isCountedFrom = performance.now() + OTHERS_REJOIN_MS;
    }
  };
  const stop = async (): Promise<'stopped' | 'shared'> => {
    isOver = true;
    const alone = await isAlone();
    if (alone) await endPostmaster(cluster.files, pid);
    await holder.end().catch(() => {});
    return alone ? 'stopped' : 'shared';
  };
  const lost = Promise.withResolvers<void>();
  const watch = (): void => {
    holder.once('end', async () => {
      const next = await holdAgain(server, { isOver: () => isOver, ref: false });
      if (next) {
        holder = next;
        isCountedFrom = performance.now() + OTHERS_REJOIN_MS;
        watch();
      } else if (!isOver) lost.resolve();
    });
  };
  watch();
  return {
    lost: lost.promise,
    url: connectionString(server.cluster, server.port),
    pid,
    adopted: server.adopted,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
    destroy: async () => {
      isOver = true;
      holder.ref();
      await holder.end().catch(() => {});
      await endPostmaster(cluster.files, pid);
      removeCluster(dataDir);
    },
  };
}

/** After one of its processes has crashed the server ends all connections and goes on: its users join again. Null where it has ended, or `isOver`. */
async function holdAgain(
  { cluster, pid, port }: { cluster: Cluster; pid: number; port: number },
  { isOver, ref }: { isOver(): boolean; ref: boolean },
): Promise<Holder | null> {
  for (; !isOver() && isServerOf(cluster.files, pid); await sleep(REJOIN_EVERY_MS, undefined, { ref })) {
    const holder = await hold(cluster, port).catch(() => undefined);
    if (holder && !isOver()) return holder;
    holder?.end().catch(() => {});
  }
  return null;
}

/** Null where the connection is gone: the server has ended, or it has ended its connections because one of its processes crashed. */
async function isLastUser(holder: pg.Client): Promise<boolean | null> {
  try {
    await holder.query('select pg_advisory_unlock_shared($1)', [USERS_LOCK]);
    const { rows } = await holder.query('select pg_try_advisory_lock($1) as alone', [USERS_LOCK]);
    return rows[0]?.alone === true;
  } catch {
    return null;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolvePort, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolvePort(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

function lastLines(logFile: string): string {
  try {
    return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-10).join('\n');
  } catch {
    return '(no log)';
  }
}
