// Recovery without polling: who looks, when, and where. Beside takeover.test.ts, which says what becomes of what is found.
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { SendOutcome } from '../../../src/channels/channel.ts';
import { shardForNumber, shardOf } from '../../../src/core/ids.ts';
import type { Database } from '../../../src/db/client.ts';
import { testDatabase } from '../../support/database.ts';
import { CallingChannel, ScriptedChannel, sendRequest, tellGone, testEngine } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';
import { setUp as calls, trunkConfig } from '../../unit/channels/voice/support.ts';

const database = await testDatabase();

/** Only the processes of the test at hand share the shards. */
beforeEach(async () => {
  await sql`delete from process`.execute(database.db);
  await sql`delete from pending_number`.execute(database.db);
});

const rowsOf = async (table: 'unsettled' | 'route_queue', sessionId: string) =>
  (await sql`select from ${sql.table(table)} where session_id = ${sessionId}`.execute(database.db)).rows.length;

/** The same database, and the names of the statements that were sent to it. */
function counted(): Database<unknown> & { sent: string[] } {
  const sent: string[] = [];
  const query = async (config: { name?: string }) => {
    sent.push(config.name ?? '');
    return database.lanes.query(config as never);
  };
  return { ...database, lanes: { query } as never, sent };
}

const never = () => new Promise<SendOutcome>(() => {});
const stuck = () => Object.assign(new ScriptedChannel(), { reserve: () => new Promise<null>(() => {}) });

async function opened(sms: ScriptedChannel, change = {}) {
  const process = await testEngine(database, { sms });
  const request = sendRequest(change);
  const result = await process.engine.starter.sendSettled(request);
  if (result.kind !== 'sent') throw new Error(result.kind);
  return { ...process, session: result.session, key: { accountId: request.accountId, id: result.session.id } };
}

test('a session and all that belongs to it are in the shard of its number', async () => {
  const { engine, key, session } = await opened(new ScriptedChannel());
  await engine.dispatcher.idle();
  const shard = shardForNumber(session.to);
  const messages = (await engine.store.load(key))?.session.messages ?? [];
  expect([key, ...messages].map(({ id }) => shardOf(id))).toEqual([shard, shard]);
  const { rows } = await sql<{ shard: number }>`
    select shard from pending_number where session_id = ${key.id}`.execute(database.db);
  expect(rows).toEqual([{ shard }]);
});

test('sweeps and claims without a cause send no statement', async () => {
  const own = counted();
  const { engine } = await testEngine(own, { sms: new ScriptedChannel() });
  await engine.recovery.claim(); // Its route has just come up.
  own.sent.length = 0;
  for (let turn = 0; turn < 20; turn += 1) {
    await engine.recovery.sweep();
    await engine.recovery.claim();
  }
  expect(own.sent).toEqual([]);
});

test('when a process is gone, what it held is sent by another, without a sweep', async () => {
  const dead = await opened(stuck());
  const sms = new ScriptedChannel();
  const heir = await testEngine(database, { sms });
  await dead.fleet.leave();
  tellGone(heir, dead);
  await until(() => sms.sent.length === 1, { what: 'the message to be sent' });
  expect(sms.sent[0]?.sessionId).toBe(dead.key.id);
});

test('a look that fails is made again by the next sweep', async () => {
  const dead = await opened(stuck());
  const sms = new ScriptedChannel();
  let refused = 0;
  const query = async (config: { name?: string }) => {
    if (config.name !== 'recovery.through' || refused > 0) return database.lanes.query(config as never);
    refused += 1;
    throw new Error('the database is away');
  };
  const heir = await testEngine({ ...database, lanes: { query } as never }, { sms });
  await dead.fleet.leave();
  tellGone(heir, dead);
  await until(() => refused === 1, { what: 'the look to fail' });
  await heir.engine.recovery.sweep();
  await heir.engine.dispatcher.idle();
  expect(sms.sent.map(({ sessionId }) => sessionId)).toEqual([dead.key.id]);
});

test('live processes share the shards, and leave none out', async () => {
  const dead = await testEngine(database, { sms: stuck() });
  const results = await Promise.all(Array.from({ length: 60 }, () => dead.engine.starter.sendSettled(sendRequest())));
  const channels = [1, 2, 3].map(() => new ScriptedChannel());
  const heirs = await Promise.all(channels.map((sms) => testEngine(database, { sms })));
  await dead.fleet.leave();
  for (const heir of heirs) tellGone(heir, dead);
  await until(() => channels.reduce((sum, { sent }) => sum + sent.length, 0) === results.length, {
    what: 'every message to be sent',
  });
  const live = heirs.map(({ fleet }) => fleet.processId).toSorted();
  for (const [index, { fleet }] of heirs.entries()) {
    const rank = live.indexOf(fleet.processId);
    const [from, to] = [Math.floor((1024 * rank) / 3), Math.floor((1024 * (rank + 1)) / 3)];
    const shards = channels[index]?.sent.map(({ sessionId }) => shardOf(sessionId)) ?? [];
    expect(shards.filter((shard) => shard < from || shard >= to)).toEqual([]);
    expect(shards.length).toBeGreaterThan(0);
  }
});

test('a deadline that lies ahead is met by the process that took over', async () => {
  const dead = await opened(new ScriptedChannel(), { cascade: [{ channel: 'sms', timeoutMs: 8_000 }] });
  await dead.engine.dispatcher.idle();
  dead.engine.deadlines.stop();
  await dead.fleet.leave();
  const heir = await testEngine(database, { sms: new ScriptedChannel() });
  tellGone(heir, dead);
  const delivery = async () => (await heir.engine.store.load(dead.key))?.session.delivery;
  await until(async () => (await delivery()) === 'exhausted', { what: 'the leg to end' });
  // What is stored is known to the heir once its statement is answered.
  const seen = () => heir.engine.sessions.seen(dead.key.id)?.delivery;
  await until(() => seen() === 'exhausted', { what: 'the heir to be the one that ended it' });
});

test('a deadline that can not be stored is tried again', async () => {
  const sms = new ScriptedChannel();
  const { engine, errors, key } = await opened(sms, { cascade: [{ channel: 'sms', timeoutMs: 8_000 }] });
  await engine.dispatcher.idle();
  const { save } = engine.store;
  engine.store.save = async () => {
    engine.store.save = save;
    throw new Error('the database is away');
  };
  await until(async () => (await engine.store.load(key))?.session.delivery === 'exhausted', { what: 'the leg to end' });
  expect(errors).toHaveLength(1);
});

test('a session that ends while its message is being written is found until the answer is there', async () => {
  const writing = new ScriptedChannel();
  writing.answer = never;
  const dead = await opened(writing);
  await until(() => writing.sent.length === 1, { what: 'the message to be written' });
  expect(await rowsOf('unsettled', dead.key.id)).toBe(0);
  await dead.engine.sessions.apply(dead.key, { kind: 'cancel', reason: 'canceled_by_client' });
  expect(await rowsOf('unsettled', dead.key.id)).toBe(1);
  await dead.fleet.leave();
  const heir = await testEngine(database, { sms: new ScriptedChannel() });
  await heir.engine.sweep('sweep');
  const loaded = await heir.engine.store.load(dead.key);
  expect(loaded?.session.messages[0]).toMatchObject({ status: 'unknown', reason: 'process_lost' });
  expect(await rowsOf('unsettled', dead.key.id)).toBe(0);
});

test('a call that outlasts its session is found until it is over', async () => {
  const voice = new CallingChannel();
  const dead = await testEngine(database, { voice });
  const request = sendRequest({ cascade: [{ channel: 'voice', timeoutMs: 45_000 }] });
  const result = await dead.engine.starter.sendSettled(request);
  if (result.kind !== 'sent') throw new Error(result.kind);
  await dead.engine.dispatcher.idle();
  const key = { accountId: request.accountId, id: result.session.id };
  await dead.engine.sessions.apply(key, { kind: 'cancel', reason: 'canceled_by_client' });
  expect(await rowsOf('unsettled', key.id)).toBe(1);
  await dead.fleet.leave();
  const heir = await testEngine(database, { voice: new CallingChannel() });
  await heir.engine.sweep('sweep');
  expect((await heir.engine.store.load(key))?.session.messages[0]).toMatchObject({ holder: null });
  expect(await rowsOf('unsettled', key.id)).toBe(0);
});

test('what waits for a route is announced, and a process that has the route takes it at once', async () => {
  const sms = new ScriptedChannel();
  const other = await testEngine(database, { sms, url: database.url });
  await other.engine.recovery.claim(); // Its route has just come up: nothing waits yet.
  const without = Object.assign(new ScriptedChannel(), { live: false });
  const { key } = await opened(without);
  await until(() => sms.sent.length === 1, { what: 'the message to be sent by the other process' });
  await other.engine.dispatcher.idle();
  expect(sms.sent[0]?.sessionId).toBe(key.id);
  expect(await rowsOf('route_queue', key.id)).toBe(0);
});

test('a call that waits for a trunk is made by it after a reload that has put another trunk before it', async () => {
  const { channel, tries, holdAll } = calls();
  for (const name of channel.bindCounts().keys()) await channel.setSlots(name, []);
  const { engine } = await testEngine(database, { voice: channel });
  const request = sendRequest({ channel: 'voice', cascade: [{ channel: 'voice', timeoutMs: 600_000 }] });
  const sent = await engine.starter.sendSettled(request);
  if (sent.kind !== 'sent') throw new Error(sent.kind);
  expect((await engine.store.load({ accountId: request.accountId, id: sent.session.id }))?.holder).toBe(
    'route/voice/main',
  );
  channel.configure([trunkConfig({ name: 'first' }), trunkConfig()]);
  holdAll();
  await engine.sweep('claim');
  const call = await until(() => tries[0], { what: 'the call' });
  expect(call.request.trunk).toBe('main');
  call.refuse(404);
  await engine.dispatcher.idle();
});

test.each(['canceled', 'due'] as const)('a session that is %s leaves the queue of its route', async (end) => {
  const without = Object.assign(new ScriptedChannel(), { live: false });
  const { engine, key } = await opened(without, { cascade: [{ channel: 'sms', timeoutMs: 60_000 }] });
  expect(await rowsOf('route_queue', key.id)).toBe(1);
  expect((await engine.store.load(key))?.holder).toBe('route/sms/atlas');
  if (end === 'canceled') await engine.sessions.apply(key, { kind: 'cancel', reason: 'canceled_by_client' });
  else {
    await sql`update verify_session set leg_ends_at = now(), next_at = now() where id = ${key.id}`.execute(database.db);
    engine.sessions.forget(key.id);
    await engine.sessions.apply(key, { kind: 'deadline' });
  }
  expect(await rowsOf('route_queue', key.id)).toBe(0);
  expect((await engine.store.load(key))?.holder).toBe(null);
});

test('claims of several processes at once take each waiting message once', async () => {
  const without = await testEngine(database, { sms: Object.assign(new ScriptedChannel(), { live: false }) });
  const count = 120;
  await Promise.all(Array.from({ length: count }, () => without.engine.starter.sendSettled(sendRequest())));
  const channels = [1, 2, 3].map(() => new ScriptedChannel());
  const claiming = await Promise.all(channels.map((sms) => testEngine(database, { sms })));
  const sent = () => channels.flatMap((each) => each.sent.map(({ sessionId }) => sessionId));
  await until(
    async () => {
      await Promise.all(claiming.map(({ engine }) => engine.sweep('claim')));
      return sent().length >= count;
    },
    { what: 'every message to be sent' },
  );
  await Promise.all(claiming.map(({ engine }) => engine.dispatcher.idle()));
  expect(new Set(sent()).size).toBe(count);
  expect(sent()).toHaveLength(count);
});
