// Limits of one account as the service's operator changes them: limits in place of the platform's, and the wrong codes counted for a
// number. How wrong codes are counted: db/verify/failures-text.ts.

import { sql } from 'kysely';
import type { Mode } from '../../core/verify/session.ts';
import { lockAccount } from '../accounts/accounts.ts';
import { raiseChanges } from '../changes.ts';
import type { AccountLimits, Db } from '../schema.ts';

/** Null = the platform's again; what is absent stays. */
export type LimitsChange = { [Name in keyof AccountLimits]?: AccountLimits[Name] | null };

/** The limits after the change, which holds in running processes within a second; null where there is no such account. */
export function changeLimits(
  db: Db,
  id: string,
  { reset, change }: { reset: boolean; change: LimitsChange },
): Promise<AccountLimits | null> {
  return db.transaction().execute(async (tx) => {
    if (!(await lockAccount(tx, id))) return null;
    const { limits } = await tx.selectFrom('account').select('limits').where('id', '=', id).executeTakeFirstOrThrow();
    if (!reset && Object.keys(change).length === 0) return limits;
    const merged = Object.entries({ ...(reset ? {} : limits), ...change }).filter(([, value]) => value !== null);
    const next = Object.fromEntries(merged) as AccountLimits;
    await tx
      .updateTable('account')
      .set({ limits: JSON.stringify(next) })
      .where('id', '=', id)
      .execute();
    await raiseChanges(tx);
    return next;
  });
}

/** Wrong codes that were counted for a number in one mode, and are now forgotten. */
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
