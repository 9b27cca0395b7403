// A Postgres of the test file's own, on a port that stays the same: to be stopped, killed and started again.
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { prepareSchema } from '../../../src/db/migrate.ts';
import type { Schema } from '../../../src/db/schema.ts';
import { Journal } from '../../chaos/journal.ts';
import { Postgres } from '../../chaos/postgres.ts';
import { databaseAt, type TestDatabase } from '../../support/database.ts';
import { testFolder } from '../../support/folder.ts';

export interface OwnPostgres {
  database: TestDatabase<Schema>;
  /** SIGSTOP to every process of it: connections stay, nothing answers, new ones are taken by the kernel alone. */
  freeze(): void;
  /** SIGCONT. Does nothing where it is not frozen. */
  thaw(): void;
  /** SIGKILL to the server; resolves once it is gone. */
  kill(): Promise<void>;
  /** Resolves once it takes connections, recovery included. Does nothing where it runs. */
  start(): Promise<void>;
}

export async function ownPostgres(): Promise<OwnPostgres> {
  const folder = testFolder('postgres');
  const postgres = new Postgres(join(folder, 'postgres'), new Journal([]));
  await postgres.start();
  const atOnce = () => postgres.killNow();
  process.once('exit', atOnce); // Where the hook below does not get to run.
  afterAll(async () => {
    await postgres.destroy();
    process.off('exit', atOnce);
  });
  expect(await prepareSchema(postgres.url, { migrate: true })).toMatchObject({ kind: 'ready' });
  return {
    database: databaseAt<Schema>(postgres.url),
    freeze: () => postgres.freeze(),
    thaw: () => postgres.thaw(),
    kill: () => postgres.kill(),
    start: async () => {
      if (!postgres.ready) await postgres.start();
    },
  };
}
