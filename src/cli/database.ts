// The database a verb works on: the one DATABASE_URL names, else the embedded one in the data directory.

import { join } from 'node:path';
import { startEmbedded } from '../db/embedded.ts';

export interface DatabaseServer {
  url: string;
  /** Ends the embedded server when nobody else uses it; does nothing to one of your own. */
  stop(): Promise<unknown>;
}

export async function openDatabase(env: NodeJS.ProcessEnv): Promise<DatabaseServer> {
  if (env.DATABASE_URL) return { url: env.DATABASE_URL, stop: async () => {} };
  return startEmbedded({ dataDir: join(env.RAMZ_DATA || '.data', 'postgres') });
}
