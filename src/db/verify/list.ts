// Lists of sessions, newest first, and the paging of filtered lists. Each page examines a bounded number of rows, however many an account has
// and however few match: a page may be short or empty, and the next one goes on from the last row that was examined.

import { lowestId } from '../../core/ids.ts';
import type { Cost } from '../../core/money/cost.ts';
import type { Delivery, Mode, Session, SessionStatus } from '../../core/verify/session.ts';
import type { Reads } from '../queryable.ts';
import { type SessionRow, toSession } from './records.ts';

/** Rows examined for a page: some tens of milliseconds when they are in memory, and a few thousand pages of disk when they are not. */
export const rowsPerPage = 5_000;

export interface ListPage<Item> {
  items: Item[];
  /** Id after which the next page begins; null = there is no more. */
  next: string | null;
}

/**
 * @param found one more than `limit` where there are as many.
 * @param lookedUntil the last id that was looked at, where the looking stopped before the list ended.
 */
export function nextOf<Item>(
  found: readonly Item[],
  limit: number,
  lookedUntil: string | null,
  idOf: (item: Item) => string,
): ListPage<Item> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, next: found.length > limit && last ? idOf(last) : lookedUntil };
}

/**
 * The page that begins where the cells' pages begin, newest first. A cell's page says nothing of what comes after its end, so the merged one ends
 * where the first of them ends: what it leaves out comes with the next page.
 */
export function mergedPages<Item>(
  pages: readonly ListPage<Item>[],
  limit: number,
  idOf: (item: Item) => string,
): ListPage<Item> {
  const ends = pages.flatMap(({ next }) => (next === null ? [] : [next]));
  const end = ends.toSorted().at(-1) ?? null;
  const known = pages
    .flatMap(({ items }) => items)
    .filter((item) => end === null || idOf(item) >= end)
    .sort((one, other) => (idOf(one) < idOf(other) ? 1 : -1));
  const items = known.slice(0, limit);
  const last = items.at(-1);
  return { items, next: known.length > limit && last ? idOf(last) : end };
}

/** Times in Unix ms; what is null does not filter. */
export interface SessionFilter {
  accountId: string;
  mode: Mode;
  number: string | null;
  status: SessionStatus | null;
  clientReference: string | null;
  purpose: string | null;
  delivery: Delivery | null;
  /** At or after. */
  createdFrom: number | null;
  /** Before. */
  createdUntil: number | null;
}

/** A session without messages and timeline, and what its messages cost as far as is known. */
export interface ListedSession {
  session: Session;
  costs: Cost[];
}

/** An id may be older than `created_at` by as long as a send takes: rows so much older than the times asked for are examined, too. */
const olderMs = 60_000;
/**
 * An id is younger than `created_at` only where another process made it, whose clock is ahead: by no more than the distance from the
 * database's clock at which a process refuses to start, each way. These rows come first and count as examined, so the less the better.
 */
const youngerMs = 6_000;
const highestTimeMs = 2 ** 48 - 1;
const idAt = (ms: number): string => lowestId('vrf_', Math.min(Math.max(0, Math.floor(ms)), highestTimeMs));

/**
 * How the rows are reached that a page looks at. A number and a reference have an index that holds their ids in order; without
 * either it is the primary key. Status and delivery have none: they change, and an index on them would make every save write all of them.
 */
const access = {
  key: '',
  number: 'and number = $5',
  reference: `and client_reference = $7 and client_reference <> ''`,
};

// Ids are in order of time, so newest first is the index read backwards. `offset 0`: a row is looked for by its whole
// key. Joined, the planner may take the account alone while a partition is young, and read all that the account has.
const listText = (by: keyof typeof access) => {
  const within = `account_id = $1 and id < $2 and id >= $3 ${access[by]}`;
  return `
with found as materialized (
  select id from (
    select id, mode, number, status, purpose, delivery, client_reference, created_at from verify_session where ${within}
    order by id desc limit ${rowsPerPage}
  ) looked_at
  where mode = $4 and ($5::text is null or number = $5) and ($6::text is null or status = $6)
    and ($7::text is null or client_reference = $7)
    and ($11::text is null or purpose = $11) and ($12::text is null or delivery = $12)
    and ($8::bigint is null or created_at >= to_timestamp($8::bigint / 1000.0))
    and ($9::bigint is null or created_at < to_timestamp($9::bigint / 1000.0))
  order by id desc limit $10
),
page as (
  select s.id, to_jsonb(s) - 'salt' as session,
    (select jsonb_agg(m.cost) from message m where m.session_id = s.id and m.cost is not null) as costs
  from found cross join lateral (
    select * from verify_session where account_id = $1 and id = found.id offset 0
  ) s
)
select page.session, page.costs, edge.id as looked_until
from (select case when (select count(*) from found) < $10 then
    (select id from verify_session where ${within} order by id desc offset ${rowsPerPage - 1} limit 1)
  end as id) edge
left join page on true order by page.id desc`;
};

interface Row {
  /** null in the only row of a page without sessions. */
  session: Omit<SessionRow['session'], 'salt'> | null;
  costs: Cost[] | null;
  looked_until: string | null;
}

/** The page that begins after `before` (an id). */
export async function listSessions(
  db: Reads,
  filter: SessionFilter,
  page: { limit: number; before: string | null },
): Promise<ListPage<ListedSession>> {
  const { accountId, mode, number, status, clientReference, purpose, delivery, createdFrom, createdUntil } = filter;
  const highest = createdUntil === null ? 'vrf_~' : idAt(createdUntil + youngerMs);
  const upper = page.before !== null && page.before < highest ? page.before : highest;
  const lower = createdFrom === null ? 'vrf_' : idAt(createdFrom - olderMs);
  const by = number !== null ? 'number' : clientReference !== null ? 'reference' : 'key';
  const values = [
    accountId,
    upper,
    lower,
    mode,
    number,
    status,
    clientReference,
    createdFrom,
    createdUntil,
    page.limit + 1,
    purpose,
    delivery,
  ];
  const { rows } = await db.query<Row>({ name: `sessions.list_by_${by}`, text: listText(by), values });
  const found = rows.flatMap(({ session, costs }) =>
    session
      ? [
          {
            session: toSession({ session: { ...session, salt: null }, messages: null, timeline: null }),
            costs: costs ?? [],
          },
        ]
      : [],
  );
  return nextOf(found, page.limit, rows[0]?.looked_until ?? null, ({ session }) => session.id);
}
