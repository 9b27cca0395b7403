// Limits of one account that stand in for the platform's.

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
