// A database made of several, as cells are: production code is given one cell at a time, and a test's own SQL goes to all of them, as if they
// were one. So the tests of the engine run over cells as they stand.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import { type CellEpoch, type CellMap, homeCell } from '../../src/core/fleet/cells.ts';
import { shardCount } from '../../src/core/ids.ts';
import { createDatabase, type Database, type DatabaseOptions } from '../../src/db/client.ts';
import type { Queryable, Reads } from '../../src/db/queryable.ts';

export interface TestCell {
  name: string;
  url: string;
  database: Database<unknown>;
}

/** What a database of several cells has beside. */
export interface Celled {
  map: CellMap;
  cells: readonly TestCell[];
}

export const isCelled = (database: object): database is Celled => 'cells' in database;

/** Home's alone, for what is stored nowhere else. */
export const homeOf = <Schema>(database: Database<Schema>): Database<Schema> =>
  isCelled(database) ? (database.cells[0]?.database as Database<Schema>) : database;

/** All shards from the beginning of time on, in equal parts. */
export function evenly(names: readonly string[]): CellEpoch[] {
  const border = (at: number) => Math.round((at * shardCount) / names.length);
  return [{ from: 0, ranges: names.map((cell, at) => ({ first: border(at), after: border(at + 1), cell })) }];
}

/** The cell that production code works on at this moment. */
const current = new AsyncLocalStorage<string>();

/** The cell whose statement a test has intercepted; undefined outside of one. */
export const currentCell = (): string | undefined => current.getStore();

/** The connections of `database`, which a test may have put something before, as those of one cell. */
export function inCell<Pool extends Queryable | Reads>(cell: string, pool: Pool): Pool {
  return { query: (statement: never) => current.run(cell, () => pool.query(statement)) } as unknown as Pool;
}

/** Lanes and lists are home's where no cell is said; `db` is all cells' then. */
export function overCells<Schema>(
  { map, urls }: { map: CellMap; urls: ReadonlyMap<string, string> },
  options: DatabaseOptions,
): Database<Schema> & Celled {
  const cells = map.names.map((name): TestCell => {
    const url = urls.get(name) ?? '';
    return { name, url, database: createDatabase<unknown>(url, options) };
  });
  const at = (name: string) => cells.find((cell) => cell.name === name)?.database as Database<unknown>;
  const chosen = (kind: 'lanes' | 'lists') => ({
    query: (...args: [never]) => at(current.getStore() ?? homeCell)[kind].query(...args),
  });
  const pools = new Map(cells.map(({ name, database }) => [name, database.lists as pg.Pool]));
  const pool = {
    async connect() {
      const only = current.getStore();
      const asked = [...pools].filter(([name]) => only === undefined || name === only);
      const clients = await Promise.all(asked.map(([, each]) => each.connect()));
      return {
        query: async (text: string, values: unknown[]) => {
          const some = only === undefined && atHome.test(text) ? clients.slice(0, 1) : clients;
          return merged(text, await inEach(some.map((client) => client.query(text, values))));
        },
        release: () => {
          for (const client of clients) client.release();
        },
      };
    },
    end: async () => {},
  };
  const dialect = new PostgresDialect({ pool: pool as never });
  return {
    map,
    cells,
    db: new Kysely<Schema>({ dialect }),
    plain: new Kysely<unknown>({ dialect }),
    lanes: chosen('lanes') as never,
    lists: chosen('lists') as never,
    close: async () => void (await Promise.all(cells.map(({ database }) => database.close()))),
  };
}

/**
 * What counts is stored in one cell. A statement that loses a race in one of several, and has been done in the others, would be run again
 * (`again` in src/db/queryable.ts) and count twice there: it belongs to `homeOf`, or into a cell.
 */
async function inEach<Result>(asked: readonly Promise<Result>[]): Promise<Result[]> {
  const settled = await Promise.allSettled(asked);
  const failed = settled.find((each) => each.status === 'rejected');
  const isDone = settled.some(({ status }) => status === 'fulfilled');
  if (failed && isDone)
    throw new Error('a statement failed in some cells and was done in others', { cause: failed.reason });
  return Promise.all(asked);
}

/** Tables of which only home's is used. */
const atHome = /\b(bind_slot|shard_map|change_counter)\b/;

/** Of these tables each row is in one cell; rows of all others may be in several, and stand for one. */
const apart =
  /\b(verify_session|message|receipt|session_timeline|pending_number|unsettled|route_queue|rate_bucket|operator_reference|webhook_delivery|webhook_retry|webhook_holder|idempotency)\b/;

/** What one database with all these rows would have answered. A column `n` is a count: rows that agree in all others are one. */
function merged(text: string, results: readonly pg.QueryResult[]): pg.QueryResult {
  const [first] = results as [pg.QueryResult, ...pg.QueryResult[]];
  if (results.length === 1) return first;
  const rowCount = results.reduce((sum, result) => sum + (result.rowCount ?? 0), 0);
  const lists = results.map(({ rows }) => rows ?? []);
  if (lists.flat().some((row) => 'n' in row)) return { ...first, rowCount, rows: counted(lists.flat()) };
  return { ...first, rowCount, rows: apart.test(text) ? lists.flat() : union(lists) };
}

function counted(rows: readonly Record<string, unknown>[]): object[] {
  const groups = Map.groupBy(rows, ({ n: _, ...rest }) => JSON.stringify(rest));
  return [...groups.values()].map((same) => ({ ...same[0], n: same.reduce((sum, { n }) => sum + Number(n ?? 0), 0) }));
}

function union(lists: readonly object[][]): object[] {
  const most = new Map<string, object[]>();
  for (const rows of lists)
    for (const [key, same] of Map.groupBy(rows, (row) => JSON.stringify(row)))
      if (same.length > (most.get(key)?.length ?? 0)) most.set(key, same);
  return [...most.values()].flat();
}
