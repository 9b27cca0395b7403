// The statement "budgets": credit for sends, granted to a process in slices from the rows that are the truth, with what comes back and what
// messages cost in the end. A row's `used` is everything that was granted, whether it was spent or not: so over all processes no
// more is ever spent than the budget allows, and what a dead process held counts as spent until its window is over.

import { leftPerSlice, type Period, periodMs, warnings } from '../../core/limits/budget.ts';
import { columns } from '../columns.ts';
import { again, type Queryable, type Reads } from '../queryable.ts';

/** What is asked of one budget. Amounts are decimal strings. */
export interface WantedCredit {
  accountId: string;
  /** '' = of the whole account. */
  keyId: string;
  period: Period;
  unit: string;
  /** null = as it was: for corrections and credit that is given back, which know no limits and make no row. */
  limit: string | null;
  /** False: it is granted whatever is left. */
  enforced: boolean;
  need: string;
  /** To be taken ahead as well, where there is room. */
  ahead: string;
  /** Digits behind the point that a part of `ahead` may have. */
  scale: number;
  /** Given back, of no use once this window is over. */
  back: string;
  backWindow: number;
  /** Spent beyond what was granted. */
  more: string;
  /** The event of a warning, completed here where the statement causes one. `body` null: none is to be sent. */
  event: { id: string; body: string | null };
}

/** A process that posts the warnings it causes, and the time of the statement, Unix ms. */
export interface Warner {
  holder: string;
  at: number;
}

export interface GrantedCredit {
  /** Decimal string. */
  granted: string;
  /** Everything that is used of the window by now, this grant included. */
  used: string;
  /** Not all that was needed could be granted, or would have been where it is enforced. */
  exhausted: boolean;
  /** The window that it was granted in: hours or days since 1970, by the database's clock. */
  window: number;
  /** Ms until the window ends. */
  endsInMs: number;
  /** In percent, where this statement caused a warning. */
  warning: number | null;
  /** The deliveries of that warning, for this process to post. */
  deliveries: { eventId: string; endpointId: string; body: string }[];
}

const wanted = columns({
  nth: 'integer',
  account_id: 'text',
  key_id: 'text',
  period: 'text',
  unit: 'text',
  seconds: 'integer',
  most: 'text',
  enforced: 'boolean',
  need: 'text',
  ahead: 'text',
  scale: 'integer',
  back: 'text',
  back_window: 'integer',
  more: 'text',
  event_id: 'text',
  body: 'text',
});

const warningType = 'account.budget_warning';
const key = ['account_id', 'key_id', 'period', 'unit'];
const same = (one: string, other: string) => key.map((name) => `${one}.${name} = ${other}.${name}`).join(' and ');
const isoTime = (time: string) => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The greatest warning that is due where so much is used. */
const levelOf = (used: string) =>
  `case when ${used} <= 0 then 0 ${[...warnings]
    .reverse()
    .map((percent) => `when (${used}) * 100 >= most * ${percent} then ${percent}`)
    .join(' ')} else 0 end`;

// Rows are locked in one order and read after the lock; one that is new at that moment makes the statement run again (`again` in
// db/queryable.ts). A clock of the database that was set back begins no window a second time.
const text = `
with w as materialized (${wanted.select(1)}),
held as materialized (
  select b.* from w join budget b on ${same('b', 'w')} order by ${key.map((name) => `b.${name}`).join(', ')} for update of b
),
clock as materialized (select extract(epoch from clock_timestamp()) as seconds),
began as materialized (
  select w.nth, w.account_id, w.key_id, w.period, w.unit, w.seconds, w.enforced, w.scale, w.event_id, w.body,
    w.need::numeric as need, w.ahead::numeric as ahead, w.back::numeric as back, w.back_window, w.more::numeric as more,
    coalesce(w.most::numeric, h.most) as most, h.account_id is not null as known,
    h.time_window as last_window, h.used as last_used, h.warned as last_warned, h.most as last_most,
    greatest(coalesce(h.time_window, 0), floor(c.seconds / w.seconds)::integer) as time_window,
    c.seconds as now_seconds
  from w cross join clock c left join held h on ${same('h', 'w')}
),
-- What comes back was in this row before: a row that does not reach below zero grants nothing twice.
before_grant as materialized (
  select *, greatest(0, case when last_window = time_window then last_used else 0 end
      - case when back_window = time_window then back else 0 end) + more as had,
    case when last_window = time_window then last_warned else 0 end as last_level
  from began where most is not null
),
-- Where the limit was changed, the warnings that it makes true are given, some of them again.
roomy as materialized (
  select *, greatest(0, most - had) as room,
    case when last_most = most then last_level else least(last_level, ${levelOf('had')}) end as had_warned
  from before_grant
),
granted as materialized (
  select *, case when enforced
      then least(need, room) + least(ahead, trunc(greatest(0, room - need) / ${leftPerSlice}, scale))
      else need + ahead end as granted,
    need > room as exhausted
  from roomy
),
counted as materialized (
  select *, had + granted as used,
    case when exhausted then 100 else ${levelOf('had + granted')} end as level
  from granted
),
again as (
  update budget b set time_window = c.time_window, used = c.used, most = c.most, warned = greatest(c.had_warned, c.level)
  from counted c where c.known and ${same('b', 'c')}
    and (c.time_window, c.used, c.most, greatest(c.had_warned, c.level))
      is distinct from (c.last_window, c.last_used, c.last_most, c.last_warned)
),
made as (
  insert into budget (${key.join(', ')}, time_window, used, most, warned)
  select ${key.join(', ')}, time_window, used, most, level from counted where not known and (used > 0 or level > 0)
  order by ${key.join(', ')}
),
crossed as materialized (select * from counted where level > had_warned and body is not null),
told as (
  insert into webhook_delivery (account_id, event_id, endpoint_id, mode, type, body, status, created_at, holder)
  select c.account_id, c.event_id, e.id, 'live', '${warningType}',
    (c.body::jsonb || jsonb_build_object('data', c.body::jsonb -> 'data' || jsonb_build_object(
      'percent', c.level, 'limit', trim_scale(c.most)::text, 'used', trim_scale(c.used)::text,
      'window_ends_at', ${isoTime(`to_timestamp((c.time_window + 1)::double precision * c.seconds)`)})))::text,
    'pending', to_timestamp($${wanted.count + 1}::bigint / 1000.0), $${wanted.count + 2}
  from crossed c join webhook_endpoint e on e.account_id = c.account_id and e.mode = 'live' and e.enabled
    and (e.event_types = '{}' or '${warningType}' = any(e.event_types))
  returning event_id, endpoint_id, body
)
select c.nth, trim_scale(c.granted)::text as granted, trim_scale(c.used)::text as used, c.exhausted,
  c.time_window,
  (((c.time_window + 1)::numeric * c.seconds - c.now_seconds) * 1000)::double precision as ends_in_ms,
  case when c.level > c.had_warned then c.level end as warning, t.event_id, t.endpoint_id, t.body
from counted c left join told t on t.event_id = c.event_id`;

interface Line {
  nth: number;
  granted: string;
  used: string;
  exhausted: boolean;
  time_window: number;
  ends_in_ms: number;
  warning: number | null;
  event_id: string | null;
  endpoint_id: string | null;
  body: string | null;
}

/** Each budget at most once. In their order; null of a correction whose budget was never charged. */
export async function takeCredit(
  db: Queryable,
  wants: readonly WantedCredit[],
  { holder, at }: Warner,
): Promise<(GrantedCredit | null)[]> {
  const rows = wants.map(({ accountId, keyId, period, limit, backWindow, event, ...rest }, nth) => ({
    ...rest,
    nth,
    account_id: accountId,
    key_id: keyId,
    period,
    seconds: periodMs[period] / 1000,
    most: limit,
    back_window: backWindow,
    event_id: event.id,
    body: event.body,
  }));
  const values = [...wanted.parameters(rows), Math.floor(at), holder];
  const result = await again(() => db.query<Line>({ name: 'budgets', text, values }));
  const granted: (GrantedCredit | null)[] = wants.map(() => null);
  for (const line of result.rows) {
    granted[line.nth] ??= {
      granted: line.granted,
      used: line.used,
      exhausted: line.exhausted,
      window: line.time_window,
      endsInMs: line.ends_in_ms,
      warning: line.warning,
      deliveries: [],
    };
    const { event_id: eventId, endpoint_id: endpointId, body } = line;
    if (eventId !== null && endpointId !== null && body !== null)
      granted[line.nth]?.deliveries.push({ eventId, endpointId, body });
  }
  return granted;
}

/** A budget as its row has it. */
export interface UsedBudget {
  keyId: string;
  period: Period;
  unit: string;
  /** Of the window under way, decimal string: what messages cost, and what processes have taken ahead. */
  used: string;
}

/** Rows of an account whose window is under way, and the time by which that was decided, Unix ms. */
export async function usedBudgets(db: Reads, accountId: string): Promise<{ at: number; used: UsedBudget[] }> {
  const text = `select (extract(epoch from clock_timestamp()) * 1000)::double precision as at, coalesce((
      select jsonb_agg(jsonb_build_object('keyId', key_id, 'period', period, 'unit', unit, 'used', trim_scale(used)::text))
      from budget where account_id = $1
        and time_window >= floor(extract(epoch from clock_timestamp()) / case period when 'hour' then 3600 else 86400 end)
    ), '[]') as used`;
  const { rows } = await db.query<{ at: number; used: UsedBudget[] }>({
    name: 'budgets.used',
    text,
    values: [accountId],
  });
  return rows[0] ?? { at: 0, used: [] };
}
