// `ramz migrate`: brings the database up to this version of the program.

import { createDatabase } from '../db/client.ts';
import { migrate } from '../db/migrate.ts';
import { openDatabase } from './database.ts';

export async function migrateDatabase({
  env,
  say,
}: {
  env: NodeJS.ProcessEnv;
  say(line: string): void;
}): Promise<number> {
  const server = await openDatabase(env);
  const database = createDatabase(server.url, { max: 2, lanes: 1 });
  try {
    const applied = await migrate(database.db);
    say(applied.length > 0 ? `applied ${applied.join(', ')}` : 'nothing to do: the database is up to date');
    return 0;
  } finally {
    await database.close();
    await server.stop();
  }
}
