// State of the database's schema against the migrations that this program knows. Read only.

import { type Kysely, sql } from 'kysely';
import { migrations as listed } from './migrations/index.ts';
import type { Migration } from './migrations/migration.ts';

export type SchemaState =
  | { kind: 'current' }
  | { kind: 'behind'; pending: string[] }
  /** The database has seen migrations this program does not know, and they left everything as it needs it. */
  | { kind: 'compatible'; unknown: string[] }
  /** The same, but one of them did not: only a newer program may work on this database. */
  | { kind: 'newer'; unknown: string[] };

export interface AppliedMigration {
  name: string;
  /** What a program must know to go on (migration.ts); null: written before there was such a thing. */
  compatibleFrom: string | null;
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
export async function appliedMigrations(db: Kysely<unknown>): Promise<AppliedMigration[]> {
  // By way of JSON: a database of an earlier release has no such column.
  const { rows } = await sql<AppliedMigration>`
    select name, to_jsonb(m) ->> 'compatible_from' as "compatibleFrom" from schema_migration m order by name`.execute(
    db,
  );
  return rows;
}

export function compare(migrations: readonly Migration[], applied: readonly AppliedMigration[]): SchemaState {
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = applied.filter(({ name }) => !known.has(name));
  const names = new Set(applied.map(({ name }) => name));
  const pending = migrations.map(({ name }) => name).filter((name) => !names.has(name));
  if (unknown.length === 0) return pending.length > 0 ? { kind: 'behind', pending } : { kind: 'current' };
  // What is younger builds on what is older: a schema without one of ours is not ours, whatever the rest says.
  const fits = pending.length === 0 && unknown.every(({ compatibleFrom }) => known.has(compatibleFrom ?? ''));
  return { kind: fits ? 'compatible' : 'newer', unknown: unknown.map(({ name }) => name) };
}

/** For each listed migration: the youngest one that a program must know to go on after it. */
export function compatibility(migrations: readonly Migration[]): Map<string, string> {
  const result = new Map<string, string>();
  let from = migrations[0]?.name ?? '';
  for (const { name, compatibleFrom } of migrations) {
    from = compatibleFrom ?? from;
    result.set(name, from);
  }
  return result;
}
