// The state of the schema for this program, and the run of migrations (migrations/index.ts) that the database lacks. A program works only on
// a schema that it knows, or that a newer program has left compatible.

import { type Kysely, sql } from 'kysely';
import { createDatabase } from './client.ts';
import { HostReadOnly } from './connections/session.ts';
import { alone, isLockTimeout, type Patience, setFor, untilFree, type Waiting, withLocks } from './lock-patience.ts';
import { migrations as listed, unreleased } from './migrations/index.ts';
import type { Migration } from './migrations/migration.ts';

const MIGRATION_LOCK = 0x72616d7b; // "ram{": any constant that no other lock uses.

/** While another process migrates: its index of a big table takes as long as it takes. */
const othersMs = 3_600_000;

/** Said to the person who starts the program, who would take the wait for a start that hangs. */
export const othersMigrate = 'another process migrates the database: this one waits for its end, up to an hour';

export interface MigrateOptions extends Waiting {
  /** How often, and how far apart, a migration that others keep from its locks is tried. */
  patience?: Patience;
}

/**
 * Applies what is pending and returns its names. Several processes may start at once: one works, the others wait, for up to an hour.
 * @throws when only a newer program may work on the database or none (SchemaState), when a migration fails (its transaction is rolled back; those before it
 * stay), or when others hold for too long what it has to lock.
 */
export async function migrate(
  db: Kysely<unknown>,
  migrations: readonly Migration[] = listed,
  { patience = untilFree, ...waiting }: MigrateOptions = {},
): Promise<string[]> {
  const state = await schemaState(db, migrations);
  if (state.kind === 'current' || state.kind === 'compatible') return [];
  const done = await alone(db, MIGRATION_LOCK, { patienceMs: othersMs, ...waiting }, async (connection) => {
    // Building an index on a big table may take long.
    const putBack = await setFor(connection, 'statement_timeout', '0');
    try {
      await keepBooks(connection);
      const now = compare(migrations, await appliedMigrations(connection));
      const refusal = refusalOf(now);
      if (refusal) throw new Error(refusal);
      const pending = now.kind === 'behind' ? now.pending : [];
      const from = compatibility(migrations);
      for (const migration of migrations) {
        if (pending.includes(migration.name)) await apply(connection, migration, from.get(migration.name), patience);
      }
      return pending;
    } finally {
      await putBack();
    }
  });
  if (!done) throw new Error('another process has been migrating the database for an hour');
  return done.result;
}

/** Why this program can't work on the database, with what to do; null where it can, or can after `migrate`. */
export function refusalOf(state: SchemaState): string | null {
  if (state.kind === 'newer')
    return `the database is newer than this program: it has ${state.unknown.join(', ')}, which this version can't work with`;
  if (state.kind !== 'unreleased') return null;
  return (
    `the database was made by a version from before the first release (it has ${unreleased}), and no release can work on it or ` +
    'upgrade it: let DATABASE_URL name an empty database, or, where it is unset, remove `postgres` from the directory of RAMZ_DATA ' +
    '(by default .data); a new one is made, and all sessions and accounts of the old one are lost'
  );
}

/** The runner's own table; it is no migration, because every migration is written down in it. */
async function keepBooks(connection: Kysely<unknown>): Promise<void> {
  await sql`create table if not exists schema_migration (
    name text primary key,
    applied_at timestamptz not null default now(),
    compatible_from text not null
  )`.execute(connection);
}

async function apply(
  connection: Kysely<unknown>,
  { name, up, inTransaction = true }: Migration,
  compatibleFrom: string | undefined,
  patience: Patience,
): Promise<void> {
  const write = (db: Kysely<unknown>) =>
    sql`insert into schema_migration (name, compatible_from) values (${name}, ${compatibleFrom})`.execute(db);
  const work = async (tx: Kysely<unknown>) => {
    await up(tx);
    await write(tx);
  };
  try {
    await (inTransaction ? withLocks(connection, work, patience) : work(connection));
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    const advice = 'end long transactions on these tables (backups, reports), or migrate when they are over';
    throw new Error(`migration ${name}: others hold a lock that it needs: ${advice}`, { cause: error });
  }
}

export type SchemaReady =
  | { kind: 'ready'; applied: string[] }
  /** `reason`: for the person who starts the program, with what to do. `isReadOnly`: the database takes no changes, which may pass. */
  | { kind: 'refused'; reason: string; isReadOnly?: true };

/**
 * Makes sure that this program may work on the database, and migrates it first where it may. On a connection of its own: a migration may be
 * silent for longer than a statement of the service ever is. @throws when the database can't be reached, or a migration fails.
 */
export async function prepareSchema(
  url: string,
  { migrate: mayMigrate, ...waiting }: { migrate: boolean } & Waiting,
): Promise<SchemaReady> {
  const { db, close } = createDatabase<unknown>(url, { max: 1, cutSilent: false, wants: 'read-write' });
  const refused = (reason: string): SchemaReady => ({ kind: 'refused', reason });
  try {
    const state = await schemaState(db);
    const refusal = refusalOf(state);
    if (refusal) return refused(refusal);
    if (state.kind !== 'behind') return { kind: 'ready', applied: [] };
    if (mayMigrate) return { kind: 'ready', applied: await migrate(db, listed, waiting) };
    return refused(
      `the database lacks ${state.pending.join(', ')}, and RAMZ_MIGRATE is off: run \`npm run migrate\` first`,
    );
  } catch (error) {
    if (error instanceof HostReadOnly) return { kind: 'refused', reason: error.message, isReadOnly: true };
    if ((error as { code?: string }).code !== notAllowed) throw error;
    const { message } = error as Error;
    return refused(
      `the role of DATABASE_URL may not change tables (${message}): run \`npm run migrate\` as their owner`,
    );
  } finally {
    await close();
  }
}

/** SQLSTATE insufficient_privilege. */
const notAllowed = '42501';

export type SchemaState =
  | { kind: 'current' }
  | { kind: 'behind'; pending: string[] }
  /** The database has seen migrations this program does not know, and they left everything as it needs it. */
  | { kind: 'compatible'; unknown: string[] }
  /** The same, but one of them did not: only a newer program may work on this database. */
  | { kind: 'newer'; unknown: string[] }
  /** Made by migrations from before the first release, which nothing leads on from. */
  | { kind: 'unreleased' };

export interface AppliedMigration {
  name: string;
  /** What a program must know to go on (migration.ts). */
  compatibleFrom: string;
}

/** What `migrate` would find. For readiness checks. */
export async function schemaState(
  db: Kysely<unknown>,
  migrations: readonly Migration[] = listed,
): Promise<SchemaState> {
  const exists = await sql<{ found: boolean }>`select to_regclass('schema_migration') is not null as found`.execute(db);
  return compare(migrations, exists.rows[0]?.found ? await appliedMigrations(db) : []);
}

/** In order of their names. */
async function appliedMigrations(db: Kysely<unknown>): Promise<AppliedMigration[]> {
  // By way of JSON: a database from before the first release may have no such column.
  const { rows } = await sql<AppliedMigration>`
    select name, to_jsonb(m) ->> 'compatible_from' as "compatibleFrom" from schema_migration m order by name`.execute(
    db,
  );
  return rows;
}

function compare(migrations: readonly Migration[], applied: readonly AppliedMigration[]): SchemaState {
  if (applied.some(({ name }) => name === unreleased)) return { kind: 'unreleased' };
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = applied.filter(({ name }) => !known.has(name));
  const names = new Set(applied.map(({ name }) => name));
  const pending = migrations.map(({ name }) => name).filter((name) => !names.has(name));
  if (unknown.length === 0) return pending.length > 0 ? { kind: 'behind', pending } : { kind: 'current' };
  // What is younger builds on what is older: a schema without one of ours is not ours, whatever else it has.
  const fits = pending.length === 0 && unknown.every(({ compatibleFrom }) => known.has(compatibleFrom));
  return { kind: fits ? 'compatible' : 'newer', unknown: unknown.map(({ name }) => name) };
}

/** For each listed migration: the youngest one that a program must know to go on after it. */
function compatibility(migrations: readonly Migration[]): Map<string, string> {
  const result = new Map<string, string>();
  let from = migrations[0]?.name ?? '';
  for (const { name, compatibleFrom } of migrations) {
    from = compatibleFrom ?? from;
    result.set(name, from);
  }
  return result;
}
