// `ramz migrate` and `ramz sandbox`, and the database that a verb works on. Both verbs run outside the service: a deployment may migrate
// before it starts, and tests need the sandbox alone.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadDatabaseUrl } from '../config.ts';
import { checkServer } from '../db/connections/server.ts';
import { startEmbedded } from '../db/embedded.ts';
import { prepareSchema } from '../db/migrate.ts';

export async function migrateDatabase({
  env,
  say,
}: {
  env: NodeJS.ProcessEnv;
  say(line: string): void;
}): Promise<number> {
  const server = await openDatabase(env);
  try {
    const check = await checkServer(server.url, { connections: 2 });
    if (check.kind === 'refused') {
      say(check.reason);
      return 1;
    }
    const outcome = await prepareSchema(server.url, { migrate: true });
    if (outcome.kind === 'refused') {
      say(outcome.reason);
      return 1;
    }
    const { applied } = outcome;
    say(applied.length > 0 ? `applied ${applied.join(', ')}` : 'nothing to do: the database is up to date');
    return 0;
  } finally {
    await server.stop();
  }
}

/** The database a verb works on: the one DATABASE_URL names, else the embedded one in the data directory. */
export interface DatabaseServer {
  url: string;
  /** Ends the embedded server when no other process uses it; does nothing to one of your own. */
  stop(): Promise<unknown>;
}

/** @throws when DATABASE_URL is wrong, with a message for people. */
export async function openDatabase(env: NodeJS.ProcessEnv): Promise<DatabaseServer> {
  const { value: url, errors } = loadDatabaseUrl({ env, readFile: (path) => readFileSync(path, 'utf8') });
  const [problem] = errors;
  if (problem) throw new Error(`${problem.path}: ${problem.message}`);
  if (url) return { url, stop: async () => {} };
  return startEmbedded({ dataDir: join(env.RAMZ_DATA || '.data', 'postgres') });
}
