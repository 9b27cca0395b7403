// Rollups counted from the raw rows of a span: sessions that were opened in it, and their messages. The rules are those of
// core/reports/rollup.ts.

import { borders, counters, sentStatuses } from '../../core/reports/rollup.ts';

const list = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

/** Of rows of `m` below: one line for each counter, in their order. */
const countersSql: Record<string, string> = {
  sessions: 'count(*) filter (where is_last)',
  ...Object.fromEntries(
    ['verified', 'expired', 'failed', 'canceled'].map((status) => [
      status,
      `count(*) filter (where is_last and session_status = '${status}')`,
    ]),
  ),
  unreported: `count(*) filter (where is_last and sealed_code is not null and session_status <> 'verified'
    and status_reason is distinct from 'reported_fraud')`,
  verified_own_code: `count(*) filter (where is_last and sealed_code is not null and session_status = 'verified')`,
  verified_by_report: `count(*) filter (where is_last and sealed_code is null and session_status = 'verified'
    and status_reason = 'reported')`,
  sent: 'count(*) filter (where is_sent)',
  parts: 'coalesce(sum(parts) filter (where is_sent), 0)',
  delivered: 'count(*) filter (where is_delivered)',
  ...Object.fromEntries(
    borders.flatMap((border) => [
      [
        `delivered_within_${border}s`,
        `count(*) filter (where is_delivered and final_at - submitted_at <= interval '${border} seconds')`,
      ],
      [
        `verified_within_${border}s`,
        `count(*) filter (where is_last and session_status = 'verified' and verified_at - first_send_at <= interval '${border} seconds')`,
      ],
    ]),
  ),
};

const costOf = (condition: string) =>
  `coalesce(sum((cost->>'amount')::numeric) filter (where cost->>'billedBy' ${condition} 'platform'), 0)`;

/** What rows are divided by, without their time. */
export const dimensionColumns = ['account_id', 'mode', 'operator', 'channel', 'prefix', 'currency'] as const;

/** Minutes are kept so long, beside the hour that is not over: what asks for the last day finds them. */
export const minutesKept = `interval '26 hours'`;

/** The start of the row that a minute's counts are in by now, and its length. */
export const rowStart = (minute: string) =>
  `case when ${isOld(minute)} then date_trunc('hour', ${minute}, 'UTC') else ${minute} end`;
export const rowSeconds = (minute: string) => `case when ${isOld(minute)} then 3600 else 60 end`;
const isOld = (minute: string) => `${minute} < date_trunc('hour', now() - ${minutesKept}, 'UTC')`;

/**
 * Rows of the table `rollup`, counted from what is stored. $1 and $2: the lowest id that a session may have and the first it may not, which
 * reach further than $3 and $4, the span itself. $5: ids of accounts that are left out.
 */
export const rawText = `
with s as materialized (
  select account_id, id, mode, number, status, status_reason, sealed_code, created_at, first_send_at, verified_at,
    date_trunc('minute', created_at, 'UTC') as minute
  from verify_session where id >= $1 and id < $2 and created_at >= $3::timestamptz and created_at < $4::timestamptz
    and account_id <> all($5::text[])
),
sent as materialized (
  select m.*, m.submitted_at is not null or m.status in (${list(sentStatuses)}) as is_sent
  from message m where m.session_id in (select id from s)
),
m as (
  select s.account_id, s.mode, coalesce(sent.operator, '') as operator, sent.channel,
    left(s.number, greatest(1, least(7, length(s.number) - 4))) as prefix, coalesce(sent.cost->>'currency', '') as currency,
    ${rowStart('s.minute')} as at, ${rowSeconds('s.minute')} as seconds,
    s.status as session_status, s.status_reason, s.sealed_code, s.first_send_at, s.verified_at, sent.parts, sent.cost, sent.submitted_at, sent.final_at,
    is_sent, is_sent and sent.status in ('delivered', 'read', 'answered') as is_delivered,
    row_number() over (partition by s.id order by is_sent desc, sent.id desc) = 1 as is_last
  from s join sent on sent.session_id = s.id and sent.account_id = s.account_id
)
select at, seconds, ${dimensionColumns.join(', ')}, ${counters.map((name) => `${countersSql[name]} as ${name}`).join(', ')},
  ${costOf('is distinct from')} as cost, ${costOf('=')} as platform_cost
from m where is_last or is_sent or cost is not null group by at, seconds, ${dimensionColumns.join(', ')}`;
