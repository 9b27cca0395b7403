// `ramz report`: what was sent, delivered, verified and paid, as a table or as JSON. It reads rollups straight from the database, and needs
// no running service.

import { sameAmount } from '../core/money/money.ts';
import { maskPhone } from '../core/phone.ts';
import { borders } from '../core/reports/rollup.ts';
import { createDatabase } from '../db/client.ts';
import { schemaState } from '../db/migrate.ts';
import { inside } from '../db/queryable.ts';
import { type Division, divisions, type ReportRequest, type ReportRow, readReport } from '../db/reports/report.ts';
import { exitCodeOf, Refusal, readWords } from './command.ts';
import { openDatabase } from './migrate.ts';

export interface ReportOptions {
  env: NodeJS.ProcessEnv;
  say(line: string): void;
  /** Unix ms. Default: the clock of this machine. */
  now?: number;
}

const usage = `usage: npm run ramz -- report [options]

  Sessions count at the time they were opened, with all that becomes of them later. Times are UTC.

  --since 24h      from then on: 5m, 24h, 30d, 2026-11-22 or 2026-11-22T14:00Z (default 24h)
  --until …        until then (default: now)
  --by …           ${divisions.join(', ')}; several with commas
                   (default: operator,channel)
  --account …      only this account
  --mode …         live, test or all (default: live)
  --operator …     only this operator
  --channel …      only sms, whatsapp or voice
  --prefix …       only numbers that begin so: +2189 or a longer one, up to six digits
  --limit 50       rows at most, those with the most sends first
  --json           one JSON object, with all counters`;

/** Resolves with the exit code: 0 done, 1 refused, 2 not understood. */
export async function report(args: readonly string[], { env, say, now = Date.now() }: ReportOptions): Promise<number> {
  return exitCodeOf({ args, usage, say }, () => reported(read(args, now), env, say));
}

async function reported(
  { request, json }: Asked,
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<number> {
  const server = await openDatabase(env);
  const urls = [server.url, ...(server.cells?.urls.values() ?? [])];
  const databases = urls.map((url) => {
    return createDatabase<unknown>(url, { max: 1, lanes: 1, applicationName: 'ramz report' });
  });
  try {
    for (const { db } of databases) {
      const { kind } = await schemaState(db);
      if (kind !== 'behind' && kind !== 'newer') continue;
      say(`the database is ${kind === 'behind' ? 'not up to date' : 'newer than this program'}`);
      return 1;
    }
    const reads = databases.map(({ db }) => inside(db));
    const rows = await readReport(reads, request);
    say(json ? toJson(request, rows) : toTable(request, rows));
    return 0;
  } finally {
    await Promise.all(databases.map((database) => database.close()));
    await server.stop();
  }
}

interface Asked {
  json: boolean;
  request: ReportRequest;
}

/** @throws Refusal */
function read(args: readonly string[], now: number): Asked {
  const string = { type: 'string' } as const;
  const boolean = { type: 'boolean' } as const;
  const { values } = readWords(
    { args, usage },
    {
      since: string,
      until: string,
      by: string,
      account: string,
      mode: string,
      operator: string,
      channel: string,
      prefix: string,
      limit: string,
      json: boolean,
    },
    0,
  );
  const { account, mode = 'live', operator, channel, prefix, limit = '50' } = values;
  const since = minute(timeOf('--since', values.since ?? '24h', now));
  // The minute that is under way counts.
  const until = values.until === undefined ? minute(now) + 60_000 : minute(timeOf('--until', values.until, now));
  if (since >= until) throw new Refusal('--since has to be before --until', 2);
  if (!['live', 'test', 'all'].includes(mode)) throw new Refusal('--mode is live, test or all', 2);
  if (channel !== undefined && !['sms', 'whatsapp', 'voice'].includes(channel)) {
    throw new Refusal('--channel is sms, whatsapp or voice', 2);
  }
  if (prefix !== undefined && !/^\+[1-9][0-9]{0,5}$/.test(prefix)) {
    const shown = /^\+?[0-9]{7,}$/.test(prefix) ? maskPhone(prefix) : prefix;
    throw new Refusal(`--prefix ${shown}: a plus sign and one to six digits, because numbers are not kept longer`, 2);
  }
  if (!/^[1-9][0-9]{0,5}$/.test(limit)) throw new Refusal('--limit is a whole number from 1 to 999999', 2);
  return {
    json: values.json ?? false,
    request: {
      since,
      until,
      by: divisionsOf(values.by ?? 'operator,channel'),
      limit: Number(limit),
      ...(account === undefined ? {} : { accountId: account }),
      ...(mode === 'all' ? {} : { mode }),
      ...(operator === undefined ? {} : { operator }),
      ...(channel === undefined ? {} : { channel }),
      ...(prefix === undefined ? {} : { prefix }),
    },
  };
}

const minute = (at: number): number => Math.floor(at / 60_000) * 60_000;

const units: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function timeOf(option: string, text: string, now: number): number {
  const [, count, unit = ''] = /^([0-9]{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * (units[unit] ?? 0);
  const at = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw new Refusal(`${option} ${text}: write 5m, 24h, 30d, 2026-11-22 or 2026-11-22T14:00Z`, 2);
  return at;
}

function divisionsOf(text: string): Division[] {
  const asked = text.split(',').map((each) => each.trim());
  const unknown = asked.find((each) => !divisions.some((known) => known === each));
  if (unknown !== undefined) throw new Refusal(`--by ${unknown}: it is one of ${divisions.join(', ')}`, 2);
  return [...new Set(asked as Division[])];
}

const time = (at: number): string => new Date(at).toISOString().replace(':00.000Z', 'Z');

function toJson({ since, until, by }: ReportRequest, rows: readonly ReportRow[]): string {
  return JSON.stringify(
    {
      since: time(since),
      until: time(until),
      rows: rows.map((row) => ({
        ...Object.fromEntries(by.map((division, index) => [division, row.by[index]])),
        ...row.counts,
        costs: row.costs.map(({ currency, amount, platformAmount }) => ({
          currency,
          amount,
          platform_amount: platformAmount,
        })),
      })),
    },
    null,
    2,
  );
}

/** Share of `part` in `whole` in percent; nothing of nothing is no share. */
const share = (part: number, whole: number): string => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`);

/** The shortest time within which half of them came: `≤ 10 s`. */
function half(prefix: 'delivered_within' | 'verified_within', counts: ReportRow['counts'], all: number): string {
  if (all === 0) return '–';
  const border = borders.find((each) => counts[`${prefix}_${each}s`] * 2 >= all);
  return border === undefined ? `> ${borders.at(-1)} s` : `≤ ${border} s`;
}

function toTable({ since, until, by }: ReportRequest, rows: readonly ReportRow[]): string {
  const title = `opened ${time(since)} to ${time(until)}`;
  if (rows.length === 0) return `${title}: nothing was sent`;
  const heads = [
    ...by,
    'sessions',
    'verified',
    '',
    'pending',
    'sent',
    'delivered',
    '',
    'half delivered',
    'half verified',
    'cost',
  ];
  const lines = rows.map(({ by: divided, counts, costs }) => {
    const { sessions, verified, expired, failed, canceled, sent, delivered } = counts;
    return [
      ...divided.map((value) => value || '–'),
      String(sessions),
      String(verified),
      share(verified, sessions),
      String(sessions - verified - expired - failed - canceled),
      String(sent),
      String(delivered),
      share(delivered, sent),
      half('delivered_within', counts, delivered),
      half('verified_within', counts, verified),
      costs.map(costText).join(', ') || '–',
    ];
  });
  const widths = heads.map((head, at) => Math.max(head.length, ...lines.map((line) => (line[at] ?? '').length)));
  const last = heads.length - 1;
  const lineOf = (cells: readonly string[]) =>
    cells
      .map((cell, at) => {
        const width = widths[at] ?? 0;
        return at < by.length || at === last ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd();
  return [title, '', lineOf(heads), ...lines.map(lineOf)].join('\n');
}

const costText = ({ currency, amount, platformAmount }: ReportRow['costs'][number]): string =>
  sameAmount(platformAmount, '0')
    ? `${amount} ${currency}`
    : `${amount} ${currency} (+ ${platformAmount} billed to businesses)`;
