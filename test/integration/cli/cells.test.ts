// The command line over cells: what works on one database works on each of them.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { withoutPattern } from '../../../src/channels/sms/report.ts';
import { account } from '../../../src/cli/account.ts';
import { administrators } from '../../../src/cli/administrators.ts';
import { cells as ramzCells } from '../../../src/cli/cells.ts';
import { doctor } from '../../../src/cli/doctor.ts';
import { erase } from '../../../src/cli/erase.ts';
import { keys } from '../../../src/cli/keys.ts';
import { migrateDatabase } from '../../../src/cli/migrate.ts';
import { operators } from '../../../src/cli/operators.ts';
import { report } from '../../../src/cli/report.ts';
import { shardForNumber } from '../../../src/core/ids.ts';
import { newKeyRing } from '../../../src/core/secrets/key-ring.ts';
import { ensurePartitions, partitionHorizonMs } from '../../../src/db/partitions.ts';
import { inside } from '../../../src/db/queryable.ts';
import { withSchema } from '../../../src/db/schema.ts';
import { reportRing } from '../../../src/db/secrets/process-rings.ts';
import { Operators } from '../../../src/engine/operators/operators.ts';
import { prepareAccount } from '../../../src/launch/prepare.ts';
import { testDatabase } from '../../support/database.ts';
import { ids, ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';
import { testFolder } from '../../support/folder.ts';

const [home, other] = [await testDatabase(), await testDatabase()];
const folder = testFolder('cells-cli');
writeFileSync(
  join(folder, 'keys.json'),
  newKeyRing((size) => randomBytes(size)),
);

const cells = {
  cells: { b: other.url },
  epochs: [{ from: '1970-01-01T00:00:00Z', shards: { '0-511': 'home', '512-1023': 'b' } }],
};
const env = { DATABASE_URL: home.url, DATABASE_CELLS: JSON.stringify(cells), RAMZ_KEY_RING: join(folder, 'keys.json') };

async function run(verb: typeof account, ...args: string[]): Promise<string[]> {
  const lines: string[] = [];
  expect(await verb(args, { env, say: (line) => lines.push(line) })).toBe(0);
  return lines;
}

test('migrate brings every cell up to date, with its partitions, and names each', async () => {
  const run = async () => {
    const lines: string[] = [];
    expect(await migrateDatabase({ env, say: (line) => lines.push(line) })).toBe(0);
    return lines;
  };
  const made = /^cell (home|b): made \d+ partitions$/;
  expect(await run()).toEqual([expect.stringMatching(made), expect.stringMatching(made)]);
  for (const { db } of [home, other]) expect(await partitionHorizonMs(db, Date.now())).toBeGreaterThan(0);
  const nothing = 'nothing to do: the database is up to date';
  expect(await run()).toEqual([`cell home: ${nothing}`, `cell b: ${nothing}`]);
});

test('unlock forgets what any cell has counted of the number', async () => {
  const [created = ''] = await run(account, 'create', 'My Shop');
  const id = created.split(/ {2,}/).at(-1) ?? '';
  const number = '+213551234567';
  for (const { db } of [home, other]) {
    await sql`insert into number_failure (account_id, mode, number, failures, failures_in_row, needs_unlock, window_ends_at)
      values (${id}, 'live', ${number}, 10, 100, true, now())`.execute(db);
  }
  await run(account, 'unlock', id, number);
  for (const { db } of [home, other]) expect((await sql`select from number_failure`.execute(db)).rows).toEqual([]);
});

const awayUrl = 'postgres://nobody@127.0.0.1:1/none';
const withoutB = { ...env, DATABASE_CELLS: JSON.stringify({ ...cells, cells: { b: awayUrl } }) };

/** The exit code, and what was printed, while cell b can't be reached. */
async function whileAway(verb: typeof account, ...args: string[]) {
  const lines: string[] = [];
  const code = await verb(args, { env: withoutB, say: (line) => lines.push(line) });
  return { code, text: lines.join('\n') };
}

test('with a cell away a number is unlocked that was never there; of another one it is said what is left', async () => {
  const [created = ''] = await run(account, 'create', 'My Shop');
  const id = created.split(/ {2,}/).at(-1) ?? '';
  const numbers = Array.from({ length: 40 }, (_, n) => `+2135512${20_000 + n}`);
  const [atHome = '', moved = ''] = [false, true].map((away) => numbers.find((n) => shardForNumber(n) >= 512 === away));
  for (const number of [atHome, moved])
    await sql`insert into number_failure (account_id, mode, number, failures, failures_in_row, needs_unlock, window_ends_at)
      values (${id}, 'live', ${number}, 10, 100, true, now())`.execute(home.db);
  const unlocked = 'unlocked (live): 100 wrong codes in a row are forgotten';
  expect(await whileAway(account, 'unlock', id, atHome)).toEqual({ code: 0, text: unlocked });
  const left = "cell b can't be reached: what it has counted of the number stays. Run this once more when it is back";
  expect(await whileAway(account, 'unlock', id, moved)).toEqual({ code: 1, text: `${unlocked}\n${left}` });
  expect(await whileAway(account, 'unlock', id, moved)).toEqual({ code: 1, text: left });
  expect((await sql`select from number_failure`.execute(home.db)).rows).toEqual([]);
});

test('with a cell away keys are made and prefixes blocked: such rows are at home', async () => {
  const made = await whileAway(account, 'create', 'My Shop');
  expect(made).toMatchObject({ code: 0, text: expect.stringContaining('live key') });
  const id = /acct_\w+/.exec(made.text)?.[0] ?? '';
  expect(await whileAway(account, 'key', 'create', id)).toMatchObject({ code: 0 });
  expect(await whileAway(account, 'platform', 'block', '+213550*')).toMatchObject({ code: 0 });
  expect(await whileAway(administrators, 'create', 'Amina')).toMatchObject({ code: 0 });
});

/** The exit code, and what was printed. */
async function runCells(
  args: readonly string[],
  { settings = cells, now = Date.now() }: { settings?: object; now?: number } = {},
) {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const given = { ...env, DATABASE_CELLS: JSON.stringify(settings) };
  const code = await ramzCells(args, { env: given, say, now: () => now });
  return { code, text: lines.join('\n') };
}

test('cells plan: the epochs with one more, which the setting takes as they are', async () => {
  const now = Date.parse('2026-11-23T10:20:00Z');
  const { code, text } = await runCells(['plan', '--shards', '256-767', '--to', 'b'], { now });
  expect([code, JSON.parse(text)]).toEqual([
    0,
    {
      epochs: [...cells.epochs, { from: '2026-11-23T12:00:00Z', shards: { '0-255': 'home', '256-1023': 'b' } }],
    },
  ]);
  const settings = { ...cells, ...(JSON.parse(text) as object) };
  const back = await runCells(['plan', '--shards', '300', '--to', 'home', '--from', '2026-12-01T00:00:00Z'], {
    now,
    settings,
  });
  expect(JSON.parse(back.text).epochs[2]).toEqual({
    from: '2026-12-01T00:00:00Z',
    shards: { '0-255': 'home', '256-299': 'b', '300': 'home', '301-1023': 'b' },
  });
  const fresh = await runCells(['plan', '--shards', '0-9', '--to', 'c'], { now });
  expect(fresh.text).toContain('cell c is new: DATABASE_CELLS needs its URL');
});

test.each([
  [['plan', '--to', 'b'], 2, '--shards'],
  [['plan', '--shards', '9-3', '--to', 'b'], 2, '--shards'],
  [['plan', '--shards', '0-1024', '--to', 'b'], 2, '--shards'],
  [['plan', '--shards', '0-3'], 2, '--to'],
  [['plan', '--shards', '0-3', '--to', 'b', '--from', 'tomorrow'], 2, '--from'],
  [['plan', '--shards', '0-3', '--to', 'b', '--from', '2020-01-01T00:00:00Z'], 1, '--from is past'],
  [['move'], 2, 'usage'],
  [['list', '--nope'], 2, 'nope'],
])('cells %j is refused', async (args, code, text) => {
  expect(await runCells(args)).toEqual({ code, text: expect.stringContaining(text) });
});

test('cells list and carry: what is counted where its shard no longer is moves on', async () => {
  const numbers = Array.from({ length: 40 }, (_, n) => `+2135512${10_000 + n}`);
  const away = numbers.filter((number) => shardForNumber(number) < 512);
  await sql`insert into number_failure (account_id, mode, number, failures, failures_in_row, needs_unlock, window_ends_at)
    select 'acct_1', 'live', n, 3, 3, false, now() from unnest(${numbers}::text[]) n`.execute(home.db);
  const begun = {
    ...cells,
    epochs: [
      { from: '1970-01-01T00:00:00Z', shards: { '0-1023': 'home' } },
      { from: '2026-11-01T00:00:00Z', shards: { '0-511': 'b', '512-1023': 'home' } },
    ],
  };
  const settings = { settings: begun };
  expect((await runCells(['list'], settings)).text).toBe(
    [
      `home  shards 512-1023  0 pending  ${away.length} numbers left behind`,
      'b  shards 0-511  0 pending',
      'from 1970-01-01T00:00:00Z: 0-1023 home',
      'from 2026-11-01T00:00:00Z: 0-511 b, 512-1023 home',
    ].join('\n'),
  );
  expect((await runCells(['carry'], settings)).text).toBe(
    `home: ${away.length} numbers moved on, 0 places freed\nb: 0 numbers moved on, 0 places freed`,
  );
  const { rows } = await sql<{ number: string }>`select number from number_failure`.execute(other.db);
  expect(rows.map(({ number }) => number).sort()).toEqual(away.sort());
  expect(JSON.parse((await runCells(['list', '--json'], settings)).text).cells).toEqual([
    { name: 'home', shards: ['512-1023'], pending: 0, left_behind: 0 },
    { name: 'b', shards: ['0-511'], pending: 0, left_behind: 0 },
  ]);
});

test('cells list and carry with a cell that is away: the others are shown, and the exit code says so', async () => {
  const gone = { ...cells, cells: { b: 'postgres://nobody@127.0.0.1:1/none' } };
  const listed = await runCells(['list'], { settings: gone });
  expect(listed).toEqual({ code: 1, text: expect.stringContaining("b  shards 512-1023  can't be reached") });
  expect(listed.text).toContain('home  shards 0-511  0 pending');
  expect(await runCells(['carry'], { settings: gone })).toEqual({
    code: 1,
    text: expect.stringContaining("b: this cell, or the one that its numbers go to, can't be reached"),
  });
});

test('the doctor of operators reads what is stored in every cell', async () => {
  for (const [at, { db }] of [home, other].entries()) {
    await ensurePartitions(db, Date.now(), 30);
    const [session, message, receipt] = ['vrf_', 'msg_', 'rcp_'].map((prefix) => ids(prefix));
    for (let n = 0; n <= at; n += 1)
      await sql`insert into receipt (account_id, session_id, id, message_id, run, channel, operator, status, provider_status, received_at, raw)
        values ('acct_1', ${session}, ${n === 0 ? receipt : ids('rcp_')}, ${message}, 1, 'sms', 'atlas', 'UNKNOWN', 'BUFFERED', now(), '')`.execute(
        db,
      );
  }
  const room = (cells: readonly (typeof home)[]) =>
    new Operators({
      db: withSchema(home.db),
      cells: cells.map(({ db }) => withSchema(db)),
      settings: { config: { operators: [] } },
      log: { info: () => {} },
    });
  expect((await room([home]).evidence('atlas', 'no id')).words).toEqual([{ word: 'BUFFERED', count: 1 }]);
  expect((await room([home, other]).evidence('atlas', 'no id')).words).toEqual([{ word: 'BUFFERED', count: 3 }]);
});

test('the doctor of operators looks at the receipts and reports of the last days', async () => {
  const park = (id: string, reason: string, daysAgo: number) =>
    sql`insert into parked_receipt (id, operator, reason, raw, received_at)
      values (${id}, 'sahara', ${reason}, '', now() - make_interval(days => ${daysAgo}))`.execute(home.db);
  await park(ids('prk_'), `${withoutPattern} (stat missing)`, 0);
  await park(ids('prk_'), `${withoutPattern} (stat missing)`, 5);
  await park(ids('prk_'), 'its PDU is cut off', 0);
  // The older one may have come under a rule that is mended by now.
  for (const daysAgo of [1, 5])
    await sql`insert into parked_receipt (id, operator, reference, reason, receipt, raw, received_at)
      values (${ids('prk_')}, 'sahara', ${`id ${daysAgo}`}, 'unmatched', ${JSON.stringify({ references: [`id ${daysAgo}`] })}, '',
        now() - make_interval(days => ${daysAgo}))`.execute(home.db);
  const room = new Operators({
    db: withSchema(home.db),
    settings: { config: { operators: [] } },
    log: { info: () => {} },
  });
  const { unreadable, parked } = await room.evidence('sahara', withoutPattern);
  expect([unreadable, parked.map(({ references }) => references)]).toEqual([1, [['id 1']]]);
});

test('no account is made, and no number listed, with a key ring that lacks a key of any cell', async () => {
  const { engine } = await testEngine(other, { sms: new ScriptedChannel() });
  expect((await engine.starter.sendSettled(sendRequest())).kind).toBe('sent');
  await engine.dispatcher.idle();
  const lacks = 'the key ring lacks keys that the database names:\n  code  k1\n';
  for (const words of [
    ['create', 'Another'],
    ['platform', 'block', '+213550000001'],
  ]) {
    const lines: string[] = [];
    expect(await account(words, { env, say: (line) => lines.push(line) })).toBe(1);
    expect(lines).toEqual([expect.stringContaining(lacks)]);
  }
  const prepare = (urls: readonly string[]) =>
    prepareAccount({ url: home.url, cells: urls }, join(folder, 'keys.json'), { adminToken: 'a' });
  expect(await prepare([other.url])).toEqual({ kind: 'refused', reason: expect.stringContaining(lacks) });
  expect(await prepare([])).toMatchObject({ kind: 'prepared' });
});

/** What a verb says that is refused. */
async function refused(verb: typeof account, args: readonly string[], given: NodeJS.ProcessEnv): Promise<string> {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  expect(await verb(args, { env: given, say })).toBe(1);
  return lines.join('\n');
}

/** A process at home that is up, or has ended last, and knows these cells. */
async function runningWith(names: readonly string[]) {
  const id = ids('prc_');
  await sql`insert into process (id, started_at, lease_until) values (${id}, now(), now())`.execute(home.db);
  await reportRing(inside(home.db), id, { host: 'h', pid: 1, cells: names, ring: {} });
  return async () => void (await sql`delete from process where id = ${id}`.execute(home.db));
}

const { DATABASE_CELLS: _, ...withoutCells } = env;
const eraseOne: [typeof account, string[]] = [erase, ['+213551230000']];

test.each([
  eraseOne,
  [report, []],
  [
    (args: readonly string[], options: Parameters<typeof account>[1]) => keys(args, { ...options, write: () => {} }),
    ['status'],
  ],
  [account, ['show', 'acct_1']],
  [ramzCells, ['list']],
] as [typeof account, string[]][])(
  'without DATABASE_CELLS nothing is done where the processes have several cells: %o %j',
  async (verb, args) => {
    const end = await runningWith(['home', 'b']);
    const said = await refused(verb, args, withoutCells);
    await end();
    expect(said).toContain('DATABASE_CELLS does not name the cell b, which the processes of the service work on');
  },
);

test('a cell more than the processes know is one that is to come', async () => {
  const end = await runningWith(['home']);
  expect((await runCells(['list'])).code).toBe(0);
  await end();
});

test('a database that says that it is another cell is refused', async () => {
  await sql`insert into cell (name) values ('b')`.execute(other.db);
  const [verb, args] = eraseOne;
  const mistaken = 'cell home: DATABASE_URL leads to the database of cell "b", as that says of itself';
  expect(await refused(verb, args, { ...withoutCells, DATABASE_URL: other.url })).toContain(mistaken);
  const renamed = JSON.stringify({
    cells: { c: other.url },
    epochs: [{ ...cells.epochs[0], shards: { '0-1023': 'c' } }],
  });
  for (const [verb, args] of [
    eraseOne,
    [account, ['export', 'acct_1']],
    [account, ['unlock', 'acct_1', '+213551230000']],
    [operators, ['match', 'atlas']],
    [operators, ['doctor']],
    [doctor, ['operators']],
  ] as [typeof account, string[]][])
    expect(await refused(verb, args, { ...env, DATABASE_CELLS: renamed }), args.join(' ')).toContain(
      'cell c: DATABASE_CELLS.cells.c leads to the database of cell "b"',
    );
});
