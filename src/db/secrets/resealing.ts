// The lock of sealing again, which one process has for the length of a transaction.

import { sql } from 'kysely';
import type { Tx } from '../schema.ts';

const RESEALING_LOCK = 0x72616d7e; // Beside that of the rollups.

/** False where another process has it. */
export async function lockResealing(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(RESEALING_LOCK)}) as locked`.execute(tx);
  return rows[0]?.locked ?? false;
}

/** SQL: the id of the key that a text is sealed under. */
export const sealedUnder = (column: string): string => `split_part(${column}, '.', 1)`;
