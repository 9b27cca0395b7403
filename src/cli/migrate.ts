// `ramz migrate` and `ramz sandbox`, and the database that a verb works on. Both verbs run outside the service: a deployment may migrate
// before it starts, and tests need the sandbox alone.

import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type CellsConfig, loadDatabases, loadRetentionDays } from '../config.ts';
import { homeCell } from '../core/fleet/cells.ts';
import { createDatabase } from '../db/client.ts';
import { checkServer } from '../db/connections/server.ts';
import { startEmbedded } from '../db/embedded.ts';
import { othersMigrate, prepareSchema } from '../db/migrate.ts';
import type { Dropped } from '../db/partitions/drop.ts';
import { dropBegunPartitions, ensurePartitions } from '../db/partitions.ts';
import { Refusal, requireReach } from './command.ts';

export async function migrateDatabase({
  env,
  say,
}: {
  env: NodeJS.ProcessEnv;
  say(line: string): void;
}): Promise<number> {
  const retention = loadRetentionDays({ env, readFile: (path) => readFileSync(path, 'utf8') });
  if (retention.value === undefined) {
    for (const { path, message } of retention.errors) say(`configuration: ${path}: ${message}`);
    return 1;
  }
  const server = await openDatabase(env, { make: true });
  const { cells } = server;
  try {
    for (const [name, url] of [[homeCell, server.url] as const, ...(cells?.urls ?? [])]) {
      const which = cells ? `cell ${name}: ` : '';
      const sayOf = (line: string) => say(`${server.embedded ? `${server.embedded}: ` : which}${line}`);
      const { done, line } = await migrateOne(url, retention.value, sayOf);
      sayOf(line);
      if (!done) return 1;
    }
    return 0;
  } finally {
    await server.stop();
  }
}

async function migrateOne(
  url: string,
  retentionDays: number,
  say: (line: string) => void,
): Promise<{ done: boolean; line: string }> {
  const check = await checkServer(url, { connections: 2 });
  if (check.kind === 'refused') return { done: false, line: check.reason };
  const outcome = await prepareSchema(url, { migrate: true, onWait: () => say(othersMigrate) });
  if (outcome.kind === 'refused') return { done: false, line: outcome.reason };
  const { applied } = outcome;
  const { made, dropped, postponed } = await keepPartitions(url, retentionDays);
  for (const name of postponed) say(`${name} ${whyPostponed}`);
  const done = [
    ...(applied.length > 0 ? [`applied ${applied.join(', ')}`] : []),
    ...(made.length > 0 ? [`made ${partitions(made)}`] : []),
    ...(dropped.length > 0 ? [`dropped ${partitions(dropped)}`] : []),
  ];
  const nothing = postponed.length > 0 ? 'nothing else to do' : 'nothing to do: the database is up to date';
  return { done: true, line: done.join('; ') || nothing };
}

/** Of a partition that was to be dropped (db/partitions/drop.ts). */
const whyPostponed =
  "is past retention and is not dropped yet: a transaction still reads from its table, or it is another role's. Run this again as its owner, once that transaction has ended";

const partitions = ({ length }: readonly string[]) => `${length} ${length === 1 ? 'partition' : 'partitions'}`;

/**
 * Makes the partitions that the service would make: where the role of the service can't, nothing can be sent once the present ones end. What is
 * past retention the service drops by itself, but for what an owner of the tables has begun to drop.
 */
async function keepPartitions(url: string, retentionDays: number): Promise<{ made: string[] } & Dropped> {
  const { plain, close } = createDatabase(url, { max: 1, wants: 'read-write' });
  try {
    const made = await ensurePartitions(plain, Date.now(), retentionDays);
    return { made, ...(await dropBegunPartitions(plain)) };
  } finally {
    await close();
  }
}

/** The database a verb works on: the one DATABASE_URL names, else the embedded one in the data directory. */
export interface DatabaseServer {
  url: string;
  /** What the embedded one is called, so that nobody takes it for the one that they meant DATABASE_URL to name; null = it is not the embedded one. */
  embedded: string | null;
  /** The databases beside it; null where there are none. */
  cells: CellsConfig | null;
  /** Resolves when the embedded server has ended by itself; never for one of your own, which may come back. */
  lost: Promise<void>;
  /** Ends the embedded server when no other process uses it; does nothing to one of your own. */
  stop(): Promise<unknown>;
}

/**
 * @param make makes the embedded database where there is none yet. A verb that reads or changes what is stored must not: it would work on an
 *   empty one where DATABASE_URL was forgotten.
 * @throws Refusal when DATABASE_URL is wrong, or there is no database.
 */
export async function openDatabase(env: NodeJS.ProcessEnv, { make }: { make: boolean }): Promise<DatabaseServer> {
  const { value, errors } = loadDatabases({ env, readFile: (path) => readFileSync(path, 'utf8') });
  const [problem] = errors;
  if (problem) throw new Refusal(`${problem.path}: ${problem.message}`, 1);
  if (value?.home) {
    const { home: url, cells } = value;
    return { url, embedded: null, cells, lost: new Promise(() => {}), stop: async () => {} };
  }
  requireReach(env);
  const dataDir = join(env.RAMZ_DATA || '.data', 'postgres');
  if (!make && !existsSync(dataDir))
    throw new Refusal(`there is no database: DATABASE_URL is not set, and ${resolve(dataDir)} is not there`, 1);
  const { url, lost, stop } = await startEmbedded({
    dataDir,
    warn: (line) => process.stderr.write(`${line}\n`),
  });
  const embedded = `the embedded database in ${resolve(env.RAMZ_DATA || '.data')}`;
  return { url, embedded, cells: null, lost, stop };
}
