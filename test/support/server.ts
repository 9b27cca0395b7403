// Vitest global setup: one Postgres for the run, with a migrated template database. Tests use it through database.ts.
// TEST_DATABASE_URL names a server to use instead (its user must be allowed to create databases).
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { createDatabase } from '../../src/db/client.ts';
import { startEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { debianPrograms, makeCluster, runProgram } from './debian-cluster.ts';
import { isRunning } from './pid.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** `others`: further clusters with the same template, where the run is over cells. */
    databaseServer: { url: string; template: string; others: readonly string[] };
  }
}

const FOLDER = join(import.meta.dirname, '..', '..', '.data', 'test');

/** The run's databases die with it, so what protects them from a power cut would only cost time. */
const FAST = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_connections: '300' };

interface TestServer {
  url: string;
  template: string;
  others: readonly string[];
  end(): Promise<void>;
}

type Kind = 'usual' | 'postgres-15' | 'cells';

/** One server of a kind for all projects of a run: vitest loads this file once for each of them, in one process. */
const shared = globalThis as { ramzTestServers?: Map<Kind, { users: number; opened: Promise<TestServer> }> };

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const kind = kindOf(project.name);
  shared.ramzTestServers ??= new Map();
  const servers = shared.ramzTestServers;
  const own = servers.get(kind) ?? { users: 0, opened: openWithTemplate(kind) };
  servers.set(kind, own);
  own.users += 1;
  const { url, template, others, end } = await own.opened;
  project.provide('databaseServer', { url, template, others });
  return async () => {
    own.users -= 1;
    if (own.users > 0) return;
    servers.delete(kind);
    await end();
  };
}

function kindOf(project: string): Kind {
  if (project === 'postgres-15' && existsSync(debianPrograms)) return 'postgres-15';
  return project === 'cells' ? 'cells' : 'usual';
}

async function openWithTemplate(kind: Kind): Promise<TestServer> {
  if (kind === 'cells') return openClusters();
  const server = await (kind === 'usual' ? openServer() : openDebian());
  try {
    const template = `ramz_template_${process.pid}`;
    await makeTemplate(server.url, template);
    const end = async () => {
      await execute(server.url, `drop database ${template} with (force)`);
      await server.end();
    };
    return { url: server.url, template, others: [], end };
  } catch (error) {
    await server.end();
    throw error;
  }
}

async function makeTemplate(serverUrl: string, name: string): Promise<void> {
  await execute(serverUrl, `create database ${name}`);
  const { db, close } = createDatabase<unknown>(databaseUrl(serverUrl, name), { max: 1 });
  try {
    await migrate(db);
  } finally {
    await close();
  }
}

/** Three clusters, whatever TEST_DATABASE_URL names: cells are to be different servers. */
async function openClusters(): Promise<TestServer> {
  await removeAbandoned();
  const template = `ramz_template_${process.pid}`;
  const servers = await Promise.all([1, 2, 3].map((n) => openEmbedded(`${process.pid}.${n}`)));
  await Promise.all(servers.map(({ url }) => makeTemplate(url, template)));
  const [url = '', ...others] = servers.map((server) => server.url);
  return { url, template, others, end: async () => void (await Promise.all(servers.map(({ end }) => end()))) };
}

async function openServer(): Promise<{ url: string; end: () => Promise<void> }> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return { url: given, end: async () => {} };
  await removeAbandoned();
  return openEmbedded(String(process.pid));
}

async function openEmbedded(folder: string): Promise<{ url: string; end: () => Promise<void> }> {
  const server = await startEmbedded({ dataDir: join(FOLDER, folder), settings: FAST });
  // After Ctrl-C vitest exits without teardown; the server is no child that would die with it.
  const endNow = () => process.kill(server.pid, 'SIGINT');
  process.once('exit', endNow);
  return {
    url: server.url,
    end: async () => {
      process.off('exit', endNow);
      await server.destroy();
    },
  };
}

/** Debian's own, with its defaults. */
async function openDebian(): Promise<{ url: string; end: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'ramz-postgres-15-'));
  const { files, url } = await makeCluster(folder);
  const endNow = () => runProgram('pg_ctl', ['stop', '-D', files, '-m', 'immediate']);
  runProgram('pg_ctl', ['start', '-w', '-D', files, '-l', join(folder, 'log')]);
  process.once('exit', endNow);
  return {
    url,
    end: async () => {
      process.off('exit', endNow);
      endNow();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A killed test run could not clean up: its server still runs, and its folder bears the number of a dead process. */
async function removeAbandoned(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  for (const name of readdirSync(FOLDER)) {
    if (!/^\d+(\.\d)?$/.test(name) || isRunning(Number.parseInt(name, 10))) continue;
    const abandoned = await startEmbedded({ dataDir: join(FOLDER, name) });
    await abandoned.destroy();
  }
}

/** The same server, another database. */
export function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

/** One statement on a connection of its own. */
export async function execute(url: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url, application_name: 'ramz test support' });
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}
