// Reports: sums of rollups over a time, divided as the reader asks.

import { addAmounts } from '../../core/money/money.ts';
import { type Counter, counters } from '../../core/reports/rollup.ts';
import { hashOfText } from '../connections/client.ts';
import type { Reads } from '../queryable.ts';
import { projector } from './rollups.ts';

/** What a report may be divided by. Times are UTC. */
export const divisions = ['account', 'mode', 'operator', 'channel', 'prefix', 'minute', 'hour', 'day'] as const;

export type Division = (typeof divisions)[number];

export interface ReportRequest {
  /** Sessions opened from `since` (inclusive) until `until`, Unix ms. Beyond the last day whole hours: one counts where it begins. */
  since: number;
  until: number;
  /** Only these; absent = all. A prefix means every longer one, too. */
  accountId?: string;
  mode?: string;
  operator?: string;
  channel?: string;
  prefix?: string;
  by: readonly Division[];
  /** Rows at most, those with the most sends first. */
  limit: number;
}

export interface ReportRow {
  /** The values of `by`, in its order; times as `2026-11-22T14:00Z`, a day as `2026-11-22`. */
  by: string[];
  counts: Record<Counter, number>;
  /** Sums by currency, sorted by it: what carriers bill this service, and what the messaging platform bills businesses itself. */
  costs: { currency: string; amount: string; platformAmount: string }[];
}

const time = (unit: string, format: string) =>
  `to_char(date_trunc('${unit}', at, 'UTC') at time zone 'UTC', '${format}')`;
const columnOf: Record<Division, string> = {
  account: 'account_id',
  mode: 'mode',
  operator: 'operator',
  channel: 'channel',
  prefix: 'prefix',
  minute: time('minute', 'YYYY-MM-DD"T"HH24:MI"Z"'),
  hour: time('hour', 'YYYY-MM-DD"T"HH24:MI"Z"'),
  day: time('day', 'YYYY-MM-DD'),
};

/** What a request may select rows by, and the condition of each. */
const conditions = {
  accountId: (value) => `account_id = ${value}`,
  mode: (value) => `mode = ${value}`,
  operator: (value) => `operator = ${value}`,
  channel: (value) => `channel = ${value}`,
  prefix: (value) => `starts_with(prefix, ${value})`,
} as const satisfies Partial<Record<keyof ReportRequest, (value: string) => string>>;

type Filter = keyof typeof conditions;
const filters = Object.keys(conditions) as Filter[];

/**
 * `part`: of several databases, whose rows are added up before any is left out. `given`: parameters from $3 on, the limit behind them. What is not
 * given stands in no condition: with `$3 is null or account_id = $3` a plan that is kept for any values reads the rows of all accounts.
 */
const text = (by: readonly Division[], given: readonly Filter[], part: boolean) => {
  const divided = by.length === 0 ? `array[]::text[]` : `array[${by.map((each) => columnOf[each]).join(', ')}]`;
  return `
with parts as (
  select ${divided} as by, currency, ${counters.map((name) => `sum(${name}) as ${name}`).join(', ')},
    sum(cost) as cost, sum(platform_cost) as platform_cost
  from rollup
  where ${['at >= $1', 'at < $2', ...given.map((name, index) => conditions[name](`$${index + 3}`))].join(' and ')}
  group by 1, currency
)
select by, ${counters.map((name) => `sum(${name})::double precision as ${name}`).join(', ')},
  coalesce(jsonb_agg(jsonb_build_object('currency', currency, 'amount', cost::text,
    'platformAmount', platform_cost::text) order by currency) filter (where currency <> ''), '[]') as costs
from parts group by by ${part ? '' : `having sum(sent) <> 0 or sum(sessions) <> 0 order by sum(sent) desc, by limit $${given.length + 3}`}`;
};

/** Reads within a second or so of what is committed, over all of `dbs`. The rows' order is by sends, the most first. */
export async function readReport(dbs: readonly Reads[], request: ReportRequest): Promise<ReportRow[]> {
  const { since, until, by, limit } = request;
  const given = filters.filter((name) => request[name] !== undefined);
  const values = [new Date(since), new Date(until), ...given.map((name) => request[name])];
  type Row = Record<Counter, number> & { by: string[]; costs: ReportRow['costs'] };
  const statement = (part: boolean) => {
    const whole = text(by, given, part);
    // Postgres takes 63 characters of a name.
    return { name: `report ${hashOfText(whole).slice(0, 22)}`, text: whole };
  };
  const toRow = ({ by: divided, costs, ...counts }: Row): ReportRow => ({ by: divided, counts, costs });
  const [only, ...others] = dbs;
  if (only && others.length === 0) {
    const { rows } = await only.query<Row>({ ...statement(false), values: [...values, limit] });
    return rows.map(toRow);
  }
  const part = statement(true);
  const parts = await Promise.all(dbs.map((db) => db.query<Row>({ ...part, values })));
  return addedUp(parts.flatMap(({ rows }) => rows.map(toRow))).slice(0, limit);
}

/** The time, Unix ms, before which all that was stored in any of `dbs` is in the rollups; null while no process has begun to count. */
export async function countedUntil(dbs: readonly Reads[]): Promise<number | null> {
  const text =
    'select extract(epoch from min(done_until))::double precision * 1000 as until from projection where projector = $1';
  const query = { name: 'report.counted_until', text, values: [projector] };
  const found = await Promise.all(dbs.map((db) => db.query<{ until: number | null }>(query)));
  const marks = found.flatMap(({ rows }) => rows.flatMap(({ until }) => (until === null ? [] : [until])));
  return marks.length === dbs.length ? Math.min(...marks) : null;
}

const knownTexts = {
  account:
    'select exists (select from account where id = $1) or exists (select from rollup where account_id = $1) as known',
  operator:
    'select exists (select from bind_slot where operator = $1) or exists (select from rollup where operator = $1) as known',
};

/** Whether any of `dbs` has the account, or has binds of the operator, or has sums of either from any time. */
export async function isKnown(dbs: readonly Reads[], what: 'account' | 'operator', id: string): Promise<boolean> {
  const query = { name: `report.known ${what}`, text: knownTexts[what], values: [id] };
  const found = await Promise.all(dbs.map((db) => db.query<{ known: boolean }>(query)));
  return found.some(({ rows }) => rows[0]?.known);
}

/** Rows of several databases as those of one. */
function addedUp(parts: readonly ReportRow[]): ReportRow[] {
  const rows = [...Map.groupBy(parts, ({ by }) => JSON.stringify(by)).values()].map((same): ReportRow => {
    const counts = counters.map((name) => [name, same.reduce((sum, row) => sum + row.counts[name], 0)] as const);
    return {
      by: same[0]?.by ?? [],
      counts: Object.fromEntries(counts) as ReportRow['counts'],
      costs: costsOf(same.flatMap(({ costs }) => costs)),
    };
  });
  const order = ({ by }: ReportRow) => JSON.stringify(by);
  return rows
    .filter(({ counts }) => counts.sent !== 0 || counts.sessions !== 0)
    .sort((one, other) => other.counts.sent - one.counts.sent || (order(one) < order(other) ? -1 : 1));
}

const costsOf = (parts: ReportRow['costs']): ReportRow['costs'] =>
  [...Map.groupBy(parts, ({ currency }) => currency)]
    .map(([currency, same]) => ({
      currency,
      amount: sumOf(same.map(({ amount }) => amount)),
      platformAmount: sumOf(same.map(({ platformAmount }) => platformAmount)),
    }))
    .sort((one, other) => (one.currency < other.currency ? -1 : 1));

const sumOf = (amounts: readonly string[]): string => amounts.reduce(addAmounts, '0');
