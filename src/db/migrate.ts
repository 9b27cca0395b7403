// Brings the schema up to the code: runs the listed migrations (migrations/index.ts) that the database has not seen.
import { type Kysely, sql } from 'kysely';
import { createDatabase } from './client.ts';
import { migrations as listed } from './migrations/index.ts';
import type { Migration } from './migrations/migration.ts';

export type SchemaState =
  | { kind: 'current' }
  | { kind: 'behind'; pending: string[] }
  /** The database has seen a migration this code does not know: an older program on a newer database. */
  | { kind: 'newer'; unknown: string[] };

const MIGRATION_LOCK = 0x72616d7b; // "ram{": any constant nobody else uses.

/**
 * Applies what is pending and returns its names. Several processes may start at once: one works, the others wait.
 * @throws when the database is newer than the code, or a migration fails (its transaction is rolled back; those before
 * it stay).
 */
export function migrate(db: Kysely<unknown>, migrations: readonly Migration[] = listed): Promise<string[]> {
  return db.connection().execute(async (connection) => {
    // Building an index on a big table, or waiting for another process that does, may take long.
    await sql`set statement_timeout = 0`.execute(connection);
    await sql`select pg_advisory_lock(${sql.lit(MIGRATION_LOCK)})`.execute(connection);
    try {
      await sql`create table if not exists schema_migration (
        name text primary key,
        applied_at timestamptz not null default now()
      )`.execute(connection);
      const state = compare(migrations, await appliedNames(connection));
      if (state.kind === 'newer')
        throw new Error(`the database is newer than this program: it has ${state.unknown.join(', ')}`);
      const pending = state.kind === 'behind' ? state.pending : [];
      for (const migration of migrations) if (pending.includes(migration.name)) await apply(connection, migration);
      return pending;
    } finally {
      // A lost connection has lost the lock too, and must not hide why it was lost.
      await sql`select pg_advisory_unlock(${sql.lit(MIGRATION_LOCK)})`.execute(connection).catch(() => {});
      await sql`reset statement_timeout`.execute(connection).catch(() => {});
    }
  });
}

/** `migrate` on a connection of its own: a migration may be silent for longer than a statement of the service ever is. */
export async function migrateAt(url: string): Promise<string[]> {
  const { db, close } = createDatabase<unknown>(url, { max: 1, cutSilent: false });
  try {
    return await migrate(db);
  } finally {
    await close();
  }
}

function apply(connection: Kysely<unknown>, migration: Migration): Promise<void> {
  return connection.transaction().execute(async (transaction) => {
    await migration.up(transaction);
    await sql`insert into schema_migration (name) values (${migration.name})`.execute(transaction);
  });
}

/** What `migrate` would find; changes nothing. For readiness checks. */
export async function schemaState(
  db: Kysely<unknown>,
  migrations: readonly Migration[] = listed,
): Promise<SchemaState> {
  const exists = await sql<{ found: boolean }>`select to_regclass('schema_migration') is not null as found`.execute(db);
  return compare(migrations, exists.rows[0]?.found ? await appliedNames(db) : []);
}

async function appliedNames(db: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from schema_migration order by name`.execute(db);
  return rows.map((row) => row.name);
}

function compare(migrations: readonly Migration[], applied: readonly string[]): SchemaState {
  const known = new Set(migrations.map((migration) => migration.name));
  const unknown = applied.filter((name) => !known.has(name));
  if (unknown.length > 0) return { kind: 'newer', unknown };
  const pending = migrations.map((migration) => migration.name).filter((name) => !applied.includes(name));
  return pending.length > 0 ? { kind: 'behind', pending } : { kind: 'current' };
}
