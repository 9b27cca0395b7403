// The configuration and the databases that a verb of the command line works on, without a running service, and whether they are all that the service
// works on: what is in a cell that was left out would be neither found nor counted, and an erasure would say that nothing is left.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, loadConfig } from '../config.ts';
import { type CellMap, homeCell, ofCell, oneCell } from '../core/fleet/cells.ts';
import type { KeyPurpose } from '../core/secrets/key-ring.ts';
import { createDatabase, type Database, type DatabaseOptions } from '../db/client.ts';
import { cellName, cellsInUse, mistakenCell } from '../db/fleet/cells.ts';
import { refusalOf, schemaState } from '../db/migrate.ts';
import { isOutage } from '../db/outage.ts';
import { requiredKeys, usableKeys } from '../db/secrets/required-keys.ts';
import { Refusal, requireReach, type VerbOptions } from './command.ts';
import { type DatabaseServer, openDatabase } from './migrate.ts';

export interface Opened {
  config: Config;
  /** Home. */
  database: Database<unknown>;
  /** All databases that sessions are in, home first. */
  cells: readonly Database<unknown>[];
  /** The same databases, by the names of their cells. */
  named: CellDatabases;
  /** Which of them the sessions of a shard are in. */
  map: CellMap;
  /** See `DatabaseServer`. */
  embedded: string | null;
}

/**
 * The database that a verb reads or changes. Where DATABASE_URL was forgotten, that is not the service's, and what the verb says would be taken for
 * something about the service: so the embedded one is named, beside what was asked for. @throws Refusal
 */
export async function openStored({ env, say, complain = say }: VerbOptions): Promise<DatabaseServer> {
  const server = await openDatabase(env, { make: false });
  if (server.embedded) complain(`DATABASE_URL is not set: this is ${server.embedded}`);
  return server;
}

/** Beside `npm start` nothing has to be set: its database, key ring and configuration lie in the data directory. @throws Refusal */
export async function withDatabase<Result>(
  options: VerbOptions,
  applicationName: string,
  work: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  const env = besideSandbox(options.env);
  const config = readConfig(env);
  const server = await openStored({ ...options, env });
  const named = connectCells(server, { max: 2, lanes: 1, applicationName });
  const database = ofCell(named, homeCell);
  try {
    await requireHome(named);
    const map = server.cells?.map ?? oneCell;
    return await work({ config, database, cells: [...named.values()], named, map, embedded: server.embedded });
  } finally {
    await closeCells(named);
    await server.stop();
  }
}

/**
 * Before a key or a token is made, or a number is listed or erased: with another ring the one would be refused by every running process, and the
 * other would not be found. @param purposes What the ring has to have the keys of; default: all. @throws Refusal
 */
export async function requireRing(
  { config, database, named }: Opened,
  purposes?: readonly KeyPurpose[],
): Promise<void> {
  const { keyRing } = config.server;
  // Keys, tokens and lists are at home: a cell that is away keeps none of them from being made. A start asks it for what its sessions name.
  const cells = [database, ...(await requireOthers(named))];
  const databases = { home: database.lanes, cells: cells.map(({ lanes }) => lanes) };
  const required = await requiredKeys(databases, keyRing, purposes);
  const keys = required.kind === 'missing' ? required : await usableKeys(database.lanes, keyRing, purposes);
  if (keys.kind === 'missing') throw new Refusal(keys.reason, 1);
}

/** @throws Refusal that names every setting at fault. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const loaded = loadConfig({ env, readFile: (path) => readFileSync(path, 'utf8') });
  if (loaded.kind === 'ok') return loaded.config;
  throw new Refusal(loaded.errors.map(({ path, message }) => `${path}: ${message}`).join('\n'), 1);
}

/**
 * The environment with what `npm start` keeps in the data directory, where nothing else is set. Its key ring and its configuration are those of the
 * embedded database: for a database of one's own a ring has to be named, because a foreign one would be changed, and announced there. @throws Refusal
 */
export function besideSandbox(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isOwn = Boolean(env.DATABASE_URL || env.DATABASE_URL_FILE);
  const inData = (name: string) => {
    // What is there is not taken beside a database of one's own, even where this user may read it.
    if (!isOwn) requireReach(env);
    const path = join(env.RAMZ_DATA || '.data', name);
    return existsSync(path) ? path : undefined;
  };
  const keyRing = env.RAMZ_KEY_RING || env.RAMZ_KEYS ? undefined : inData('keys.json');
  if (keyRing && isOwn)
    throw new Refusal(
      `RAMZ_KEY_RING: is missing: DATABASE_URL is set, and ${keyRing} may be the ring of another database. Set RAMZ_KEY_RING to the path of the ring that the service there has, and RAMZ_CONFIG to its configuration (of \`npm start\` with this DATABASE_URL: ${keyRing} and sandbox.config.json beside it)`,
      1,
    );
  const config = env.RAMZ_CONFIG || isOwn ? undefined : inData('sandbox.config.json');
  return { ...env, ...(keyRing ? { RAMZ_KEY_RING: keyRing } : {}), ...(config ? { RAMZ_CONFIG: config } : {}) };
}

/** The section of the configuration that a verb is about is not there. Often its file was not named: what is then said holds for no deployment. */
export const notConfigured = (what: string): string =>
  `${what} is configured: RAMZ_CONFIG has to name the file that the service has`;

/** Home first. */
export type CellDatabases = ReadonlyMap<string, Database<unknown>>;

/** Opens no connection yet. */
export function connectCells(
  { url, cells }: Pick<DatabaseServer, 'url' | 'cells'>,
  options: DatabaseOptions,
): CellDatabases {
  const urls = [[homeCell, url] as const, ...(cells?.urls ?? [])];
  return new Map(urls.map(([name, own]) => [name, createDatabase<unknown>(own, options)]));
}

export const closeCells = async (databases: CellDatabases): Promise<void> =>
  void (await Promise.all([...databases.values()].map((database) => database.close())));

/**
 * Home has to be fit for this program, and home; and what the processes say there may name no cell that is missing here. A cell more is one that is to
 * come. Asks home alone: most verbs need no other. @throws Refusal, or an outage
 */
export async function requireHome(databases: CellDatabases): Promise<void> {
  const home = ofCell(databases, homeCell);
  await requireCell(homeCell, home, databases.size > 1);
  const missing = (await cellsInUse(home.lanes)).filter((name) => !databases.has(name));
  if (missing.length === 0) return;
  const cells = `the cell${missing.length > 1 ? 's' : ''} ${missing.join(', ')}`;
  throw new Refusal(
    `DATABASE_CELLS does not name ${cells}, which the processes of the service work on: what is there would be left out. Give this command the same DATABASE_CELLS as they have`,
    1,
  );
}

/**
 * Each other cell has to be fit, and what it is called here. One that can't be reached is left to the work itself. Returns those that can.
 * @throws Refusal
 */
export async function requireOthers(databases: CellDatabases): Promise<Database<unknown>[]> {
  const others = [...databases].filter(([name]) => name !== homeCell);
  const reached = await Promise.all(
    others.map(async ([name, database]) => {
      try {
        await requireCell(name, database, true);
        return [database];
      } catch (error) {
        if (!isOutage(error)) throw error;
        return [];
      }
    }),
  );
  return reached.flat();
}

async function requireCell(name: string, { db, lanes }: Database<unknown>, several: boolean): Promise<void> {
  const refuse = (reason: string) => new Refusal(several ? `cell ${name}: ${reason}` : reason, 1);
  const state = await schemaState(db);
  if (state.kind === 'behind') throw refuse('the database is not up to date: run `npm run migrate` first');
  const refusal = refusalOf(state);
  if (refusal) throw refuse(refusal);
  const own = await cellName(lanes);
  if (own !== null && own !== name) throw new Refusal(mistakenCell(name, own), 1);
}
