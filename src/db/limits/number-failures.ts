// Wrong codes counted for a number, seen from outside the hot path. How they are counted: hot/failures-text.ts.

import { sql } from 'kysely';
import type { Mode } from '../../core/verify/session.ts';
import type { Db } from '../schema.ts';

/** What was counted for a number in one mode, and is now forgotten. */
export interface ForgottenFailures {
  mode: Mode;
  /** Since the last right code. */
  failuresInRow: number;
}

/** Lifts the number's locks in these modes and begins all counts again; one element for each mode in which anything was counted. */
export async function forgetFailures(
  db: Db,
  { accountId, number, modes }: { accountId: string; number: string; modes: readonly Mode[] },
): Promise<ForgottenFailures[]> {
  const { rows } = await sql<{ mode: Mode; failures_in_row: number }>`
    delete from number_failure
    where account_id = ${accountId} and number = ${number} and mode = any(${[...modes]}::text[])
    returning mode, failures_in_row`.execute(db);
  return rows.map((row) => ({ mode: row.mode, failuresInRow: row.failures_in_row }));
}
