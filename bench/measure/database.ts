// What Postgres itself counts: statements and the rows and pages they touched, HOT updates, bytes of its log.

import pg from 'pg';

/** Settings of a Postgres whose statements are counted. The counting costs CPU time: no rig that has it is timed. */
export const countingStatements = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.max': '10000',
  'pg_stat_statements.track_utility': 'off',
};

export interface Statements {
  /** How often one was run. */
  calls: number;
  rows: number;
  /** Pages of 8 KiB looked at, in memory or not. */
  pages: number;
}

/** Of the rows that were updated, those that no index had to hear of, in %; 100 where none was updated. */
export const hotShare = ({ updated, hot }: { updated: number; hot: number }): number =>
  updated === 0 ? 100 : (100 * hot) / updated;

export class Counters {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async open(url: string): Promise<Counters> {
    const client = new pg.Client({ connectionString: url, application_name: 'bench' });
    await client.connect();
    return new Counters(client);
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  /** Begins to count statements. @throws where Postgres was not started with `countingStatements`. */
  async count(): Promise<void> {
    await this.#client.query('create extension if not exists pg_stat_statements');
    await this.#client.query('select pg_stat_statements_reset()');
  }

  /** Since `count`; without what this class asks. `like`: of those whose text is like that. */
  async statements(like = '%'): Promise<Statements> {
    const { rows } = await this.#client.query<Statements>(
      `select coalesce(sum(calls), 0)::float8 as calls, coalesce(sum(rows), 0)::float8 as rows,
        coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 as pages
      from pg_stat_statements where query like $1 and query not like '%pg_stat_statements%'`,
      [like],
    );
    return rows[0] ?? { calls: 0, rows: 0, pages: 0 };
  }

  /** Rows of a table and its partitions that were updated so far. */
  async updates(table: string): Promise<{ updated: number; hot: number }> {
    const { rows } = await this.#client.query<{ updated: number; hot: number }>(
      `select coalesce(sum(n_tup_upd), 0)::float8 as updated, coalesce(sum(n_tup_hot_upd), 0)::float8 as hot
      from pg_stat_user_tables
      where relid = $1::regclass or relid in (select inhrelid from pg_inherits where inhparent = $1::regclass)`,
      [table],
    );
    return rows[0] ?? { updated: 0, hot: 0 };
  }

  /** Page images are written once after each checkpoint: what is compared begins at one. */
  async checkpoint(): Promise<void> {
    await this.#client.query('checkpoint');
  }

  /** Bytes of all tables and indexes, dead rows included. */
  async databaseBytes(): Promise<number> {
    const { rows } = await this.#client.query<{ bytes: number }>(
      'select pg_database_size(current_database())::float8 as bytes',
    );
    return rows[0]?.bytes ?? Number.NaN;
  }

  /** Bytes of the log since the beginning of time. */
  async walBytes(): Promise<number> {
    const { rows } = await this.#client.query<{ bytes: number }>(
      `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`,
    );
    return rows[0]?.bytes ?? Number.NaN;
  }
}
