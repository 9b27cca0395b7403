// A database of its own for each test file, copied from the migrated template; dropped at the end of the file, which
// fails when a connection to it was left open. Belongs at the top of a test file: `const database = await testDatabase()`.
import { afterAll, inject } from 'vitest';
import { type CellEpoch, CellMap, homeCell } from '../../src/core/fleet/cells.ts';
import { createDatabase, type Database, type DatabaseOptions } from '../../src/db/client.ts';
import { type Celled, evenly, overCells } from './cells.ts';
import { databaseUrl, execute } from './server.ts';
import { until } from './wait.ts';

export interface TestDatabase<Schema> extends Database<Schema> {
  url: string;
  /** Another set of connections, as a second process would have; closed at the end of the file at the latest. */
  connect(options?: DatabaseOptions): Database<Schema>;
}

/** A busy machine needs long for a new connection. */
const patient: DatabaseOptions = { max: 5, lanes: 2, connectTimeoutMs: 60_000 };

let made = 0;

/** Over cells where the run is (the project `cells`): eight databases on the servers of the run. */
export async function testDatabase<Schema = unknown>(options: DatabaseOptions = {}): Promise<TestDatabase<Schema>> {
  const names = [homeCell, 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  if (inject('databaseServer').others.length > 0) return testCells<Schema>({ epochs: evenly(names), options });
  const url = await makeDatabase();
  return tested([url], url, (own) => createDatabase<Schema>(url, { ...patient, ...options, ...own }));
}

/** One that is on a server of the test's own. Its connections are closed at the end of the file, and it is left as it is. */
export function databaseAt<Schema>(url: string): TestDatabase<Schema> {
  const connect = (options: DatabaseOptions = {}) => {
    const database = createDatabase<Schema>(url, { max: 2, lanes: 1, ...options });
    afterAll(() => database.close());
    return database;
  };
  return { ...connect(), url, connect };
}

/** Several databases as cells, on the servers of the run. */
export async function testCells<Schema = unknown>({
  epochs,
  options = {},
}: {
  epochs: readonly CellEpoch[];
  options?: DatabaseOptions;
}): Promise<TestDatabase<Schema> & Celled> {
  const map = new CellMap(epochs);
  const urls = new Map<string, string>();
  for (const [at, name] of map.names.entries()) urls.set(name, await makeDatabase(at));
  const home = urls.get(homeCell) ?? '';
  return tested([...urls.values()], home, (own) =>
    overCells<Schema>({ map, urls }, { ...patient, ...options, ...own }),
  );
}

/** The URL of a new one, on one server of the run. */
async function makeDatabase(at = 0): Promise<string> {
  const { url, template, others } = inject('databaseServer');
  const servers = [url, ...others];
  const server = servers[at % servers.length] ?? url;
  made += 1;
  const name = `ramz_test_${process.pid}_${made}_${Date.now()}`;
  await execute(server, `create database ${name} template ${template}`);
  return databaseUrl(server, name);
}

function tested<Made extends { close(): Promise<void> }>(
  urls: readonly string[],
  url: string,
  make: (own: DatabaseOptions) => Made,
) {
  const opened: Made[] = [];
  const connect = (own: DatabaseOptions = {}) => {
    const database = make(own);
    let closing: Promise<void> | undefined;
    const close = () => {
      closing ??= database.close();
      return closing;
    };
    const closedOnce = { ...database, close };
    opened.push(closedOnce);
    return closedOnce;
  };
  const main = connect();
  afterAll(async () => {
    await Promise.all(opened.map((database) => database.close()));
    for (const each of urls) {
      const server = databaseUrl(each, 'postgres');
      const name = new URL(each).pathname.slice(1);
      try {
        await noConnections(server, name);
      } finally {
        await execute(server, `drop database ${name} with (force)`);
      }
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
