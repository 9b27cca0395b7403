// A database of its own for each test file, copied from the migrated template; dropped at the end of the file, which
// fails when a connection to it was left open. Belongs at the top of a test file: `const database = await testDatabase()`.
import { afterAll, inject } from 'vitest';
import { createDatabase, type Database, type DatabaseOptions } from '../../src/db/client.ts';
import { databaseUrl, execute } from './server.ts';
import { until } from './wait.ts';

export interface TestDatabase<Schema> extends Database<Schema> {
  url: string;
  /** Another set of connections, as a second process would have; closed at the end of the file at the latest. */
  connect(options?: DatabaseOptions): Database<Schema>;
}

let made = 0;

export async function testDatabase<Schema = unknown>(options: DatabaseOptions = {}): Promise<TestDatabase<Schema>> {
  const server = inject('databaseServer');
  made += 1;
  const name = `ramz_test_${process.pid}_${made}_${Date.now()}`;
  await execute(server.url, `create database ${name} template ${server.template}`);

  const url = databaseUrl(server.url, name);
  const opened: Database<Schema>[] = [];
  const connect = (own: DatabaseOptions = {}) => {
    const database = createDatabase<Schema>(url, { max: 5, lanes: 2, ...options, ...own });
    opened.push(database);
    return database;
  };
  const main = connect();

  afterAll(async () => {
    await Promise.all(opened.map((database) => database.close()));
    try {
      await noConnections(server.url, name);
    } finally {
      await execute(server.url, `drop database ${name} with (force)`);
    }
  });
  return { ...main, url, connect };
}

/** A closed connection's backend takes a moment to end; one still there after 5 s was left open. */
async function noConnections(serverUrl: string, name: string): Promise<void> {
  let left: string[] = [];
  const gone = async () => {
    const { rows } = await execute(
      serverUrl,
      `select application_name || ' (' || coalesce(state, '') || '): ' || query as text
       from pg_stat_activity where datname = '${name}' and backend_type = 'client backend'`,
    );
    left = rows.map((row) => row.text);
    return left.length === 0;
  };
  await until(gone, { what: 'the test database to have no connections' }).catch(() => {
    throw new Error(`connections left open to the test database:\n${left.join('\n')}`);
  });
}
