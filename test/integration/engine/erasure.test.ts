// The erasure of a number: nothing of it is left in any table, and nothing that a process holds in memory brings it back.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RawBuilder, sql } from 'kysely';
import { expect, test } from 'vitest';
import { lowestId, shardForAccount, shardForNumber } from '../../../src/core/ids.ts';
import { numberHash } from '../../../src/core/limits/lists.ts';
import { newKeyRing, parseKeyRing } from '../../../src/core/secrets/key-ring.ts';
import type { Leg } from '../../../src/core/verify/session.ts';
import { readChanges } from '../../../src/db/changes.ts';
import { erasePlaces } from '../../../src/db/erasure/number.ts';
import { withSchema } from '../../../src/db/schema.ts';
import { Erasure, type ErasureScope } from '../../../src/engine/erasure/erasure.ts';
import { isCelled } from '../../support/cells.ts';
import { testDatabase } from '../../support/database.ts';
import { carrierReceipt, ids, ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';
import { rowsWith } from '../../support/rows-with.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();
const dbs = isCelled(database) ? database.cells.map((cell) => cell.database.plain) : [database.plain];
const parsed = parseKeyRing(newKeyRing((size) => randomBytes(size)));
if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
const { ring } = parsed;
const erasure = new Erasure({ home: database.plain, cells: dbs }, Date.now, ring);

const actor = { kind: 'system', id: '', name: 'test', address: '', requestId: '' } as const;

const everywhere = async (number: string) => {
  const found = await Promise.all(dbs.map((db) => rowsWith(db, number)));
  return Object.assign({}, ...found) as Record<string, string[]>;
};

async function newAccount(): Promise<string> {
  const accountId = ids('acct_');
  await sql`insert into account (id, name, created_at) values (${accountId}, 'Shop', now())`.execute(database.db);
  await sql`insert into webhook_endpoint (id, account_id, mode, url, description, event_types, secret, created_at, updated_at)
    values (${ids('we_', shardForAccount(accountId))}, ${accountId}, 'live', 'https://shop.example', '', '{}', '', now(), now())`.execute(
    database.db,
  );
  return accountId;
}

const usc2 = (text: string) => Buffer.from(text, 'utf16le').swap16().toString('hex');

/** A story that leaves the number wherever it can stand: sent twice, received, checked wrongly, under keys and references that name it. */
async function story(accountId: string, change: Parameters<typeof sendRequest>[0] = {}) {
  const sms = new ScriptedChannel();
  const rules = { resendIntervalMs: 0 };
  const one = await testEngine(database, { sms, rules, url: database.url });
  const two = await testEngine(database, { sms: new ScriptedChannel(), rules, url: database.url });
  const first = sendRequest({ accountId, ...change });
  const { to } = first;
  const keyed = { route: 'send', key: `user-${to.slice(1)}`, request: 'x' };
  const request = {
    ...first,
    clientReference: `shop/0${to.slice(4)}`,
    metadata: { phone: to, plan: 'gold' },
    idempotency: keyed,
  };
  const sent = await one.engine.starter.sendSettled(request);
  if (sent.kind !== 'sent') throw new Error(sent.kind);
  const key = { accountId, id: sent.session.id };
  const message = await until(() => sms.sent[0], { what: 'the SMS' });
  const status = async () => (await one.engine.store.load(key))?.session.messages[0]?.status;
  await until(async () => (await status()) === 'submitted', { what: 'its answer' });
  const receipt = carrierReceipt(message, 'DELIVRD');
  const raw = `${usc2(to)} ${Buffer.from(to).toString('base64')} 00${to.slice(1)} ${Buffer.from(to).toString('hex')}`;
  await two.engine.receipts.take({ ...receipt, receipt: { ...receipt.receipt, raw } });
  await one.engine.check({
    accountId,
    mode: 'live',
    target: { id: key.id },
    code: '000000',
    idempotency: null,
  } as never);
  return { one, two, key, to, message, request };
}

const leave = (...engines: Awaited<ReturnType<typeof testEngine>>[]) =>
  Promise.all(engines.map(({ fleet }) => fleet.leave()));

test('a number stands in the tables that the page on security names for it, and in no other', async () => {
  const { one, two, key, to } = await story(await newAccount());
  await sql`insert into parked_receipt (id, operator, reference, number, reason, receipt, raw, received_at)
    values (${ids('prk_')}, 'atlas', 'r1', ${to}, 'unmatched', '{}', '', now())`.execute(database.db);
  // As WhatsApp writes its ids.
  const wamid = `wamid.${Buffer.from(`...${to.slice(1)}`).toString('base64')}`;
  for (const db of dbs)
    await sql`update message set provider_message_id = ${wamid} where session_id = ${key.id}`.execute(db);

  const page = readFileSync(join(import.meta.dirname, '../../../docs/security.md'), 'utf8');
  const cells = [...page.matchAll(/^\| phone numbers[^|]*\|([^|]*)\|/gm)].map(([, where = '']) => where);
  const named = new Set(cells.flatMap((where) => [...where.matchAll(/`(\w+)`/g)].map(([, table]) => table)));
  if (!isCelled(database)) named.delete('idempotency_claim');
  const tables = new Set(Object.keys(await everywhere(to)).map((name) => name.replace(/_p[0-9]{8}.*$/, '')));
  expect([...tables].toSorted()).toEqual([...named].toSorted());
  await erasure.erase({ number: to, scope: null, actor });
  await leave(one, two);
});

test('nothing is left of a number, in whatever form it was stored', async () => {
  const accountId = await newAccount();
  const { one, two, key, to } = await story(accountId);
  await sql`insert into parked_receipt (id, operator, reference, number, reason, receipt, raw, received_at) values
    (${ids('prk_')}, 'atlas', 'r1', ${to}, 'unmatched', ${JSON.stringify({ number: to })}, '', now()),
    (${ids('prk_')}, 'atlas', null, null, 'unreadable', null, ${usc2(to)}, now()),
    (${ids('prk_')}, 'atlas', 'r2', '+213550999999', 'unmatched', '{}', '', now())`.execute(database.db);
  expect(Object.keys(await everywhere(to)).length).toBeGreaterThan(8);

  const { rows, complete } = await erasure.erase({ number: to, scope: null, actor });
  expect(complete).toBe(true);
  expect(await everywhere(to)).toEqual({});
  expect(rows).toMatchObject({
    verify_session: 1,
    receipt: 1,
    operator_reference: 1,
    // A receipt that matches nothing is kept in every cell.
    parked_receipt: 2 * dbs.length,
    idempotency: 1,
  });
  const stored = await one.engine.store.load(key);
  expect(stored?.session).toMatchObject({
    to: `${to.slice(0, 7)}******`,
    status: 'canceled',
    statusReason: 'number_erased',
    clientReference: '',
    metadata: { phone: `${to.slice(0, 7)}******`, plan: 'gold' },
    delivery: 'delivered',
    messages: [{ status: 'delivered', providerMessageId: expect.any(String), cost: { amount: '2.50' } }],
  });
  expect(stored?.session.timeline.at(-1)).toMatchObject({ kind: 'number_erased' });
  // Done again it finds nothing.
  const again = await erasure.erase({ number: to, scope: null, actor });
  expect(Object.values(again.rows).filter((count) => count > 0)).toEqual([]);
  await leave(one, two);
});

test('what processes have in memory of it does not bring it back', async () => {
  const accountId = await newAccount();
  const { one, two, key, to, message } = await story(accountId);
  expect(two.engine.sessions.seen(key.id)?.to).toBe(to);
  await erasure.erase({ number: to, scope: null, actor });
  const hasForgotten = ({ engine }: typeof one) => engine.sessions.seen(key.id)?.to !== to;
  await until(() => [one, two].every(hasForgotten), { what: 'both to hear of it' });
  // A later receipt names the phone; the process that sent the message still knows its reference.
  const late = carrierReceipt(message, 'UNDELIV');
  const receipt = { ...late.receipt, operatorTimestamp: Date.now() + 5_000, raw: `late ${to}` };
  await one.engine.receipts.take({ ...late, receipt });
  expect(await everywhere(to)).toEqual({});
  const three = await testEngine(database, { url: database.url });
  await three.engine.receipts.take({ ...late, receipt: { ...receipt, errorCode: '9' } });
  // By its id alone it is matched only later: until then it is parked as it came.
  await until(async () => (await three.engine.receipts.retryParked()) === 1, { what: 'it to be matched' });
  expect(await everywhere(to)).toEqual({});
  expect(await three.engine.lookup.find({ ...key, mode: 'live' })).toMatchObject({ receipts: [{}, {}, {}] });
  await leave(one, two, three);
});

test('processes forget what a call has erased, also where it ends at its limit', async () => {
  const { engine, fleet } = await testEngine(database, { sms: new ScriptedChannel(), url: database.url });
  const { to } = sendRequest();
  const keys: { accountId: string; id: string }[] = [];
  for (let n = 0; n < 3; n += 1) {
    const accountId = await newAccount();
    const sent = await engine.starter.sendSettled(sendRequest({ accountId, to }));
    if (sent.kind !== 'sent') throw new Error(sent.kind);
    keys.push({ accountId, id: sent.session.id });
  }
  await engine.dispatcher.idle();
  for (const key of keys) await engine.sessions.apply(key, { kind: 'reported_verified' });
  const held = () => keys.filter(({ id }) => engine.sessions.seen(id)?.to === to).length;
  expect(held()).toBe(3);
  for (const left of [1, 0]) {
    const { complete } = await erasure.erase({ number: to, scope: null, actor, limit: 2 });
    expect(complete).toBe(left === 0);
    await until(() => held() === left, { what: 'the process to forget what was erased' });
  }
  await fleet.leave();
});

test('an answer that comes after it files no message under its number', async () => {
  const accountId = await newAccount();
  const sms = new ScriptedChannel();
  const answered = Promise.withResolvers<void>();
  sms.answer = async () => {
    await answered.promise;
    return { kind: 'accepted', providerMessageId: null, reference: null, parts: 1, tariff: null };
  };
  const one = await testEngine(database, { sms, url: database.url });
  const request = sendRequest({ accountId });
  const sent = await one.engine.starter.sendSettled(request);
  if (sent.kind !== 'sent') throw new Error(sent.kind);
  await until(() => sms.sent.length === 1, { what: 'the SMS' });
  await erasure.erase({ number: request.to, scope: null, actor });
  answered.resolve();
  await one.engine.dispatcher.idle();
  expect(await one.engine.store.load({ accountId, id: sent.session.id })).toMatchObject({
    session: { messages: [{ status: 'submitted' }] },
  });
  expect(await everywhere(request.to)).toEqual({});
  await leave(one);
});

test.each([3_000, 11_000])('webhooks of a change that waited %d ms for its budget are found', async (waitedMs) => {
  let ahead = 0;
  const now = () => Date.now() + ahead;
  const accountId = await newAccount();
  const [sms, whatsapp] = [new ScriptedChannel(), new ScriptedChannel('whatsapp')];
  const { answer } = whatsapp;
  // The platform is slow, too, so that its answer has another time than the receipt before.
  whatsapp.answer = (message) => {
    ahead += 5_000;
    return answer(message);
  };
  const budget = { spendPerDay: { DZD: '100' } };
  const { engine, fleet } = await testEngine(database, { sms, whatsapp, url: database.url, budget, now });
  const cascade = ['sms', 'whatsapp'].map((channel) => ({ channel, timeoutMs: 60_000 })) as Leg[];
  const request = sendRequest({ accountId, cascade });
  const { to } = request;
  const sent = await engine.starter.sendSettled(request);
  if (sent.kind !== 'sent') throw new Error(sent.kind);
  const key = { accountId, id: sent.session.id };
  const message = await until(() => sms.sent[0], { what: 'the SMS' });
  await engine.dispatcher.idle();
  await engine.budgets.close();

  const isLocked = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const locked = database.db.transaction().execute(async (tx) => {
    await sql`select from budget where account_id = ${accountId} for update`.execute(tx);
    isLocked.resolve();
    await end.promise;
  });
  await isLocked.promise;
  const receipt = carrierReceipt(message, 'UNDELIV');
  const taking = engine.receipts.take({ ...receipt, receipt: { ...receipt.receipt, raw: `to:${to}` } });
  const waits = sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%budget%'`;
  await until(async () => (await waits.execute(database.db)).rows.length > 0, { what: 'the send to wait' });
  ahead += waitedMs;
  end.resolve();
  await Promise.all([locked, taking]);
  const storedAt = now();
  await engine.dispatcher.idle();
  await engine.sessions.apply(key, { kind: 'cancel', reason: 'canceled_by_client' });
  const told = (await engine.store.load(key))?.session.timeline.find(({ kind }) => kind === 'receipt_received');
  expect(storedAt - (told?.at ?? 0)).toBeLessThan(10_000);

  expect((await erasure.erase({ number: to, scope: null, actor })).complete).toBe(true);
  expect(await everywhere(to)).toEqual({});
  await fleet.leave();
});

test('an account erases what is its own, in its mode, and limits stay', async () => {
  const [mine, theirs] = [await newAccount(), await newAccount()];
  const first = await story(mine);
  const second = await story(theirs, { to: first.to });
  const { to } = first;
  const done = await erasure.erase({ number: to, scope: { accountId: mine, mode: 'live' }, actor });
  expect(done).toMatchObject({ complete: true, rows: { verify_session: 1 } });
  expect(await second.one.engine.store.load(second.key)).toMatchObject({ session: { to, status: 'pending' } });
  const left = await everywhere(to);
  const ofMine = Object.entries(left).flatMap(([table, rows]) =>
    rows.filter((row) => row.includes(mine)).map(() => table.replace(/_p[0-9]{8}.*$/, '')),
  );
  expect(new Set(ofMine)).toEqual(new Set(['number_failure', 'rate_bucket']));
  await erasure.erase({ number: to, scope: { accountId: theirs, mode: 'test' }, actor });
  expect(await second.one.engine.store.load(second.key)).toMatchObject({ session: { to } });
  await leave(first.one, first.two, second.one, second.two);
});

test('on lists a number stays as a hash alone, an account’s own erasure leaves those of others', async () => {
  const [mine, theirs] = [await newAccount(), await newAccount()];
  const [to, other] = ['+213551777666', '+213551777667'];
  const { id: keyId, key } = ring.current('lists');
  const list = async (owner: string | null, number: string, note: string) => {
    const id = ids('lst_');
    await sql`insert into limit_entry
        (id, account_id, mode, list, number_hash, number_masked, hmac_key_id, note, created_at, created_by)
      values (${id}, ${owner}, ${owner && 'live'}, 'block', ${numberHash(key, number)}, '+2135*****6x', ${keyId}, ${note}, now(), 'cli')`.execute(
      database.db,
    );
    return async () => {
      const { rows } = await sql<{ number_masked: string | null; note: string; number_hash: Buffer }>`
        select number_masked, note, number_hash from limit_entry where id = ${id}`.execute(database.db);
      return [rows[0]?.number_masked, rows[0]?.note, rows[0]?.number_hash.equals(numberHash(key, number))];
    };
  };
  const own = await list(mine, to, 'ticket 7');
  const neighbour = await list(mine, other, 'friend of 0551 77 76 66');
  const foreign = await list(theirs, to, 'ticket 8');
  const platform = await list(null, to, 'ticket 9');
  const scope = { accountId: mine, mode: 'live' } as const;
  expect((await erasure.erase({ number: to, scope, actor })).rows).toMatchObject({ limit_entry: 2 });
  expect(await own()).toEqual([null, 'ticket 7', true]);
  expect(await neighbour()).toEqual(['+2135*****6x', '', true]);
  expect(await foreign()).toEqual(['+2135*****6x', 'ticket 8', true]);
  expect((await erasure.erase({ number: to, scope: null, actor })).rows).toMatchObject({ limit_entry: 2 });
  expect([await foreign(), await platform()]).toEqual([
    [null, 'ticket 8', true],
    [null, 'ticket 9', true],
  ]);
});

test('whole numbers among prefixes, stored before they were refused, are replaced: what they closed stays closed', async () => {
  const [mine, theirs] = [await newAccount(), await newAccount()];
  const to = '+213551777555';
  const gone = '+213551******';
  const fill = async (account: string) => {
    const id = ids('key_', shardForAccount(account));
    await sql`insert into account_setting (account_id, mode, language, allowed_prefixes)
      values (${account}, 'live', 'fr', ${['+21366', to]}), (${account}, 'test', 'fr', ${[`${to}12`]})`.execute(
      database.db,
    );
    const restrictions = { addresses: ['203.0.113.0/24'], prefixes: ['+21366', to, `${to}9`], sendsPerDay: 5 };
    await sql`insert into api_key (id, account_id, mode, name, secret_hash, hmac_key_id, scopes, created_at, restrictions)
      values (${id}, ${account}, 'live', 'n', '', '', '{}', now(), ${JSON.stringify(restrictions)}::jsonb)`.execute(
      database.db,
    );
    await sql`insert into limit_entry (id, account_id, mode, list, prefix, created_at, created_by)
      values (${ids('lst_')}, ${account}, 'live', 'block', ${`${to}1`}, now(), 'cli')`.execute(database.db);
    return async () => {
      const settings = await sql<{ allowed_prefixes: string[] }>`select allowed_prefixes from account_setting
        where account_id = ${account} order by mode`.execute(database.db);
      const keys = await sql<{ restrictions: object }>`select restrictions from api_key where id = ${id}`.execute(
        database.db,
      );
      return [...settings.rows.map(({ allowed_prefixes }) => allowed_prefixes), keys.rows[0]?.restrictions];
    };
  };
  const [own, foreign] = [await fill(mine), await fill(theirs)];
  const untouched = await foreign();
  const changes = await readChanges(withSchema(database.db));
  const done = await erasure.erase({ number: to, scope: { accountId: mine, mode: null }, actor });
  expect(done.rows).toMatchObject({ account_setting: 2, api_key: 1, limit_entry: 1 });
  const restrictions = { addresses: ['203.0.113.0/24'], prefixes: ['+21366', gone, gone], sendsPerDay: 5 };
  expect(await own()).toEqual([['+21366', gone], [gone], restrictions]);
  expect(await foreign()).toEqual(untouched);
  // Other processes hold them in memory.
  expect(await readChanges(withSchema(database.db))).toBeGreaterThan(changes);
  await erasure.erase({ number: to, scope: null, actor });
  expect(await everywhere(to)).toEqual({});
  // One that finds nothing follows one that was cut off before it said so.
  const later = await readChanges(withSchema(database.db));
  await erasure.erase({ number: to, scope: null, actor });
  expect(await readChanges(withSchema(database.db))).toBeGreaterThan(later);
});

const listKey = ring.current('lists');
/** Each stores one row with the number in it. */
const rowsOf: Record<string, (accountId: string, to: string) => RawBuilder<unknown>> = {
  number_failure: (accountId, to) => sql`
    insert into number_failure (account_id, mode, number, failures, failures_in_row, needs_unlock, window_ends_at)
    values (${accountId}, 'live', ${to}, 1, 1, false, now())`,
  pending_number: (accountId, to) => sql`
    insert into pending_number (shard, account_id, mode, number, purpose, session_id)
    values (${shardForNumber(to)}, ${accountId}, 'live', ${to}, '', ${lowestId('vrf_', Date.now() - 60_000)})`,
  parked_receipt: (_, to) => sql`
    insert into parked_receipt (id, operator, reference, number, reason, receipt, raw, received_at)
    values (${ids('prk_')}, 'atlas', 'r1', ${to}, 'unmatched', '{}', '', now())`,
  'limit_entry: its hash': (accountId, to) => sql`
    insert into limit_entry (id, account_id, mode, list, number_hash, number_masked, hmac_key_id, note, created_at, created_by)
    values (${ids('lst_')}, ${accountId}, 'live', 'block', ${numberHash(listKey.key, to)}, '*', ${listKey.id}, '', now(), 'cli')`,
  'limit_entry: a prefix': (accountId, to) => sql`
    insert into limit_entry (id, account_id, mode, list, prefix, created_at, created_by)
    values (${ids('lst_')}, ${accountId}, 'live', 'block', ${to}, now(), 'cli')`,
  account_setting: (accountId, to) => sql`
    insert into account_setting (account_id, mode, language, allowed_prefixes) values (${accountId}, 'live', 'fr', ${[to]})`,
};

test.each(Object.entries(rowsOf))(
  'a number that may be a slip is erased where it is stored, and else nothing is recorded: %s',
  async (name, row) => {
    const accountId = await newAccount();
    const to = sendRequest().to.slice(0, -1);
    const erase = (scope: ErasureScope | null = null) => erasure.eraseStored({ number: to, scope, actor });
    const events = async () => (await sql`select id from audit_event`.execute(database.db)).rows.length;
    const before = await events();
    expect(await erase()).toBe(null);
    await row(accountId, to).execute(database.db);
    expect(await erase({ accountId: ids('acct_'), mode: null })).toBe(null);
    expect(await events()).toBe(before);
    const { rows = {}, complete } = (await erase()) ?? {};
    const tables = Object.keys(rows).filter((table) => rows[table] !== 0);
    expect([complete, tables]).toEqual([true, [name.split(':')[0]]]);
    // One that finds nothing follows one that was cut off before it said so.
    const changes = await readChanges(withSchema(database.db));
    expect(await erase()).toBe(null);
    expect(await readChanges(withSchema(database.db))).toBeGreaterThan(changes);
    expect(await events()).toBe(before + 1);
  },
);

test('a number that is valid no longer is stored while its session is pending', async () => {
  const accountId = await newAccount();
  const { engine, fleet } = await testEngine(database, { sms: new ScriptedChannel() });
  const sent = await engine.starter.sendSettled(sendRequest({ accountId }));
  if (sent.kind !== 'sent') throw new Error(sent.kind);
  await engine.dispatcher.idle();
  const { to } = sent.session;
  const former = to.slice(0, -1);
  for (const db of dbs) {
    await sql`update verify_session set number = ${former} where id = ${sent.session.id}`.execute(db);
    await sql`delete from pending_number where session_id = ${sent.session.id}`.execute(db);
  }
  const scope = { accountId, mode: 'live' } as const;
  // A clock on which the patience with a pending session is over at once: no process ends this one.
  let at = Date.now();
  const hasty = new Erasure({ home: database.plain, cells: dbs }, () => (at += 5_000), ring);
  const { rows = {}, complete } = (await hasty.eraseStored({ number: former, scope, actor })) ?? {};
  expect([complete, Object.values(rows).filter((count) => count > 0)]).toEqual([false, []]);
  await fleet.leave();
});

test('one that is broken off is done by the next', async () => {
  const accountId = await newAccount();
  const one = await testEngine(database, { sms: new ScriptedChannel(), url: database.url });
  const request = sendRequest({ accountId });
  for (const purpose of ['a', 'b', 'c']) await one.engine.starter.sendSettled({ ...request, purpose });
  const { rows, complete } = await erasure.erase({ number: request.to, scope: null, actor, limit: 2 });
  expect({ count: rows.verify_session, complete }).toEqual({ count: 2, complete: false });
  expect(Object.keys(await everywhere(request.to))).not.toEqual([]);
  expect(await erasure.erase({ number: request.to, scope: null, actor })).toMatchObject({
    rows: { verify_session: 1 },
    complete: true,
  });
  expect(await everywhere(request.to)).toEqual({});
  await leave(one);
});

test('one that takes longer than its caller waits ends in time, and the next ones go on', async () => {
  const accountId = await newAccount();
  const one = await testEngine(database, { sms: new ScriptedChannel(), url: database.url });
  const request = sendRequest({ accountId });
  for (const purpose of ['a', 'b', 'c']) await one.engine.starter.sendSettled({ ...request, purpose });
  // A clock on which each look at it takes a second, in the cells that have something of the number.
  const has = await Promise.all(dbs.map(async (db) => Object.keys(await rowsWith(db, request.to)).length > 0));
  const cells = dbs.filter((_, at) => has[at]);
  let at = Date.now();
  const slow = new Erasure({ home: database.plain, cells }, () => (at += 1_000), ring);
  const counts: number[] = [];
  for (let complete = false; !complete && counts.length < 6; ) {
    const erased = await slow.erase({ number: request.to, scope: null, actor, timeLimitMs: 8_000 });
    counts.push(erased.rows.verify_session ?? 0);
    complete = erased.complete;
  }
  expect(counts[0]).toBeLessThan(3);
  expect(counts.slice(0, 2)).not.toContain(0);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3);
  expect(await everywhere(request.to)).toEqual({});
  await leave(one);
});

test('by a clock that is behind, as on another host than the service, the newest session is erased, too', async () => {
  const accountId = await newAccount();
  const one = await testEngine(database, { sms: new ScriptedChannel(), url: database.url });
  const request = sendRequest({ accountId });
  await one.engine.starter.sendSettled(request);
  await one.engine.dispatcher.idle();
  const behind = new Erasure({ home: database.plain, cells: dbs }, () => Date.now() - 300_000, ring);
  const { rows, complete } = await behind.erase({ number: request.to, scope: null, actor });
  expect({ count: rows.verify_session, complete }).toEqual({ count: 1, complete: true });
  expect(await everywhere(request.to)).toEqual({});
  await leave(one);
});

test('a session of a process whose clock is ahead, as far as one may be, is erased, too', async () => {
  const accountId = await newAccount();
  const now = () => Date.now() + 900;
  const one = await testEngine(database, { sms: new ScriptedChannel(), url: database.url, now });
  const request = sendRequest({ accountId });
  await one.engine.starter.sendSettled(request);
  await one.engine.dispatcher.idle();
  const { rows, complete } = await erasure.erase({ number: request.to, scope: null, actor });
  expect({ count: rows.verify_session, complete }).toEqual({ count: 1, complete: true });
  await leave(one);
});

test('a session that is stored while the number is erased keeps its place: the next send does not open another', async () => {
  const accountId = await newAccount();
  const rules = { resendIntervalMs: 0 };
  const one = await testEngine(database, { sms: new ScriptedChannel(), rules, url: database.url });
  const request = sendRequest({ accountId });
  const sent = await one.engine.starter.sendSettled(request);
  // As where it is committed between the look for sessions and this statement.
  for (const db of dbs) await erasePlaces(db, request.to, { scope: null, before: Date.now() + 60_000 });
  const again = await one.engine.starter.sendSettled(request);
  const [first, second] = [sent, again].map((result) => (result.kind === 'sent' ? result.session.id : result.kind));
  expect(second).toBe(first);
  await leave(one);
});
