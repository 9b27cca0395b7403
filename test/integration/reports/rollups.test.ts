// Rollups against the rows they are added up from: whatever happens to processes, answers and clocks on the way, each change is counted once.
import fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { counters } from '../../../src/core/reports/rollup.ts';
import { codeOf } from '../../../src/core/verify/code.ts';
import { purgedOf } from '../../../src/db/accounts/closing.ts';
import { engineStore } from '../../../src/db/engine-store.ts';
import { purgeSessions } from '../../../src/db/erasure/account.ts';
import { ensurePartitions } from '../../../src/db/partitions.ts';
import { inside } from '../../../src/db/queryable.ts';
import { countRaw, maintainRollups, rebuildRollups } from '../../../src/db/reports/rollups.ts';
import { Fleet } from '../../../src/engine/fleet/members.ts';
import { Projector } from '../../../src/engine/reports/projector.ts';
import { type RollupChange, rollups } from '../../../src/engine/reports/rollups.ts';
import { randomOf } from '../../fuzz/random.ts';
import { testDatabase } from '../../support/database.ts';
import { codeRing, ids, ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';
import { tariff, wholeCascade } from '../../support/session.ts';
import { receiptSteps, type Step, steps } from '../../support/session-steps.ts';
import { History, type Told } from './histories.ts';

const database = await testDatabase();
const { db, lanes } = database;
const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;
await ensurePartitions(db, Date.now(), 30);
// Rows of the last weeks need a place, too.
for (const table of ['verify_session', 'session_timeline', 'message', 'receipt']) {
  await sql`create table ${sql.table(`${table}_old`)} partition of ${sql.table(table)} default`.execute(db);
}

beforeEach(async () => {
  for (const table of [
    'rollup',
    'rollup_rebuild',
    'projection',
    'verify_session',
    'session_timeline',
    'message',
    'receipt',
    'process',
  ]) {
    await sql`delete from ${sql.table(table)}`.execute(db);
  }
});

/** Of these accounts, which are none of the database, nothing is purged. */
const none = async () => [];

type Fault = 'none' | 'lost' | 'refused';

const keptFor = (retentionDays: number) => ({ config: { service: { retentionDays } } });

/** A process with its projector, whose next transaction may fail before or after its commit. */
async function testProcess(retentionDays = 30) {
  let ahead = 0;
  let fault: Fault = 'none';
  const now = () => Date.now() + ahead;
  const fleet = new Fleet({ db: engineStore(lanes), processId: ids('prc_'), now: Date.now, leaseMs: 600_000 });
  await fleet.renew();
  const faulty = {
    transaction: () => ({
      execute: async <T>(work: Parameters<ReturnType<typeof db.transaction>['execute']>[0]): Promise<T> => {
        const kind = fault;
        fault = 'none';
        if (kind === 'refused') throw new Error('refused');
        const result = (await db.transaction().execute(work)) as T;
        if (kind === 'lost') throw new Error('lost');
        return result;
      },
    }),
    getExecutor: () => db.getExecutor(),
    executeQuery: (...query: Parameters<typeof db.executeQuery>) => db.executeQuery(...query),
  } as unknown as Kysely<unknown>;
  const projection = rollups({
    db: faulty,
    processId: fleet.processId,
    settings: keptFor(retentionDays),
    purged: none,
  });
  const projector = new Projector<RollupChange>({
    db: lanes,
    fleet: { processId: fleet.processId, mayTakeOver: true },
    now,
    projection,
  });
  await projector.begin();
  return {
    fleet,
    projector,
    pass: (ms: number) => (ahead += ms),
    /** A second later. */
    run: () => {
      ahead += 1_000;
      return projector.run();
    },
    /** As often as a search needs that has begun: it has pages. */
    search: async () => {
      for (let runs = 0; runs < 12; runs += 1) {
        ahead += 1_000;
        await projector.run();
      }
    },
    fail: (next: Fault) => (fault = next),
  };
}

const story = (change: Partial<Told> = {}): Told => ({
  accountId: 'acct_a',
  mode: 'live',
  to: '+213550000001',
  openedAt: Date.now(),
  steps: [],
  cascade: wholeCascade,
  ttlMs: 600_000,
  sealedCode: null,
  ...change,
});

const on = (event: (messageId: string) => Extract<Step, { kind: 'event' }>['event']): Step => ({
  kind: 'message',
  aim: { at: 0 },
  event,
});
const submitting = on((messageId) => ({ kind: 'submitting', messageId, holder: 'prc_1' }));
const accepted = on((messageId) => ({ kind: 'accepted', messageId, providerMessageId: 'p', parts: 2, tariff }));
const wait = (ms: number): Step => ({ kind: 'wait', ms });
const right: Step = { kind: 'event', event: { kind: 'check', correct: true } };
const delivered = (at: number): Step => ({
  kind: 'receipt',
  aim: { at: 0 },
  receipt: {
    status: 'DELIVRD',
    providerStatus: null,
    detail: null,
    errorCode: null,
    operatorTimestamp: at,
    receivedAt: at,
    providerMessageId: null,
    operatorAmount: null,
    raw: '',
  },
});
const verifiedSteps = [submitting, wait(500), accepted, wait(8_000), delivered(7_500), wait(6_000), right];

type Row = Record<string, unknown>;
const key = ({ at, seconds, account_id, mode, operator, channel, prefix, currency }: Row) =>
  [(at as Date).toISOString(), seconds, account_id, mode, operator, channel, prefix, currency].join(' ');
/** By the row's key, without rows that count nothing; amounts without zeros at their end. */
function readable(rows: readonly object[]): Record<string, Record<string, string>> {
  const lines = (rows as Row[]).flatMap((row) => {
    const values = [...counters, 'cost', 'platform_cost'].flatMap((name) =>
      Number(row[name]) === 0
        ? []
        : [
            [
              name,
              String(row[name])
                .replace(/(\.\d*?)0+$/, '$1')
                .replace(/\.$/, ''),
            ],
          ],
    );
    return values.length === 0 ? [] : [[key(row), Object.fromEntries(values)] as const];
  });
  return Object.fromEntries(lines.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const stored = async () => readable((await sql<object>`select * from rollup`.execute(db)).rows);
const raw = async () => readable(await countRaw(inside(db), Date.now() - 40 * dayMs, Date.now() + dayMs));

async function commitAll(history: History, process: Awaited<ReturnType<typeof testProcess>>): Promise<void> {
  while (!history.isOver) process.projector.committed(await history.commit(lanes));
}

test('one verification is a row, with its times and its exact cost', async () => {
  const process = await testProcess();
  await commitAll(new History(story({ steps: verifiedSteps })), process);
  await process.run();
  const [[name, row] = []] = Object.entries(await stored());
  expect(name).toMatch(/^\S+:00\.000Z 60 acct_a live atlas sms \+213550 DZD$/);
  const within = { delivered_within_10s: 7_000, delivered_within_20s: 7_000, verified_within_20s: 14_000 };
  expect(row).toMatchObject({ sessions: '1', verified: '1', sent: '1', parts: '2', delivered: '1', cost: '5' });
  for (const counter of Object.keys(within)) expect(row).toHaveProperty(counter, '1');
  expect(row).not.toHaveProperty('delivered_within_5s');
  expect(row).not.toHaveProperty('verified_within_10s');
  expect(await stored()).toEqual(await raw());
});

test('prices that an operator states by mistake, each as great as one may be, are added up like any other', async () => {
  const process = await testProcess();
  const stated = delivered(7_500) as Extract<Step, { kind: 'receipt' }>;
  const operatorAmount = { amount: '9'.repeat(18), currency: 'DZD' };
  const steps = [submitting, accepted, { ...stated, receipt: { ...stated.receipt, operatorAmount } }];
  const openedAt = Date.now(); // All in one minute, and so in one row.
  for (let n = 0; n < 3; n += 1) await commitAll(new History(story({ openedAt, steps })), process);
  await process.run();
  expect(Object.values(await stored())).toEqual([
    expect.objectContaining({ sessions: '3', cost: '2999999999999999997' }),
  ]);
  expect(await stored()).toEqual(await raw());
});

test('verifications that are the word of the caller alone are told apart', async () => {
  const process = await testProcess();
  const [reported, fraud] = (['reported_verified', 'cancel'] as const).map((kind): Step => {
    const event = kind === 'cancel' ? ({ kind, reason: 'reported_fraud' } as const) : { kind };
    return { kind: 'event', event };
  }) as [Step, Step];
  const wrong: Step = { kind: 'event', event: { kind: 'check', correct: false } };
  const sealedCode = 'sealed';
  const openedAt = Date.now(); // All in one minute, and so in one row.
  for (const [steps, own] of [
    [[accepted, right], false],
    [[accepted, reported], false],
    // A try before the report makes no difference.
    [[accepted, wrong, reported], false],
    [[accepted, right], true],
    [[accepted, reported], true],
    [[accepted, fraud], true],
    [[accepted], true],
  ] as const)
    await commitAll(
      new History(story({ openedAt, steps: [submitting, ...steps], ...(own ? { sealedCode } : {}) })),
      process,
    );
  await process.run();
  expect(Object.values(await stored())).toEqual([
    expect.objectContaining({
      ...{ sessions: '7', verified: '5', canceled: '1' },
      ...{ unreported: '1', verified_own_code: '2', verified_by_report: '2' },
    }),
  ]);
  expect(await stored()).toEqual(await raw());
});

test('a session whose code went out once more, since the first message is in doubt, counts at the second', async () => {
  const process = await testProcess();
  const unknown = on((messageId) => ({ kind: 'unknown', messageId, reason: 'timeout' }));
  const deadline: Step = { kind: 'waitForDeadline', early: 0 };
  const late = delivered(7_500) as Extract<Step, { kind: 'receipt' }>;
  // To the first one: its row lies behind that of the second from then on.
  const enroute: Step = { ...late, aim: { at: 2 }, receipt: { ...late.receipt, status: 'ENROUTE' } };
  const steps = [submitting, unknown, deadline, submitting, accepted, enroute, right];
  await commitAll(new History(story({ steps, cascade: wholeCascade.slice(0, 1) })), process);
  await process.run();
  const rows = Object.entries(await stored()).map(([name, row]) => [name.split(' ').at(-1), row]);
  // The first one has no cost, and so no currency.
  expect(rows).toEqual([
    ['', { sent: '1' }],
    ['DZD', expect.objectContaining({ sessions: '1', verified: '1', sent: '1' })],
  ]);
  expect(await stored()).toEqual(await raw());
});

test('a batch whose answer was lost is not added again, and one that was refused is', async () => {
  const process = await testProcess();
  const openedAt = Date.now(); // All in one minute, and so in one row.
  const [one, other] = [1, 2].map(() => new History(story({ openedAt, steps: verifiedSteps }))) as [History, History];
  await commitAll(one, process);
  for (const fault of ['lost', 'refused', 'lost', 'lost'] as const) {
    process.fail(fault);
    await expect(process.run()).rejects.toThrow(fault);
  }
  await commitAll(other, process);
  process.fail('refused');
  await expect(process.run()).rejects.toThrow('refused');
  await process.run();
  expect(await stored()).toEqual(await raw());
  await process.run();
  expect(Object.values(await stored())[0]).toMatchObject({ sessions: '2' });
});

test.each([30, 1])(
  'what a process had not added when it died is counted by another, once, with sessions that are kept for %d days',
  async (days) => {
    const [dead, heir] = [await testProcess(days), await testProcess(days)];
    const openedAt = Date.now(); // All in one minute, and so in one row.
    const [before, after, own] = [1, 2, 3].map(() => new History(story({ openedAt, steps: verifiedSteps }))) as [
      History,
      History,
      History,
    ];
    await commitAll(before, dead);
    await dead.run();
    await commitAll(after, dead);
    // The heir has changes of the same row in memory while it counts them.
    await commitAll(own, heir);
    await dead.fleet.leave();
    await heir.search();
    expect(Object.values(await stored())[0]).toMatchObject({ sessions: '3' });
    expect(await stored()).toEqual(await raw());
  },
);

test('what another process counts while a change is in memory here is not added once more', async () => {
  const process = await testProcess();
  const openedAt = Date.now(); // All in one minute, and so in one row.
  const [one, two] = [1, 2].map(() => new History(story({ openedAt, steps: verifiedSteps }))) as [History, History];
  await commitAll(one, process);
  await rebuildRollups(db, Math.floor(Date.now() / hourMs) * hourMs - hourMs, Date.now() + hourMs, none);
  await commitAll(two, process);
  expect(Object.values(await stored())[0]).toMatchObject({ sessions: '1' });
  await process.run();
  expect(Object.values(await stored())[0]).toMatchObject({ sessions: '2' });
  expect(await stored()).toEqual(await raw());
});

test('a process that was taken for dead while it lives counts nothing twice', async () => {
  const [asleep, heir] = [await testProcess(), await testProcess()];
  const [one, two] = [new History(story({ steps: verifiedSteps })), new History(story({ steps: verifiedSteps }))];
  await commitAll(one, asleep);
  asleep.fail('lost');
  await expect(asleep.run()).rejects.toThrow('lost');
  await asleep.fleet.leave();
  await heir.run();
  await asleep.fleet.renew();
  await commitAll(two, asleep);
  await asleep.run();
  await heir.search();
  expect(await stored()).toEqual(await raw());
});

test('minutes become hours after a day, and nothing is kept longer than it may be', async () => {
  const process = await testProcess();
  for (const hoursAgo of [1, 30, 30.01, 31, 24 * 20]) {
    const openedAt = Date.now() - Math.floor(hoursAgo * hourMs);
    await commitAll(new History(story({ steps: verifiedSteps, openedAt })), process);
  }
  const late = new History(story({ steps: verifiedSteps, openedAt: Date.now() - 27.9 * hourMs }));
  await process.run();
  await sql`update rollup set at = at, seconds = 60 where seconds = 3600`.execute(db);
  await maintainRollups(db, Date.now() - 400 * dayMs);
  await commitAll(late, process);
  await process.run();
  const seconds = Object.keys(await stored()).map((name) => Number(name.split(' ')[1]));
  expect(seconds.filter((each) => each === 60)).toHaveLength(1);
  expect(await stored()).toEqual(await raw());
  await maintainRollups(db, Date.now() - 10 * dayMs);
  expect(Object.keys(await stored())).toHaveLength(seconds.length - 1);
});

test('an hour is counted by statements of five minutes each: at 1,000 sends a second one would run into its time limit', async () => {
  const process = await testProcess();
  const hour = Math.floor(Date.now() / hourMs - 30) * hourMs;
  for (const minutes of [0, 4.99, 5, 31, 59.99]) {
    const openedAt = Math.floor(hour + minutes * minuteMs);
    await commitAll(new History(story({ steps: verifiedSteps, openedAt })), process);
  }
  await rebuildRollups(db, hour, hour + hourMs, none);
  expect(Object.values(await stored())).toMatchObject([{ sessions: '5' }]);
  await process.run(); // Has all five in memory.
  expect(await stored()).toEqual(await raw());
  const { rows } = await sql`
    select count(*)::integer as spans, max(until - since) <= interval '5 minutes' as short,
      max(until) - min(since) = interval '1 hour' as whole from rollup_rebuild`.execute(db);
  expect(rows).toEqual([{ spans: 12, short: true, whole: true }]);
});

test('what was counted before the database was dumped hides nothing after it is restored on another server', async () => {
  const process = await testProcess();
  await sql`insert into rollup_rebuild (since, until, snapshot)
    values (now() - interval '1 day', now() + interval '1 day', '9000000000:9000000000:')`.execute(db);
  await commitAll(new History(story({ steps: verifiedSteps, openedAt: Date.now() })), process);
  await process.run();
  expect(Object.values(await stored())).toMatchObject([{ sessions: '1' }]);
  expect(await stored()).toEqual(await raw());
});

test('an account whose sessions are being purged keeps its sums where their hour is counted from its sessions', async () => {
  const process = await testProcess();
  const hour = Math.floor(Date.now() / hourMs - 30) * hourMs;
  for (const accountId of ['acct_purged', 'acct_purged', 'acct_a']) {
    await commitAll(new History(story({ accountId, steps: verifiedSteps, openedAt: hour })), process);
  }
  await process.run();
  const before = await stored();
  expect(await purgeSessions(db, 'acct_purged', 1)).toBe(1);
  await rebuildRollups(db, hour, hour + hourMs, async (ids) => ids.filter((id) => id === 'acct_purged'));
  expect(Object.keys(before)).toHaveLength(2);
  expect(await stored()).toEqual(before);
});

test('an account is purged once its purge has begun, and when it is gone', async () => {
  const [living, purging, gone] = [ids('acct_'), ids('acct_'), ids('acct_')];
  for (const [id, since] of [
    [living, null],
    [purging, new Date()],
  ] as const) {
    await sql`insert into account (id, name, created_at, suspended_at, closed_at, purging_since)
      values (${id}, 'Shop', now(), ${since}, ${since}, ${since})`.execute(db);
  }
  expect(await purgedOf(inside(db), [living, purging, gone])).toEqual([purging, gone]);
});

test('a span that was counted is forgotten once no process can have changes from before it', async () => {
  const process = await testProcess();
  const spans = async () => (await sql`select from rollup_rebuild`.execute(db)).rows.length;
  await rebuildRollups(db, 0, minuteMs, none);
  await sql`update rollup_rebuild set at = now() - interval '2 hours'`.execute(db);
  await sql`update projection set done_until = now() - interval '3 hours'`.execute(db);
  await maintainRollups(db, 0);
  expect(await spans()).toBe(1);
  await process.projector.end();
  await maintainRollups(db, 0);
  expect(await spans()).toBe(0);
});

test('what the engine commits is counted as it is stored, and each session is over once', async () => {
  const process = await testProcess();
  const over: string[] = [];
  const openedAt = Date.now();
  const { engine } = await testEngine(database, {
    sms: new ScriptedChannel(),
    now: () => openedAt, // All in one minute, and so in one row.
    observe: { sessionOver: ({ status }) => over.push(status) },
    reports: {
      committed: (change) => {
        expect(change.transaction).toMatch(/^\d+$/);
        process.projector.committed(change);
      },
      commitUnknown: () => process.projector.commitUnknown(),
    },
  });
  const send = async () => {
    const request = sendRequest({ accountId: 'acct_a' });
    const sent = await engine.starter.sendSettled(request);
    if (sent.kind !== 'sent') throw new Error(sent.kind);
    await engine.dispatcher.idle();
    return { ...request, id: sent.session.id, session: sent.session };
  };
  const [right, wrong, canceled] = [await send(), await send(), await send()];
  await send();
  const code = codeOf(right.session, codeRing);
  const check = (target: typeof right, digits: string) =>
    engine.check({ ...target, target: { id: target.id }, code: digits, idempotency: null });
  await check(right, code);
  await check(right, code);
  for (let tries = 0; tries < 5; tries += 1)
    await check(wrong, codeOf(wrong.session, codeRing) === '000000' ? '1'.repeat(6) : '000000');
  await engine.cancel(canceled);
  await process.run();
  expect(over.sort()).toEqual(['canceled', 'failed', 'verified']);
  const counts = { sessions: '4', verified: '1', failed: '1', canceled: '1', sent: '4', parts: '4', cost: '10' };
  expect(Object.values(await stored())).toEqual([expect.objectContaining(counts)]);
  expect(await stored()).toEqual(await raw());
});

test('nothing is sent to the database while nothing is committed', async () => {
  const statements: string[] = [];
  const counting = { query: (statement: { name: string }) => void statements.push(statement.name) };
  const projection = rollups({
    db: counting as unknown as Kysely<unknown>,
    processId: 'prc_1',
    settings: keptFor(30),
    purged: none,
  });
  const projector = new Projector({
    db: { query: async () => ({ rows: [], rowCount: 0 }) },
    fleet: { processId: 'prc_1', mayTakeOver: true },
    now: Date.now,
    projection,
  });
  await projector.begin();
  for (let runs = 0; runs < 5; runs += 1) await projector.run();
  expect(statements).toEqual([]);
});

const seed = Number(process.env.RAMZ_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

// Where processes die, what they leave is counted once more at the end, and a change that was added twice before is put right with it. So
// the same is played without that.
test.each([
  { name: 'processes that live', happenings: ['run', 'lost', 'refused', 'rebuilt', 'folded'] as const },
  {
    name: 'processes that die',
    happenings: ['run', 'lost', 'refused', 'unknown', 'died', 'rebuilt', 'folded'] as const,
  },
])(`random histories over $name add up to what is stored (RAMZ_TEST_SEED=${seed})`, async ({ happenings }) => {
  const sample = <T>(arbitrary: fc.Arbitrary<T>, count: number, salt: number) =>
    fc.sample(arbitrary, { numRuns: count, seed: seed + salt });
  const { next: draw, pick: one } = randomOf(seed);
  const told = (openedAt: number, list: readonly Step[]) =>
    new History(
      story({
        accountId: one(['acct_a', 'acct_b']),
        mode: one(['live', 'live', 'test']),
        to: one(['+213550000001', '+213661234567', '+6834000', '+12125550123']),
        cascade: one([wholeCascade, wholeCascade.slice(0, 1), wholeCascade.slice(1)]),
        ttlMs: one([60_000, 600_000]),
        sealedCode: one([null, null, 'sealed']),
        openedAt: Math.floor(openedAt),
        steps: list,
      }),
    );
  const young = sample(steps, 80, 2).map((list) => told(Date.now() - draw() * 100 * minuteMs, list));
  const receipts = sample(fc.array(receiptSteps, { minLength: 1, maxLength: 4 }), 25, 3);
  const prompt = [submitting, wait(500), accepted];
  const late = receipts.map((list) => {
    const steps = list.map((receipt): Step => ({ kind: 'receipt', aim: { at: 0 }, receipt }));
    return told(Date.now() - one([3, 24, 25.5, 26.5, 50, 24 * 20]) * hourMs, [...prompt, right, ...steps]);
  });

  let processes: Awaited<ReturnType<typeof testProcess>>[] = await Promise.all([
    testProcess(),
    testProcess(),
    testProcess(),
  ]);
  // Sessions of earlier days: all but their receipts is long added.
  for (const history of late) {
    const process = one(processes);
    for (let n = 0; n < 4 && !history.isOver; n += 1) process.projector.committed(await history.commit(lanes));
  }
  for (const process of processes) await process.run();
  expect(await stored()).toEqual(await raw());

  let open = [...young, ...late].filter((each) => !each.isOver);
  let happened = 0;
  while (open.length > 0) {
    const process = one(processes);
    const change = await one(open).commit(lanes);
    open = open.filter((each) => !each.isOver);
    const happening = draw() < 0.15 ? happenings[happened++ % happenings.length] : null;
    if (happening === 'unknown') process.projector.commitUnknown();
    else process.projector.committed(change);
    switch (happening) {
      case 'run':
        await process.run();
        break;
      case 'lost':
      case 'refused':
        process.fail(happening);
        await process.run().catch((error: Error) => expect(error.message).toBe(happening));
        process.fail('none'); // Where nothing was waiting.
        break;
      case 'died':
        await process.fleet.leave();
        processes = [...processes.filter((each) => each !== process), await testProcess()];
        break;
      case 'rebuilt': {
        const from = Math.floor(Date.now() / hourMs) * hourMs - one([0, 1, 2, 27, 50]) * hourMs;
        await rebuildRollups(db, from, from + hourMs, none);
        break;
      }
      case 'folded':
        await maintainRollups(db, 0);
    }
  }
  expect(happened).toBeGreaterThan(2 * happenings.length);
  for (const process of processes) await process.run();
  if (!happenings.some((each) => each === 'died')) expect(await stored()).toEqual(await raw());
  for (const process of processes) await process.search();
  // Once more, when no statement of a dead process can be committed any more.
  for (const process of processes) process.pass(20_000);
  for (const process of processes) await process.search();
  expect(await stored()).toEqual(await raw());
});
