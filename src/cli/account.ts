// `npm run account -- …`: administration of accounts, keys and sender names, straight on the database, because it must work without a
// running service. Settings, database and exit code are here; the words are in account/.

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, loadConfig } from '../config.ts';
import { idSource } from '../core/ids.ts';
import { type KeyRing, parseKeyRing } from '../core/secrets/key-ring.ts';
import { createDatabase } from '../db/client.ts';
import { schemaState } from '../db/migrate.ts';
import type { Queryable } from '../db/queryable.ts';
import { withSchema } from '../db/schema.ts';
import { requiredKeys } from '../db/secrets/required-keys.ts';
import { Accounts } from '../engine/accounts/accounts.ts';
import type { AccountsContext } from '../engine/accounts/context.ts';
import { Refusal, runAccount, usage } from './account/run.ts';
import { openDatabase } from './migrate.ts';

export interface AccountOptions {
  env: NodeJS.ProcessEnv;
  say(line: string): void;
}

/** Resolves with the exit code: 0 done, 1 refused, 2 not understood. */
export async function account(args: readonly string[], { env, say }: AccountOptions): Promise<number> {
  if (args.length === 0 || args[0] === 'help' || args[0] === '--help') {
    say(usage);
    return args.length === 0 ? 2 : 0;
  }
  try {
    await withDatabase(besideSandbox(env), args, say);
    return 0;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    say(error.message);
    return error.exitCode;
  }
}

async function withDatabase(env: NodeJS.ProcessEnv, args: readonly string[], say: (line: string) => void) {
  const config = readConfig(env);
  const parsed = parseKeyRing(config.server.keyRingJson);
  if (parsed.kind === 'invalid') throw new Refusal(parsed.errors.join('\n'), 1);
  const server = await openDatabase(env);
  const database = createDatabase<unknown>(server.url, { max: 2, lanes: 1, applicationName: 'ramz account' });
  try {
    const state = await schemaState(database.db);
    if (state.kind === 'behind') throw new Refusal('the database is not up to date: run `npm run migrate` first', 1);
    if (state.kind === 'newer') throw new Refusal('the database is newer than this program: use the newer one', 1);
    // A key made with another ring would be refused by every running process.
    if (args[0] === 'create' || (args[0] === 'key' && args[1] === 'create'))
      await requireRing(database.lanes, parsed.ring);
    const context: AccountsContext = {
      db: withSchema(database.db),
      ring: parsed.ring,
      now: Date.now,
      ids: idSource({ now: Date.now, randomBytes }),
      prefixes: { livePrefix: config.server.liveKeyPrefix, testPrefix: config.server.testKeyPrefix },
      settings: { operators: config.operators.map(({ id }) => id) },
    };
    await runAccount(args, { ...context, accounts: new Accounts(context), say });
  } finally {
    await database.close();
    await server.stop();
  }
}

async function requireRing(db: Queryable, ring: KeyRing): Promise<void> {
  const keys = await requiredKeys(db, ring);
  if (keys.kind === 'missing') throw new Refusal(keys.reason, 1);
}

function readConfig(env: NodeJS.ProcessEnv): Config {
  const loaded = loadConfig({ env, readFile: (path) => readFileSync(path, 'utf8') });
  if (loaded.kind === 'ok') return loaded.config;
  throw new Refusal(loaded.errors.map(({ path, message }) => `${path}: ${message}`).join('\n'), 1);
}

/** Beside `npm start` nothing has to be set: its key ring and configuration lie in the data directory. */
function besideSandbox(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const inData = (name: string) => {
    const path = join(env.RAMZ_DATA || '.data', name);
    return existsSync(path) ? path : undefined;
  };
  const keyRing = env.RAMZ_KEY_RING || env.RAMZ_KEYS ? undefined : inData('keys.json');
  const config = env.RAMZ_CONFIG ? undefined : inData('sandbox.config.json');
  return { ...env, ...(keyRing ? { RAMZ_KEY_RING: keyRing } : {}), ...(config ? { RAMZ_CONFIG: config } : {}) };
}
