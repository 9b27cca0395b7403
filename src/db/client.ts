// Connections to the database: a pool for Kysely, a small one for the hot lanes, one for lists. No statements live here.

import { createHash } from 'node:crypto';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { cutWhenSilent } from './outage.ts';

export interface DatabaseOptions {
  /** Connections for everything that is not hot. Default 10. */
  max?: number;
  /** Connections for the lanes: two batches in flight for each of a few lanes. Default 4. */
  lanes?: number;
  /** Connections for lists. Default 2. */
  lists?: number;
  /** A statement running longer is canceled. Default 15 000; `?statement_timeout=` in the URL wins. */
  statementTimeoutMs?: number;
  /** A connection whose statement gets no answer for 2 s longer than its timeout is cut. Default true. */
  cutSilent?: boolean;
  /** A transaction left open longer loses its connection (a long snapshot makes claims 13 times slower). Default 15 000. */
  idleInTransactionTimeoutMs?: number;
  /** Waiting longer for a connection is an error. Default 10 000. */
  connectTimeoutMs?: number;
  /** Shown in pg_stat_activity. Default `ramz`. */
  applicationName?: string;
  /** A connection was lost (once or twice for each); the pool replaces it. Default: ignored. */
  onConnectionLost?: (error: Error) => void;
}

export interface Database<Schema> {
  db: Kysely<Schema>;
  /** The same connections, for statements that know no tables: migrations, partitions. */
  plain: Kysely<unknown>;
  /** For `db/verify` only: few, fixed statement texts over arrays; planned once, always by index. */
  lanes: LanesPool;
  /** For lists, which may be long: whatever their callers do, the other connections stay free for other calls. */
  lists: ListsPool;
  /** Waits for the statements in flight and closes every connection. Idempotent. */
  close(): Promise<void>;
}

/**
 * The lanes' tables are huge and their batches small, whatever the statistics say at the moment: plan each statement once
 * (a custom plan for every batch cost more than running it) and never by reading a whole table. Hash joins stay on: the
 * parts of one batch are joined with each other, and by nested loops a save of 150 sessions took 130 ms instead of 47.
 */
const LANE_PLANNING = [
  'plan_cache_mode=force_generic_plan',
  'enable_mergejoin=off',
  'enable_seqscan=off',
  // Postgres 18 (seen in 18.4) ends in a segmentation fault otherwise, and takes every connection with it: a row that was
  // changed while its lock was waited for is looked at again (EvalPlanQual), which sets the statement's run-time pruning up
  // again in memory that is gone right after, and the next part of the statement that prunes reads it. Any batch that meets
  // another process's save is such a statement. Without pruning a row is looked for in every partition, by index.
  'enable_partition_pruning=off',
];

/**
 * A list reads an index in its order and stops when it has enough, or has looked at enough. Where the planner expects few rows it would rather
 * fetch all of them and sort, and then one customer's favourite reference is read to its end for every page.
 */
const LIST_PLANNING = ['enable_sort=off', 'enable_bitmapscan=off', 'enable_seqscan=off'];

/**
 * Compiling pays for statements that take seconds, and these take milliseconds; but with `enable_seqscan=off` the planner reckons costs beyond
 * `jit_above_cost` for each of them, and a Postgres with its defaults compiled them all: 10.8 ms of CPU a verification instead of 3.9.
 */
const ALWAYS = ['jit=off'];

/**
 * Opens no connection yet: the first statement does. `timestamptz` comes back as Date, `numeric` and `date` as strings,
 * `int8` as number (an int8 beyond 2^53 fails its statement rather than lose digits).
 */
export function createDatabase<Schema>(url: string, options: DatabaseOptions = {}): Database<Schema> {
  const onConnectionLost = options.onConnectionLost ?? (() => {});
  const { connectionString, ownOptions } = splitOptions(url);
  const common: pg.PoolConfig = {
    connectionString,
    application_name: options.applicationName ?? 'ramz',
    connectionTimeoutMillis: options.connectTimeoutMs ?? 10_000,
    statement_timeout: options.statementTimeoutMs ?? 15_000,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs ?? 15_000,
    keepAlive: true,
    types: { getTypeParser },
    Client: NamingClient,
    options: settings(ownOptions, ALWAYS),
  };
  const pool = new BoundedPool({ ...common, max: options.max ?? 10 });
  const lanes = new LanesPool({
    ...common,
    max: options.lanes ?? 4,
    idleTimeoutMillis: 0, // Keep them: their prepared statements are what makes them fast.
    options: settings(ownOptions, [...ALWAYS, ...LANE_PLANNING]),
  });
  const lists = new ListsPool({
    ...common,
    max: options.lists ?? 2,
    options: settings(ownOptions, [...ALWAYS, ...LIST_PLANNING]),
  });
  for (const each of [pool, lanes, lists]) {
    // Unheard, either would end the process: the pool speaks of idle connections, the client also of one that is lost
    // between two statements of a transaction.
    each.on('error', () => {});
    each.on('connect', (client) => {
      client.on('error', onConnectionLost);
      if (options.cutSilent ?? true) cutWhenSilent(client);
    });
  }

  const dialect = new PostgresDialect({ pool });
  const db = new Kysely<Schema>({ dialect });
  let closing: Promise<void> | undefined;
  const close = async () => {
    await Promise.all([db.destroy(), lanes.end(), lists.end()]);
    if (!pool.ended) await pool.end(); // Kysely closes only what it has used.
  };
  return {
    db,
    plain: new Kysely<unknown>({ dialect }),
    lanes,
    lists,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** Ours come last: of two values of one setting Postgres takes the later. */
const settings = (own: string, ours: readonly string[]): string =>
  [own, ...ours.map((setting) => `-c ${setting}`)].filter(Boolean).join(' ');

/**
 * The options an operator gave, `?options=` in the URL or else PGOPTIONS, apart from the rest of the URL: pg would take those of the URL
 * in place of ours, and with them a lane's connection would lose its planning.
 */
function splitOptions(url: string): { connectionString: string; ownOptions: string } {
  const at = url.indexOf('?');
  const query = new URLSearchParams(at < 0 ? '' : url.slice(at + 1));
  const given = query.get('options');
  if (given === null) return { connectionString: url, ownOptions: process.env.PGOPTIONS ?? '' };
  query.delete('options');
  return { connectionString: `${url.slice(0, at)}?${query}`, ownOptions: given };
}

const INT8 = 20;
const DATE = 1082;

const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') => {
  if (oid === INT8 && format !== 'binary') return parseInt8;
  if (oid === DATE && format !== 'binary') return (text: string) => text; // A day has no zone; a Date would give it one.
  return pg.types.getTypeParser(oid, format);
};

/** @throws RangeError beyond 2^53: fails the statement. */
function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 ${text} is too large for a number: cast it to text`);
  return value;
}

/** As Postgres itself says it: too many connections. */
class PoolFull extends Error {
  readonly code = '53300';
}

/** Callers that may wait for a connection. At a thousandth of a second a statement, the last waits about as long as it may. */
const mostWaiting = 1_000;

type Done = (error: Error | undefined, client: pg.PoolClient | undefined, release: () => void) => void;

/**
 * A pool with a bounded queue of callers. Beyond it a caller is refused, which costs nothing; waiting would cost memory and time that the
 * caller no longer has.
 */
class BoundedPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(done: Done): void;
  override connect(done?: Done): Promise<pg.PoolClient> | undefined {
    if (this.waitingCount < mostWaiting) {
      if (!done) return super.connect();
      super.connect(done);
      return;
    }
    const full = new PoolFull('too many statements wait for a connection');
    if (!done) return Promise.reject(full);
    process.nextTick(done, full, undefined, () => {});
  }
}

/** Beyond this many texts (lists of varying length written out as `$1, $2, …`) a statement stays unnamed. */
const MAX_NAMES = 1000;

const names = new Map<string, string>();

/**
 * A pg client that prepares each statement once per connection, under a name made from its text. Kysely never names statements; unnamed
 * ones are parsed and planned at every call.
 */
class NamingClient extends pg.Client {
  // The signature pg-pool and Kysely call with; pg's own has a dozen overloads.
  // biome-ignore lint/suspicious/noExplicitAny: passes on whatever pg's overloads take and give.
  override query(query: any, values?: any, callback?: any): any {
    // Without parameters (begin, commit, migrations) the simple protocol saves a round trip and takes several statements.
    const nameable = typeof query === 'string' && Array.isArray(values) && values.length > 0;
    const name = nameable ? statementName(query) : undefined;
    return super.query(name === undefined ? query : { name, text: query }, values, callback);
  }
}

/** The statement's name (≤ 63 bytes, Postgres' limit for names), or undefined when too many are in use. */
function statementName(text: string): string | undefined {
  let name = names.get(text);
  if (name === undefined && names.size < MAX_NAMES) {
    name = createHash('sha256').update(text).digest('base64url');
    names.set(text, name);
  }
  return name;
}

/** Its purpose keeps it out of everything that takes `Reads` (queryable.ts). */
export class LanesPool extends BoundedPool {
  readonly purpose = 'lanes';
}

export class ListsPool extends BoundedPool {
  readonly purpose = 'reads';
}
