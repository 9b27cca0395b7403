// `ramz migrate`: brings the database up to this version of the program.

import { migrateAt } from '../db/migrate.ts';
import { openDatabase } from './database.ts';

export async function migrateDatabase({
  env,
  say,
}: {
  env: NodeJS.ProcessEnv;
  say(line: string): void;
}): Promise<number> {
  const server = await openDatabase(env);
  try {
    const applied = await migrateAt(server.url);
    say(applied.length > 0 ? `applied ${applied.join(', ')}` : 'nothing to do: the database is up to date');
    return 0;
  } finally {
    await server.stop();
  }
}
