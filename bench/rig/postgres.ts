// The database of a rig: the embedded Postgres as the service starts it, or Debian's in the configuration it comes with, as somebody else's.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startEmbedded } from '../../src/db/embedded.ts';
import { debianPrograms, identity, makeCluster } from '../../test/support/debian-cluster.ts';

export interface RigPostgres {
  url: string;
  /** Of the postmaster. */
  pid: number;
  destroy(): Promise<void>;
}

export type PostgresKind = 'embedded' | 'debian';

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
  const { files, url } = await makeCluster(folder, settings);
  const log = join(folder, 'log');
  const output = openSync(log, 'a');
  const server = spawn(join(debianPrograms, 'postgres'), ['-D', files], {
    ...identity(),
    cwd: '/',
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', output, output],
  });
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
