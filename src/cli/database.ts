// The configuration and the database that a verb of the command line works on, without a running service.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, loadConfig } from '../config.ts';
import type { KeyPurpose } from '../core/secrets/key-ring.ts';
import { createDatabase, type Database } from '../db/client.ts';
import { refusalOf, schemaState } from '../db/migrate.ts';
import { requiredKeys } from '../db/secrets/required-keys.ts';
import { Refusal } from './command.ts';
import { openDatabase } from './migrate.ts';

export interface Opened {
  config: Config;
  /** Home. */
  database: Database<unknown>;
  /** All databases that sessions are in, home first. */
  cells: readonly Database<unknown>[];
}

/** Beside `npm start` nothing has to be set: its database, key ring and configuration lie in the data directory. @throws Refusal */
export async function withDatabase<Result>(
  given: NodeJS.ProcessEnv,
  applicationName: string,
  work: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  const env = besideSandbox(given);
  const config = readConfig(env);
  const server = await openDatabase(env, { make: false });
  const connect = (url: string) => createDatabase<unknown>(url, { max: 2, lanes: 1, applicationName });
  const database = connect(server.url);
  const cells = [database, ...[...(server.cells?.urls.values() ?? [])].map(connect)];
  try {
    const state = await schemaState(database.db);
    if (state.kind === 'behind') throw new Refusal('the database is not up to date: run `npm run migrate` first', 1);
    const refusal = refusalOf(state);
    if (refusal) throw new Refusal(refusal, 1);
    return await work({ config, database, cells });
  } finally {
    await Promise.all(cells.map((cell) => cell.close()));
    await server.stop();
  }
}

/**
 * Before a key or a token is made, or a number is listed or erased: with another ring the one would be refused by every running process, and the
 * other would not be found. @param purposes What the ring has to have the keys of; default: all. @throws Refusal
 */
export async function requireRing(
  { config, database, cells }: Opened,
  purposes?: readonly KeyPurpose[],
): Promise<void> {
  const databases = { home: database.lanes, cells: cells.map(({ lanes }) => lanes) };
  const keys = await requiredKeys(databases, config.server.keyRing, purposes);
  if (keys.kind === 'missing') throw new Refusal(keys.reason, 1);
}

/** @throws Refusal that names every setting at fault. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const loaded = loadConfig({ env, readFile: (path) => readFileSync(path, 'utf8') });
  if (loaded.kind === 'ok') return loaded.config;
  throw new Refusal(loaded.errors.map(({ path, message }) => `${path}: ${message}`).join('\n'), 1);
}

/** The environment with what `npm start` keeps in the data directory, where nothing else is set. */
export function besideSandbox(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const inData = (name: string) => {
    const path = join(env.RAMZ_DATA || '.data', name);
    return existsSync(path) ? path : undefined;
  };
  const keyRing = env.RAMZ_KEY_RING || env.RAMZ_KEYS ? undefined : inData('keys.json');
  const config = env.RAMZ_CONFIG ? undefined : inData('sandbox.config.json');
  return { ...env, ...(keyRing ? { RAMZ_KEY_RING: keyRing } : {}), ...(config ? { RAMZ_CONFIG: config } : {}) };
}
