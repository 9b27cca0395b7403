// `ramz report`: what was sent, delivered, verified and paid, as a table or as JSON. It reads rollups straight from the database, and needs
// no running service.

import { maskPhone } from '../core/phone.ts';
import { coveredBy } from '../core/reports/rollup.ts';
import { inside, type Reads } from '../db/queryable.ts';
import { type Division, divisions, isKnown, type ReportRequest, readReport } from '../db/reports/report.ts';
import { exitCodeOf, flag, Refusal, readWords, text, utcTime, type VerbOptions } from './command.ts';
import { closeCells, connectCells, openStored, requireHome, requireOthers } from './database.ts';
import { toJson, toTable } from './report/table.ts';

export interface ReportOptions extends VerbOptions {
  /** Unix ms. Default: the clock of this machine. */
  now?: number;
}

const usage = `usage: npm run ramz -- report [options]

  Sessions count at the time they were opened, with all that becomes of them later. Times are UTC. Beyond
  25 hours ago they are rounded to full hours, outward: the title says what was counted.

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
export async function report(args: readonly string[], options: ReportOptions): Promise<number> {
  const { say, complain = say, now = Date.now() } = options;
  return exitCodeOf({ args, usage, say, complain }, () => reported(read(args, now), options));
}

async function reported({ request, json }: Asked, options: VerbOptions): Promise<number> {
  const { say } = options;
  const server = await openStored(options);
  const named = connectCells(server, { max: 1, lanes: 1, applicationName: 'ramz report' });
  try {
    await requireHome(named);
    await requireOthers(named);
    const reads = [...named.values()].map(({ db }) => inside(db));
    const rows = await readReport(reads, request);
    if (rows.length === 0) await requireKnown(reads, request);
    say(json ? toJson(request, rows) : toTable(request, rows));
    return 0;
  } finally {
    await closeCells(named);
    await server.stop();
  }
}

/** Nothing of a name that nobody has ever had is a mistake in the call. @throws Refusal */
async function requireKnown(reads: readonly Reads[], { accountId, operator }: ReportRequest): Promise<void> {
  if (accountId !== undefined && !(await isKnown(reads, 'account', accountId)))
    throw new Refusal(`--account ${accountId}: there is no such account`, 1);
  if (operator !== undefined && !(await isKnown(reads, 'operator', operator)))
    throw new Refusal(`--operator ${operator}: no message ever went by such an operator, and it has no binds`, 1);
}

interface Asked {
  json: boolean;
  request: ReportRequest;
}

const options = {
  since: text,
  until: text,
  by: text,
  account: text,
  mode: text,
  operator: text,
  channel: text,
  prefix: text,
  limit: text,
  json: flag,
};

/** @throws Refusal */
function read(args: readonly string[], now: number): Asked {
  const { values } = readWords(args, options, []);
  const { account, mode = 'live', operator, channel, prefix, limit = '50' } = values;
  const asked = {
    since: timeOf('--since', values.since ?? '24h', now),
    // The minute that is under way counts.
    until: values.until === undefined ? now + 1 : timeOf('--until', values.until, now),
  };
  const { since, until } = coveredBy(asked, now);
  if (asked.since >= asked.until) throw new Refusal('--since has to be before --until', 2);
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

const units: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function timeOf(option: string, text: string, now: number): number {
  const [, count, unit = ''] = /^([0-9]{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * (units[unit] ?? 0);
  const at = utcTime(text);
  if (Number.isNaN(at)) throw new Refusal(`${option} ${text}: write 5m, 24h, 30d, 2026-11-22 or 2026-11-22T14:00Z`, 2);
  return at;
}

function divisionsOf(text: string): Division[] {
  const asked = text.split(',').map((each) => each.trim());
  const unknown = asked.find((each) => !divisions.some((known) => known === each));
  if (unknown !== undefined) throw new Refusal(`--by ${unknown}: it is one of ${divisions.join(', ')}`, 2);
  return [...new Set(asked as Division[])];
}
