// Connections to the database: a pool for Kysely, a small one for the hot lanes, one for lists. No statements live here.

import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { parseDatabaseUrl, type SessionSetting } from '../core/database-url.ts';
import { within } from '../time/alarm.ts';
import { clientOf } from './connections/client.ts';
import { Hosts } from './connections/hosts.ts';
import { inOrder, openSession, SessionRefused } from './connections/session.ts';
import { cutWhenSilent, isLostRace, isOutage, notStored } from './outage.ts';
import { Places } from './partitions/places.ts';

export interface DatabaseOptions {
  /** Connections for everything that is not hot. Default 10. */
  max?: number;
  /** Connections for the lanes: two batches in flight for each of a few lanes. Default 4. */
  lanes?: number;
  /** Connections for lists. Default 2. */
  lists?: number;
  /** A statement running longer is canceled. Default 15 000, and no more than that; `?statement_timeout=` in the URL wins. */
  statementTimeoutMs?: number;
  /** A connection whose statement gets no answer for 2 s longer than its timeout is cut. Default true. */
  cutSilent?: boolean;
  /** A transaction left open longer loses its connection (a long snapshot makes claims 13 times slower). Default 15 000. */
  idleInTransactionTimeoutMs?: number;
  /** Waiting longer for a connection is an error. Default 10 000. */
  connectTimeoutMs?: number;
  /** `read-write`: a host that takes no changes is an error, whatever the URL says. Default: what the URL says. */
  wants?: 'read-write';
  /** While it says no, nobody is given a connection, as if the database were away. Default: always yes. */
  isOpen?: () => boolean;
  /** Shown in pg_stat_activity. Default `ramz`. */
  applicationName?: string;
  /** A connection was lost (once or twice for each); the pool replaces it. Default: ignored. */
  onConnectionLost?: (error: Error) => void;
}

export interface Database<Schema> {
  db: Kysely<Schema>;
  /** The same connections, for statements that know no tables: migrations, partitions. */
  plain: Kysely<unknown>;
  /** For `db/verify` only: few statement texts over arrays, fixed but for the partitions they name; planned once, always by index. */
  lanes: LanesPool;
  /** For lists, which may be long: whatever their callers do, the other connections stay free for other calls. */
  lists: ListsPool;
  /** Waits for the statements in flight, then closes every connection, within 2 s even of a database that is silent. Idempotent. */
  close(): Promise<void>;
}

/**
 * The lanes' tables are huge and their batches small, whatever the statistics say at the moment: plan each statement once
 * (a custom plan for every batch cost more than running it) and never by reading a whole table. Hash joins stay on: the
 * parts of one batch are joined with each other, and by nested loops a save of 150 sessions took 130 ms instead of 47.
 */
const lanePlanning: readonly SessionSetting[] = [
  ['plan_cache_mode', 'force_generic_plan'],
  ['enable_mergejoin', 'off'],
  ['enable_seqscan', 'off'],
  // Postgres 18 (seen in 18.4) ends in a segmentation fault otherwise, and takes every connection with it: a row that was
  // changed while its lock was waited for is looked at again (EvalPlanQual), which sets the statement's run-time pruning up
  // again in memory that is gone right after, and the next part of the statement that prunes reads it. Any batch that meets
  // another process's save is such a statement. Without pruning a row of a whole table is looked for in every partition, by
  // index; so what knows its partition names it.
  ['enable_partition_pruning', 'off'],
];

/**
 * A list reads an index in its order and stops when it has enough, or has looked at enough. Where the planner expects few rows it would rather
 * fetch all of them and sort, and then one customer's favourite reference is read to its end for every page.
 */
const listPlanning: readonly SessionSetting[] = [
  ['enable_sort', 'off'],
  ['enable_bitmapscan', 'off'],
  ['enable_seqscan', 'off'],
];

/**
 * A statement whose connection broke may still be committed for so long. What it may have stored is looked for until then, and a little longer
 * (engine/fleet/unknown-commits.ts, webhooks/recovery.ts, moved-numbers.ts); what it committed later nobody would find.
 */
const mostStatementMs = 15_000;

/** What a server, a database or a role may set otherwise, for other programs. */
const always: readonly SessionSetting[] = [
  // Compiling pays for statements that take seconds, and these take milliseconds; but with `enable_seqscan=off` the planner reckons costs beyond
  // `jit_above_cost` for each of them, and a Postgres with its defaults compiled them all: 10.8 ms of CPU a verification instead of 3.9.
  ['jit', 'off'],
  // Rows are locked, and then read as they are by then. With a snapshot of the whole transaction such a statement fails instead.
  ['default_transaction_isolation', 'read committed'],
  // The forms in which values travel: octets in JSON, times, numbers, and NULL in an array.
  ['bytea_output', 'hex'],
  ['datestyle', 'ISO'],
  ['extra_float_digits', '1'],
  ['array_nulls', 'on'],
];

/**
 * Opens no connection yet: the first statement does. `timestamptz` comes back as Date, `numeric` and `date` as strings,
 * `int8` as number (an int8 beyond 2^53 fails its statement rather than lose digits). The settings of a session are applied and verified
 * when its connection is made: a statement fails with SessionRefused where they do not hold.
 * @throws when `url` is not one (`parseDatabaseUrl` says why).
 */
export function createDatabase<Schema>(url: string, options: DatabaseOptions = {}): Database<Schema> {
  const onConnectionLost = options.onConnectionLost ?? (() => {});
  const source = openSource(url, options);
  const pool = new BoundedPool(source, [], { max: options.max ?? 10 });
  const lanes = new LanesPool(source, lanePlanning, {
    max: options.lanes ?? 4,
    idleTimeoutMillis: 0, // Keep them: their prepared statements are what makes them fast.
    maxLifetimeSeconds: 86_400, // A day: else statements of past partitions would stay in the memory of their backends.
  });
  const lists = new ListsPool(source, listPlanning, { max: options.lists ?? 2 });
  for (const each of [pool, lanes, lists]) {
    // Unheard, either would end the process: the pool speaks of idle connections, the client also of one that is lost
    // between two statements of a transaction.
    each.on('error', () => {});
    each.on('connect', (client) => client.on('error', onConnectionLost));
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

/** One connection of its own, opened: for what must not go back to a pool. The caller hears its errors and ends it. */
export async function openConnection(url: string, options: DatabaseOptions = {}): Promise<pg.Client> {
  const source = openSource(url, options);
  for (let tries = 1; ; tries += 1) {
    const client = new source.Client({ application_name: source.applicationName, keepAlive: true });
    client.on('error', () => {});
    try {
      await client.connect();
      await source.prepare(client, []);
      return client;
    } catch (error) {
      await client.end().catch(() => {});
      if (tries >= source.hosts.count || !isOutage(error)) throw error;
    }
  }
}

/** What the connections of one URL have in common. */
interface Source {
  hosts: Hosts;
  Client: ReturnType<typeof clientOf>;
  applicationName: string;
  /** Longest wait for a connection, ms. */
  patienceMs: number;
  isOpen(): boolean;
  /** Makes a new connection fit for use. @throws SessionRefused, HostReadOnly, or an outage. */
  prepare(client: pg.ClientBase, planning: readonly SessionSetting[]): Promise<void>;
}

function openSource(url: string, options: DatabaseOptions): Source {
  const parsed = parseDatabaseUrl(url, process.env.PGOPTIONS);
  if (parsed.kind === 'invalid') throw new Error(`DATABASE_URL ${parsed.message}`);
  const { settings, hosts: urls, wants } = parsed.address;
  const hosts = new Hosts(urls);
  const patienceMs = options.connectTimeoutMs ?? 10_000;
  const hostMs = Math.ceil(patienceMs / hosts.count);
  const timeouts: readonly SessionSetting[] = [
    ['statement_timeout', String(options.statementTimeoutMs ?? mostStatementMs)],
    ['idle_in_transaction_session_timeout', String(options.idleInTransactionTimeoutMs ?? 15_000)],
    // Statements wait for rows that other processes save. One that gave up for a timeout meant for other programs would fail its call.
    ['lock_timeout', '0'],
  ];
  return {
    hosts,
    Client: clientOf(hosts, hostMs),
    applicationName: options.applicationName ?? 'ramz',
    patienceMs,
    isOpen: options.isOpen ?? (() => true),
    async prepare(client, planning) {
      // The operator's own come before ours: of two values of one setting the later one holds.
      const wanted = inOrder(timeouts, settings, always, planning);
      try {
        const opened = openSession(client, wanted, options.wants ?? wants);
        const { statementTimeoutMs } = await within(opened, hostMs, 'timeout exceeded when trying to connect');
        if (!(statementTimeoutMs > 0 && statementTimeoutMs <= mostStatementMs))
          throw new SessionRefused(
            `statement_timeout must be 1 to ${mostStatementMs} ms; the URL of the database (or PGOPTIONS) sets it to ${statementTimeoutMs || 'none (0)'}`,
          );
        if (options.cutSilent ?? true) cutWhenSilent(client, statementTimeoutMs);
      } catch (error) {
        if (isOutage(error)) hosts.passOver((client as InstanceType<typeof this.Client>).hostUrl);
        throw error;
      }
    },
  };
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

/** As Postgres says it of a database that takes no connections now. */
class PoolClosed extends Error {
  readonly code = '57P03';
}

/** Callers that may wait for a connection. At a thousandth of a second a statement, the last waits about as long as it may. */
const mostWaiting = 1_000;

type Release = pg.PoolClient['release'];
type Done = (error: Error | undefined, client: pg.PoolClient | undefined, release: Release) => void;

/**
 * A pool with a bounded queue of callers. Beyond it a caller is refused, which costs nothing; waiting would cost memory and time that the
 * caller no longer has. Where there are several hosts, a caller whose connection could not be made asks the next while it has time for it. pg-pool closes a connection
 * whose statement failed; one that lost a race is kept, with the statements that it has prepared.
 */
class BoundedPool extends pg.Pool {
  readonly #source: Source;

  constructor(source: Source, planning: readonly SessionSetting[], config: pg.PoolConfig) {
    super({
      application_name: source.applicationName,
      connectionTimeoutMillis: source.patienceMs,
      keepAlive: true,
      types: { getTypeParser },
      Client: source.Client,
      // pg-pool waits for the promise, though its types do not say so.
      onConnect: (client) => source.prepare(client, planning) as unknown as undefined,
      ...config,
    });
    this.#source = source;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(done: Done): void;
  override connect(done?: Done): Promise<pg.PoolClient> | undefined {
    if (!done)
      return new Promise((resolve, reject) =>
        this.connect((error, client) => (client ? resolve(client) : reject(error))),
      );
    const refuse = (error: Error) => process.nextTick(done, this.refusal(error), undefined, () => {});
    const { isOpen, hosts, patienceMs } = this.#source;
    // Until there is half a host's time left. A caller that has waited for a busy pool has none, though a timer may fire a little early.
    const lastAskAt = performance.now() + patienceMs * (1 - 0.5 / hosts.count);
    if (!isOpen()) refuse(new PoolClosed('the database is not in use yet'));
    else if (this.waitingCount < mostWaiting) this.#ask(done, hosts.count - 1, lastAskAt);
    else refuse(new PoolFull('too many statements wait for a connection'));
  }

  /** The error of a caller that is given no connection. */
  protected readonly refusal: (error: Error) => Error = (error) => error;

  #ask(done: Done, hostsLeft: number, lastAskAt: number): void {
    super.connect((error, client, release) => {
      const mayAsk = hostsLeft > 0 && performance.now() <= lastAskAt && !this.ending;
      if (error && mayAsk && isOutage(error)) return this.#ask(done, hostsLeft - 1, lastAskAt);
      if (client) client.release = (reason) => release(isLostRace(reason) ? undefined : reason);
      done(error && this.refusal(error), client, client?.release ?? release);
    });
  }
}

/** Its purpose keeps it out of everything that takes `Reads` (queryable.ts). */
export class LanesPool extends BoundedPool {
  readonly purpose = 'lanes';
  readonly places = new Places(this);

  /** What counts for a caller is given back: its statement was never sent. */
  protected override readonly refusal: (error: Error) => Error = notStored;
}

export class ListsPool extends BoundedPool {
  readonly purpose = 'reads';
}
