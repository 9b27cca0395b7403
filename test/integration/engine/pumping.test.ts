// The watch on pumping over a real database: two processes, accounts that are pumped through, and their neighbours.
import { fromJson } from '@bufbuild/protobuf';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type GuardRule, guardRules, type RuleMode, type RuleModes } from '../../../src/core/limits/verdict.ts';
import { inside } from '../../../src/db/queryable.ts';
import { withSchema } from '../../../src/db/schema.ts';
import { AccountViews, createAccountSource } from '../../../src/engine/accounts/views.ts';
import { Erasure } from '../../../src/engine/erasure/erasure.ts';
import { Pumping } from '../../../src/engine/limits/pumping.ts';
import { Stops } from '../../../src/engine/limits/stops.ts';
import { AnomalyEventSchema } from '../../../src/gen/ramz/v1/webhook_pb.ts';
import { cellsOf } from '../../support/account-story.ts';
import { homeOf, isCelled } from '../../support/cells.ts';
import { testDatabase } from '../../support/database.ts';
import { ids, ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';

const database = await testDatabase();
const db = withSchema(homeOf(database).db);
const cells = (isCelled(database) ? database.cells.map((cell) => cell.database) : [database]).map((each) =>
  inside(each.db),
);
const stops = new Stops({ db, ids, now: Date.now });
const person = { kind: 'key', id: 'key_of_a_person', name: 'Amina', address: '192.0.2.1', requestId: 'req_1' } as const;

/** An account with a webhook endpoint; `rules`: modes of its own. */
async function newAccount(rules: Partial<RuleModes> = {}): Promise<string> {
  const id = ids('acct_');
  const limits = JSON.stringify({ rules, unlimited_numbers: true });
  await db.insertInto('account').values({ id, name: 'x', created_at: new Date(), limits }).execute();
  const modes = ['live', 'test'] as const;
  await db
    .insertInto('account_setting')
    .values(modes.map((mode) => ({ account_id: id, mode, language: 'fr' })))
    .execute();
  await sql`insert into webhook_endpoint
    (id, account_id, mode, url, description, event_types, secret, created_at, updated_at) values
    (${ids('whe_')}, ${id}, 'live', 'https://shop.example/', '', '{account.anomaly}', 'x', now(), now())`.execute(db);
  return id;
}

/** One that looks whenever it is asked to: each look is a second later for it. */
async function newProcess() {
  const accounts = new AccountViews(createAccountSource(db));
  let ahead = 0;
  const ruleModes = Object.fromEntries(guardRules.map((rule) => [rule, 'enforce'])) as Record<GuardRule, RuleMode>;
  const stopped: string[] = [];
  const lines: string[] = [];
  const pumping = new Pumping({
    ...{
      db,
      cells,
      ids,
      accounts,
      settings: { ruleModes, config: { verify: { ttlSeconds: { max: 600 } } } },
      fleet: { alive: 2 },
      log: { warn: (_, message) => void lines.push(message) },
    },
    now: () => Date.now() + ahead,
    guard: { isAllowed: (number, account) => account.lists.allow.prefixes.some((each) => number.startsWith(each)) },
    observe: { stopped: (rule, mode) => void stopped.push(`${rule} ${mode}`) },
  });
  const { engine } = await testEngine(database, { sms: new ScriptedChannel(), accounts, pumping });
  const look = async () => {
    ahead += 1_000;
    await pumping.run();
  };
  const send = (accountId: string, to: string, code: string | null = null) =>
    engine.starter.sendSettled({ ...sendRequest(), accountId, to, code });
  return { send, look, accounts, stopped, lines, engine };
}

const [one, other] = [await newProcess(), await newProcess()];
const both = [one, other] as const;

const numbers = (count: number, from = 550_000_000) => Array.from({ length: count }, (_, nth) => `+213${from + nth}`);

/** Sends to each number by one process after the other, with looks in between. Returns what became of them. */
async function flood(accountId: string, to: readonly string[]) {
  const kinds: string[] = [];
  for (const [nth, number] of to.entries()) {
    const process = both[nth % 2] as (typeof both)[number];
    kinds.push((await process.send(accountId, number)).kind);
    if (nth % 5 === 4) for (const each of both) await each.look();
  }
  return kinds;
}

const eventsOf = async (accountId: string) => {
  const { rows } = await sql<{ body: string }>`select body from webhook_delivery where account_id = ${accountId}
    order by created_at, event_id`.execute(database.db);
  return rows.map(({ body }) => JSON.parse(body) as { type: string; data: { stop: Record<string, unknown> } });
};

const activeOf = (accountId: string) => stops.list({ accountId, activeOnly: true }, { limit: 10, before: null });

test('sequential numbers over two processes are stopped in both, after a restart too, and nobody else is', async () => {
  const [pumped, neighbour] = [await newAccount(), await newAccount()];
  const kinds = await flood(pumped, numbers(60));
  const went = kinds.filter((kind) => kind === 'sent').length;
  expect(went).toBeLessThanOrEqual(30);
  expect(kinds.slice(went)).toEqual(Array(60 - went).fill('guarded'));

  const [stop, ...more] = await activeOf(pumped);
  expect(more).toEqual([]);
  expect(stop).toMatchObject({ rule: 'sequential_numbers', prefix: '+2135500', verified: 0, enforced: true });
  const finding = { rule: 'sequential_numbers', field: 'to', stopId: stop?.id, retryAfterMs: expect.any(Number) };
  expect(await one.send(pumped, '+213550012345')).toMatchObject({ kind: 'guarded', finding });
  expect((await one.send(pumped, '+213551000000')).kind).toBe('sent');

  const later = await newProcess();
  expect((await later.send(pumped, '+213550012345')).kind).toBe('guarded');
  expect((await later.send(neighbour, '+213550000001')).kind).toBe('sent');
  expect(await activeOf(neighbour)).toEqual([]);

  const [event, ...others] = await eventsOf(pumped);
  expect(others).toEqual([]);
  const shown = { id: stop?.id, prefix: '+2135500', enforced: true, lifted_by: '' };
  expect(event).toMatchObject({ type: 'account.anomaly', data: { rule: 'sequential_numbers', stop: shown } });
  expect(() => fromJson(AnomalyEventSchema, event?.data as never)).not.toThrow();
  expect([...one.stopped, ...other.stopped]).toEqual(['sequential_numbers enforce']);
});

test.each([
  ['of codes that were made here', null],
  ['of codes of its own', '04261738'],
])('a key that reports every session as verified is stopped all the same: %s', async (_, code) => {
  const pumped = await newAccount();
  const from = code === null ? 551_000_000 : 552_000_000;
  let went = 0;
  for (const [nth, to] of numbers(200, from).entries()) {
    const process = both[nth % 2] as (typeof both)[number];
    const sent = await process.send(pumped, to, code);
    if (sent.kind !== 'sent') break;
    went += 1;
    await process.engine.cancel({ accountId: pumped, mode: 'live', id: sent.session.id, reported: 'verified' });
    if (nth % 5 === 4) for (const each of both) await each.look();
  }
  expect(went).toBeLessThanOrEqual(code === null ? 30 : 100);
  expect(await activeOf(pumped)).toMatchObject([
    { rule: 'sequential_numbers', sent: went, verified: code === null ? 0 : went },
  ]);
});

test('what is on the allow list is not looked at', async () => {
  const trusted = await newAccount();
  await sql`insert into limit_entry (id, account_id, mode, list, prefix, created_at, created_by)
    values (${ids('lst_')}, ${trusted}, 'live', 'allow', '+213550', now(), 'test')`.execute(db);
  for (const each of both) each.accounts.clear();
  expect(new Set(await flood(trusted, numbers(60)))).toEqual(new Set(['sent']));
  expect(await activeOf(trusted)).toEqual([]);
});

test('a stop that is lifted is announced and on record, and what led to it leads to no other', async () => {
  const account = await newAccount();
  await flood(account, numbers(60, 553_000_000));
  const [stop] = await activeOf(account);
  const id = stop?.id ?? '';
  expect(await stops.lift(id, { accountId: ids('acct_'), actor: person })).toEqual({ kind: 'stop_not_found' });
  expect(await stops.lift(id, { accountId: account, actor: person })).toMatchObject({ kind: 'lifted' });
  expect(await stops.lift(id, { accountId: account, actor: person })).toMatchObject({ kind: 'over' });
  for (const each of both) each.accounts.clear();
  expect((await flood(account, numbers(10, 553_000_100))).every((kind) => kind === 'sent')).toBe(true);
  expect(await activeOf(account)).toEqual([]);
  expect((await eventsOf(account)).map(({ data }) => data.stop.lifted_by).sort()).toEqual(['', person.id]);
  const { rows } = await sql<{ action: string; target: string; actor_id: string }>`
    select action, target, actor_id from audit_event where account_id = ${account}`.execute(db);
  expect(rows).toEqual([{ action: 'lift_stop', target: id, actor_id: person.id }]);
});

test('a monitored rule refuses nothing, says so in the timeline, and announces its stop once', async () => {
  const account = await newAccount({ sequential_numbers: 'monitor' });
  for (const { lines } of both) lines.length = 0;
  const kinds = await flood(account, numbers(60, 554_000_000));
  expect(new Set(kinds)).toEqual(new Set(['sent']));
  expect(await activeOf(account)).toMatchObject([{ enforced: false, rule: 'sequential_numbers' }]);
  expect(await eventsOf(account)).toHaveLength(1);
  expect(both.flatMap(({ lines }) => lines)).toEqual([expect.stringContaining('only monitored')]);
  const last = await one.send(account, '+213554000999');
  const timeline = last.kind === 'sent' ? last.session.timeline : [];
  expect(timeline).toContainEqual(expect.objectContaining({ kind: 'fraud_guard', rule: 'sequential_numbers' }));
});

test('what one rule only watches keeps another one from nothing', async () => {
  const account = await newAccount({ prefix_conversion: 'monitor' });
  const [from, to] = [new Date(Date.now() - 60_000), new Date(Date.now() + 3_000_000)];
  await sql`insert into stop (id, account_id, rule, reason, prefix, sent, verified, enforced, started_at, ends_at) values
    (${ids('stop_')}, ${account}, 'prefix_conversion', 'low_conversion', '+213559', 120, 1, false, ${from}, ${to})`.execute(
    db,
  );
  for (const each of both) each.accounts.clear();
  const kinds = await flood(account, numbers(60, 559_000_000));
  expect(kinds.filter((kind) => kind === 'sent').length).toBeLessThanOrEqual(30);
  expect(kinds.at(-1)).toBe('guarded');
});

test('a rule that is off looks at nothing', async () => {
  const account = await newAccount({ sequential_numbers: 'off' });
  expect(new Set(await flood(account, numbers(60, 555_000_000)))).toEqual(new Set(['sent']));
  expect(await activeOf(account)).toEqual([]);
});

const minute = (ago: number) => new Date(Math.floor((Date.now() - ago * 60_000) / 60_000) * 60_000);

/** Counts sessions of the account that were opened so many minutes ago, in one cell. */
async function count(
  account: string,
  ago: number,
  prefix: string,
  counts: Record<string, number>,
  cell = cellsOf(database)[0],
) {
  const { rows: columns } = await sql<{ name: string }>`select attname as name from pg_attribute
    where attrelid = 'rollup'::regclass and attnum > 0 and atttypid = 'integer'::regtype`.execute(db);
  const row = {
    ...Object.fromEntries(columns.map(({ name }) => [name, 0])),
    ...counts,
    ...{ at: minute(ago), seconds: 60, account_id: account, mode: 'live', operator: 'atlas', channel: 'sms' },
    ...{ prefix, currency: 'DZD', cost: 0, platform_cost: 0 },
  };
  await sql`insert into rollup select * from jsonb_populate_record(null::rollup, ${JSON.stringify(row)}::jsonb)`.execute(
    cell,
  );
}

let looks = 0;
/** Looks at the account until its rollups were looked at. */
async function lookAt(account: string): Promise<void> {
  looks += 1;
  await one.send(account, `+2135770${String(looks).padStart(5, '0')}`);
  for (let turn = 0; turn < 70; turn += 1) await one.look();
}

test('a prefix whose codes nobody enters is stopped by what the rollups have', async () => {
  const account = await newAccount();
  // Nothing was delivered, or the caller compares codes of its own: that says nothing.
  await count(account, 30, '+213556', { sessions: 500, sent: 500, delivered: 0 });
  await count(account, 31, '+213556', { sessions: 500, sent: 500, delivered: 500, unreported: 500 });
  const own = { verified: 300, verified_own_code: 300, unreported: 200 };
  await count(account, 31, '+213555', { sessions: 500, sent: 500, delivered: 500, ...own });
  await count(account, 32, '+213558', { sessions: 500, sent: 500, delivered: 500, verified: 150 });
  await lookAt(account);
  expect(await activeOf(account)).toEqual([]);
  // That a code which was made here was entered is no report's to say.
  const reported = { verified: 110, verified_by_report: 109 };
  await count(account, 33, '+213556', { sessions: 120, sent: 120, delivered: 120, ...reported });
  await lookAt(account);
  expect(await activeOf(account)).toMatchObject([
    { rule: 'prefix_conversion', reason: 'low_conversion', prefix: '+213556', sent: 120, verified: 1 },
  ]);
  expect((await one.send(account, '+213556123456')).kind).toBe('guarded');
});

test('what each cell has too little of for a stop leads to one together, whatever is verified beside it', async () => {
  const account = await newAccount();
  const all = cellsOf(database);
  const each = Math.ceil(117 / all.length);
  for (const cell of all) {
    await count(account, 60, '+213573', { sessions: each, sent: each, delivered: each }, cell);
    // Verified, and no carrier says that it was delivered: it hides nothing in the same range.
    await count(account, 60, '+213574', { sessions: 200, sent: 200, delivered: 0, verified: 200 }, cell);
  }
  await lookAt(account);
  const sent = each * all.length;
  expect(await activeOf(account)).toMatchObject([{ rule: 'prefix_conversion', prefix: '+213573', sent, verified: 0 }]);
});

test.each([
  ['that nobody enters', null],
  ['of its own that are reported as fraud', 'reported_fraud'],
])('numbers of an allow list, with codes %s, neither count for their prefix nor hide others', async (_, reason) => {
  const account = await newAccount({ sequential_numbers: 'off' });
  await sql`insert into limit_entry (id, account_id, mode, list, prefix, created_at, created_by)
    values (${ids('lst_')}, ${account}, 'live', 'allow', '+213571222', now(), 'test')`.execute(db);
  one.accounts.clear();
  const own = { sealed_code: reason && '', status: reason ? 'canceled' : 'expired', reason };
  /** Opened and delivered half an hour ago, and never entered. */
  const unverified = async (numbers: readonly string[]) => {
    const sent = await Promise.all(numbers.map((number) => one.send(account, number)));
    expect(new Set(sent.map(({ kind }) => kind))).toEqual(new Set(['sent']));
    // A new version: what the process still has to save of them starts over from these.
    await sql`update verify_session set version = version + 1, created_at = ${minute(30)}, sealed_code = ${own.sealed_code}, status = ${own.status},
      status_reason = ${own.reason} where account_id = ${account}
      and created_at > now() - interval '10 minutes'`.execute(database.db);
  };
  await unverified(numbers(95, 571_222_000));
  await count(account, 30, '+213571', { sessions: 95, sent: 95, delivered: 95 });
  await lookAt(account);
  expect(await activeOf(account)).toEqual([]);
  await count(account, 40, '+213572', { sessions: 95, sent: 95, delivered: 95 });
  await lookAt(account);
  expect(await activeOf(account)).toMatchObject([{ rule: 'prefix_conversion', prefix: '+213572', sent: 95 }]);
});

test('numbers that are erased as soon as they were sent to hide nothing that is sent after them', async () => {
  const accountId = await newAccount();
  const [home, ...others] = cellsOf(database);
  const erasure = new Erasure({ home, cells: [home, ...others] }, () => Date.now() + 60_000, { all: () => [] });
  const scattered = Array.from({ length: 30 }, (_, nth) => `+213${550_000_000 + nth * 31_013 + nth * nth * 7}`);
  for (const to of scattered) {
    const sent = await one.send(accountId, to);
    if (sent.kind !== 'sent') throw new Error(sent.kind);
    await one.engine.checker.cancel({ accountId, mode: 'live', id: sent.session.id });
    await erasure.erase({ number: to, scope: { accountId, mode: 'live' }, actor: person });
  }
  await one.look();
  expect(await activeOf(accountId)).toEqual([]);
  const kinds = await flood(accountId, numbers(60, 551_000_000));
  expect(kinds.filter((kind) => kind === 'sent').length).toBeLessThanOrEqual(30);
  expect(await activeOf(accountId)).toMatchObject([{ prefix: '+2135510' }]);
});
