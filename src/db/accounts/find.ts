// The look-up of accounts by those who run the service: newest first, by a text and a status. Each page examines a bounded number of accounts, so
// that a search that few match costs no more than any other.

import { sql } from 'kysely';
import type { AccountRow, Db } from '../schema.ts';
import { type ListPage, nextOf, rowsPerPage } from '../verify/list.ts';

/** The values of the contract's value set `account_status`. */
export const accountStatuses = ['waiting', 'active', 'suspended', 'closed'] as const;
export type AccountStatus = (typeof accountStatuses)[number];

export function statusOf({
  closed_at,
  suspended_at,
  approved_at,
}: Pick<AccountRow, 'closed_at' | 'suspended_at' | 'approved_at'>): AccountStatus {
  if (closed_at) return 'closed';
  if (suspended_at) return 'suspended';
  return approved_at ? 'active' : 'waiting';
}

export interface AccountFilter {
  /** In the name, or at the beginning of the id; empty = any. */
  search: string;
  /** Null = any. */
  status: AccountStatus | null;
}

export async function findAccounts(
  db: Db,
  { search, status }: AccountFilter,
  { limit, before }: { limit: number; before: string | null },
): Promise<ListPage<AccountRow>> {
  const inName = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  const looked = sql<{ id: string; fits: boolean }>`
    select id, (${search} = '' or name ilike ${inName} or starts_with(id, ${search})) and (${status}::text is null or ${status} =
      case when closed_at is not null then 'closed' when suspended_at is not null then 'suspended' when approved_at is null then 'waiting' else 'active' end) as fits
    from account where ${before}::text is null or id < ${before} order by id desc limit ${rowsPerPage}`;
  const { rows: examined } = await looked.execute(db);
  const wanted = examined.filter(({ fits }) => fits).slice(0, limit + 1);
  const ids = wanted.map(({ id }) => id);
  const found = await db
    .selectFrom('account')
    .selectAll()
    .where('id', 'in', ids.length > 0 ? ids : [''])
    .execute();
  const rows = found.toSorted((one, other) => (one.id < other.id ? 1 : -1));
  const lookedUntil = examined.length < rowsPerPage ? null : (examined.at(-1)?.id ?? null);
  return nextOf(rows, limit, lookedUntil, ({ id }) => id);
}
