// A connection breaks after the database has committed and before it could say so: what is stored must not be forgotten,
// and what may have been sent must not be sent again.
import { expect, test } from 'vitest';
import { LaneFull } from '../../../src/db/batch.ts';
import type { Database } from '../../../src/db/client.ts';
import { testDatabase } from '../../support/database.ts';
import { ReadyChannel, ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();

/** The same database, whose next statement of this kind is carried out but not answered. */
function breaking(statement: RegExp): Database<unknown> & { broken: number } {
  const { lanes, ...rest } = database;
  const query = async (config: { name?: string }) => {
    const result = await lanes.query(config as never);
    if (own.broken > 0 || !statement.test(config.name ?? '')) return result;
    own.broken += 1;
    throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  };
  const own = { ...rest, lanes: { query } as never, broken: 0 };
  return own;
}

test.each([
  ['queued', new ScriptedChannel()],
  ['with a place already', new ReadyChannel()],
])(
  'a send whose commit was not answered, %s: the same key finds its session, and it goes out, once',
  async (_, sms) => {
    const broken = breaking(/^open/);
    const { engine } = await testEngine(broken, { sms });
    const idempotency = {
      route: 'Send',
      key: 'k',
      request: '',
    };
    const request = sendRequest({ idempotency });
    await expect(engine.starter.sendSettled(request)).rejects.toThrow('ECONNRESET');
    const again = await engine.starter.sendSettled(request);
    if (again.kind !== 'replayed') throw new Error(again.kind);
    const { id } = again.answer as { id: string };
    expect(sms.sent).toHaveLength(0);

    await engine.sweep('sweep');
    await engine.dispatcher.idle();
    await engine.sweep('sweep');
    await engine.dispatcher.idle();
    expect(sms.sent.map(({ sessionId }) => sessionId)).toEqual([id]);
    const loaded = await engine.store.load({ accountId: request.accountId, id });
    expect(loaded?.session.messages[0]?.status).toBe('submitted');
  },
);

test('a mark before writing whose commit was not answered: the message is written, once', async () => {
  const broken = breaking(/^save/);
  const sms = new ScriptedChannel();
  const { engine, errors } = await testEngine(broken, { sms });
  const request = sendRequest();
  const result = await engine.starter.sendSettled(request);
  if (result.kind !== 'sent') throw new Error(result.kind);
  await until(() => sms.sent.length > 0, { what: 'the message to be written' });
  await engine.dispatcher.idle();
  await engine.sweep('sweep');
  expect(broken.broken).toBe(1);
  expect(errors).toHaveLength(1);
  expect(sms.sent).toHaveLength(1);
  const loaded = await engine.store.load({ accountId: request.accountId, id: result.session.id });
  expect(loaded).toMatchObject({ holder: null, session: { messages: [{ status: 'submitted' }] } });
});

test('a mark whose commit was not answered, and the session taken over meanwhile: nothing is written here', async () => {
  const broken = breaking(/^save/);
  const sms = new ScriptedChannel();
  const first = await testEngine(broken, { sms });
  const heirs = new ScriptedChannel();
  heirs.reserve = () => new Promise(() => {});
  const heir = await testEngine(database, { sms: heirs });
  const reserved = sms.reserve.bind(sms);
  let rounds = 0;
  sms.reserve = async () => {
    rounds += 1;
    if (rounds === 2) {
      // Its lease ends between the broken mark and the second try.
      await first.fleet.leave();
      await heir.engine.sweep('sweep');
    }
    return reserved();
  };
  const request = sendRequest();
  const result = await first.engine.starter.sendSettled(request);
  if (result.kind !== 'sent') throw new Error(result.kind);
  await until(() => rounds === 2, { what: 'a second try' });
  await first.engine.dispatcher.idle();
  expect(sms.sent).toHaveLength(0);
  const loaded = await heir.engine.store.load({ accountId: request.accountId, id: result.session.id });
  expect(loaded?.session.messages[0]).toMatchObject({ status: 'unknown', reason: 'process_lost' });
});

test('a takeover whose commit was not answered: what the dead process was writing is not taken for unwritten', async () => {
  const writing = new ScriptedChannel();
  writing.answer = () => new Promise(() => {});
  const dead = await testEngine(database, { sms: writing });
  const request = sendRequest();
  const result = await dead.engine.starter.sendSettled(request);
  if (result.kind !== 'sent') throw new Error(result.kind);
  await until(() => writing.sent.length === 1, { what: 'the message to be written' });
  await dead.fleet.leave();
  const sms = new ScriptedChannel();
  // On a busy machine the doubt would be acted on before the look.
  const heir = await testEngine(breaking(/^recovery.orphans/), { sms, rules: { inDoubtResend: false } });
  await expect(heir.engine.sweep('sweep')).rejects.toThrow('ECONNRESET');
  await heir.engine.sweep('sweep');
  await heir.engine.dispatcher.idle();
  const loaded = await heir.engine.store.load({ accountId: request.accountId, id: result.session.id });
  expect(loaded?.session.messages[0]).toMatchObject({ status: 'unknown', reason: 'process_lost' });
  expect(sms.sent).toHaveLength(0);
});

test('a takeover that fails half-way, because a lane is full: it is tried again', async () => {
  const stuck = new ScriptedChannel();
  stuck.reserve = () => new Promise(() => {});
  const dead = await testEngine(database, { sms: stuck });
  const result = await dead.engine.starter.sendSettled(sendRequest());
  if (result.kind !== 'sent') throw new Error(result.kind);
  await dead.fleet.leave();
  let refused = 0;
  const query = async (config: { name?: string }) => {
    if (config.name !== 'load' || refused > 0) return database.lanes.query(config as never);
    refused += 1;
    throw new LaneFull('lane load does not move');
  };
  const sms = new ScriptedChannel();
  const heir = await testEngine({ ...database, lanes: { query } as never }, { sms });
  await heir.engine.sweep('sweep');
  expect(sms.sent).toHaveLength(0);
  await heir.engine.sweep('sweep');
  await heir.engine.dispatcher.idle();
  expect(refused).toBe(1);
  expect(sms.sent.map(({ sessionId }) => sessionId)).toEqual([result.session.id]);
});
