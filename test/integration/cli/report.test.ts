// `ramz report` on a database with some rollups: what it adds up, how it divides, and what it refuses.
import { beforeAll, expect, test } from 'vitest';
import { report } from '../../../src/cli/report.ts';
import { type Counter, counters, type Dimensions } from '../../../src/core/reports/rollup.ts';
import { addRollups } from '../../../src/db/reports/rollups.ts';
import { testDatabase } from '../../support/database.ts';

const database = await testDatabase();
const now = Math.floor(Date.now() / 3_600_000) * 3_600_000 + 1_800_000;
const minuteMs = 60_000;

type Counts = Partial<Record<Counter, number>>;

function rollup(minutesAgo: number, counts: Counts, change: Partial<Dimensions> = {}, cost = '0', platformCost = '0') {
  const dimensions: Dimensions = {
    at: now - minutesAgo * minuteMs,
    accountId: 'acct_a',
    mode: 'live',
    operator: 'atlas',
    channel: 'sms',
    prefix: '+213550',
    currency: 'DZD',
    ...change,
  };
  return { dimensions, counts: counters.map((name) => counts[name] ?? 0), cost, platformCost };
}

beforeAll(async () => {
  const rollups = [
    rollup(
      1,
      { sessions: 4, verified: 1, sent: 5, delivered: 4, delivered_within_10s: 3, delivered_within_300s: 4 },
      {},
      '12.50',
    ),
    rollup(
      30,
      { sessions: 2, verified: 2, sent: 2, delivered: 2, delivered_within_5s: 2, verified_within_20s: 2 },
      { prefix: '+213551' },
      '0.001',
    ),
    rollup(
      50,
      { sessions: 1, expired: 1, sent: 1, delivered: 1 },
      { operator: '', channel: 'whatsapp', currency: 'USD' },
      '0',
      '0.02',
    ),
    rollup(2, { sessions: 1 }, { operator: '', channel: 'whatsapp', currency: '' }),
    rollup(3 * 1_440, { sessions: 9, sent: 9 }, { accountId: 'acct_b', operator: 'sahara' }),
    rollup(1, { sessions: 7, sent: 7 }, { mode: 'test' }),
  ];
  await addRollups(database.plain, { processId: 'prc_1', doneUntil: now, choose: () => ({ batch: 1, rollups }) });
});

async function run(...args: string[]) {
  const lines: string[] = [];
  const code = await report(args, { env: { DATABASE_URL: database.url }, say: (line) => lines.push(line), now });
  return { code, text: lines.join('\n') };
}

const rowsOf = async (...args: string[]) => JSON.parse((await run(...args, '--json')).text).rows;

test('the table of the last day', async () => {
  const { code, text } = await run();
  expect(code).toBe(0);
  const [title, , ...lines] = text.split('\n');
  expect(title).toMatch(/^opened \S+Z to \S+Z$/);
  expect(lines).toEqual([
    'operator  channel   sessions  verified          pending  sent  delivered           half delivered  half verified  cost',
    'atlas     sms              6         3  50.0 %        3     7          6   85.7 %          ≤ 10 s         ≤ 20 s  12.501 DZD',
    '–         whatsapp         2         0   0.0 %        1     1          1  100.0 %         > 300 s              –  0 USD (+ 0.02 billed to businesses)',
  ]);
});

test('rows are divided as asked, and only the wanted ones are added up', async () => {
  expect(await rowsOf('--by', 'prefix,mode', '--since', '5m', '--mode', 'all')).toEqual([
    expect.objectContaining({
      prefix: '+213550',
      mode: 'test',
      sent: 7,
      costs: [{ currency: 'DZD', amount: '0', platform_amount: '0' }],
    }),
    expect.objectContaining({ prefix: '+213550', mode: 'live', sent: 5, sessions: 5 }),
  ]);
  expect(await rowsOf('--by', 'account', '--since', '30d', '--account', 'acct_b')).toEqual([
    expect.objectContaining({ account: 'acct_b', sent: 9 }),
  ]);
  expect(await rowsOf('--by', 'account', '--since', '30d', '--operator', 'sahara')).toHaveLength(1);
  expect(await rowsOf('--by', 'channel', '--channel', 'whatsapp')).toHaveLength(1);
  expect(await rowsOf('--by', 'prefix', '--prefix', '+21355')).toHaveLength(2);
  expect(await rowsOf('--by', 'prefix', '--prefix', '+213551')).toHaveLength(1);
  expect(await rowsOf('--by', 'prefix', '--limit', '1')).toHaveLength(1);
  const iso = (at: number) => new Date(at).toISOString().slice(0, 16);
  const minutes: { minute: string }[] = await rowsOf('--by', 'minute', '--operator', 'atlas');
  expect(minutes.map(({ minute }) => minute)).toEqual([now - minuteMs, now - 30 * minuteMs].map((at) => `${iso(at)}Z`));
  const days: { day: string }[] = await rowsOf('--by', 'day', '--since', '30d', '--account', 'acct_b');
  expect(days.map(({ day }) => day)).toEqual([iso(now - 3 * 1_440 * minuteMs).slice(0, 10)]);
});

test('of older times, whose minutes are in the rows of their hours by now, full hours are counted and named', async () => {
  const iso = (at: number) => `${new Date(at).toISOString().slice(0, 16)}Z`;
  const hour = now - 3 * 1_440 * minuteMs - 30 * minuteMs;
  const within = ['--since', iso(hour + 5 * minuteMs), '--until', iso(hour + 10 * minuteMs), '--account', 'acct_b'];
  const { since, until, rows } = JSON.parse((await run(...within, '--json')).text);
  expect([Date.parse(since), Date.parse(until)]).toEqual([hour, hour + 60 * minuteMs]);
  expect(rows).toMatchObject([{ sent: 9 }]);
  expect((await run(...within)).text).toContain(`opened ${iso(hour)} to ${iso(hour + 60 * minuteMs)}`);
});

test('nothing is a sentence, not an empty table', async () => {
  expect(await run('--account', 'acct_b')).toEqual({ code: 0, text: expect.stringMatching(/: nothing was sent$/) });
  expect(await run('--operator', 'sahara')).toEqual({ code: 0, text: expect.stringMatching(/: nothing was sent$/) });
});

test('a name that nobody has ever had is refused', async () => {
  expect(await run('--account', 'acct_none')).toEqual({
    code: 1,
    text: '--account acct_none: there is no such account',
  });
  expect(await run('--operator', 'atlass')).toEqual({
    code: 1,
    text: '--operator atlass: no message ever went by such an operator, and it has no binds',
  });
});

test.each([
  [['--since', 'yesterday'], '--since yesterday: write 5m'],
  [['--until', '2020-01-01'], '--since has to be before --until'],
  [['--by', 'number'], '--by number: it is one of account'],
  [['--mode', 'demo'], '--mode is'],
  [['--channel', 'fax'], '--channel is'],
  [['--prefix', '21355'], '--prefix 21355: a plus sign'],
  [['--prefix', '+213550000001'], '--prefix +2135*****01: a plus sign'],
  [['--limit', '0'], '--limit is'],
  [['--account'], '--account'],
])('%s is not understood', async (args, message) => {
  expect(await run(...args)).toEqual({ code: 2, text: expect.stringContaining(message) });
});

test('--help says what there is', async () => {
  expect(await run('--help')).toEqual({ code: 0, text: expect.stringContaining('--since 24h') });
});
