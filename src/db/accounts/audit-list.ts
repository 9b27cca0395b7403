// Lists of the audit log, newest first, and its end. Each page examines a bounded number of rows, however few match; a page may be short, and
// the next one goes on from the last row that was examined.

import { type RawBuilder, sql } from 'kysely';
import { lowestId } from '../../core/ids.ts';
import type { Mode } from '../../core/verify/session.ts';
import { inFullBatches } from '../pages.ts';
import type { AuditEventRow, Db, UntypedDb } from '../schema.ts';
import { type ListPage, nextOf, rowsPerPage } from '../verify/list.ts';
import { auditIdPrefix } from './audit.ts';

/** What is null does not filter. */
export interface AuditFilter {
  accountId: string | null;
  /** Only what is about this mode alone. */
  mode: Mode | null;
  actorId: string | null;
  action: string | null;
  target: string | null;
  /** At or after, and before, Unix ms. */
  since: number | null;
  until: number | null;
}

/** The page that begins after `before` (an id). */
export async function listAuditEvents(
  db: Db,
  { accountId, mode, actorId, action, target, since, until }: AuditFilter,
  page: { limit: number; before: string | null },
): Promise<ListPage<AuditEventRow>> {
  const highest = until === null ? `${auditIdPrefix}~` : lowestId(auditIdPrefix, Math.max(0, until));
  const upper = page.before !== null && page.before < highest ? page.before : highest;
  const lower = since === null ? auditIdPrefix : lowestId(auditIdPrefix, Math.max(0, since));
  const filters: [column: string, value: string | null][] = [
    ['account_id', accountId],
    ['target', target],
    ['actor_id', actorId],
    ['action', action],
    ['mode', mode],
  ];
  const conditions = filters.flatMap(([column, value]) => (value === null ? [] : [sql`${sql.ref(column)} = ${value}`]));
  // The first has an index of its own, which holds the ids in order; the others look at what that one finds.
  const [by = sql`true`, ...others] = conditions;
  const within = sql`id < ${upper} and id >= ${lower} and ${by}`;
  const all = others.reduce<RawBuilder<unknown>>((left, right) => sql`${left} and ${right}`, sql`true`);
  const { rows } = await sql<AuditEventRow>`select * from (
      select * from audit_event where ${within} order by id desc limit ${rowsPerPage}
    ) looked_at where ${all} order by id desc limit ${page.limit + 1}`.execute(db);
  const isFull = others.length === 0 || rows.length > page.limit;
  const lookedUntil = isFull ? null : await lastLookedAt(db, within);
  return nextOf(rows, page.limit, lookedUntil, ({ id }) => id);
}

/** Null where the looking ended with the list. */
async function lastLookedAt(db: Db, within: RawBuilder<unknown>): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select id from audit_event where ${within} order by id desc offset ${rowsPerPage - 1} limit 1`.execute(db);
  return rows[0]?.id ?? null;
}

const perDeletion = 10_000;

/** Forgets what is older. The function has the rights of the table's owner, and deletes nothing younger than 90 days (migration 0011). */
export async function forgetAuditEvents(db: UntypedDb, before: number, stopping?: AbortSignal): Promise<void> {
  const forget = sql<{ gone: string }>`
    select ramz_forget_audit_events(to_timestamp(${before / 1000}), ${perDeletion}) as gone`;
  const batch = async () => Number((await forget.execute(db)).rows[0]?.gone);
  await inFullBatches(perDeletion, batch, stopping);
}
