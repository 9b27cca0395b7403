// `ramz migrate`: brings the database up to this version of the program.

import { prepareSchema } from '../db/migrate.ts';
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
