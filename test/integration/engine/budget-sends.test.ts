// Sends, resends and legs of cascades that budgets pay for: what is refused stores and spends nothing, what is skipped says so, and what was
// kept for a message comes back once its cost is known.
import { sql } from 'kysely';
import { beforeEach, expect, test, vi } from 'vitest';
import { shardForNumber } from '../../../src/core/ids.ts';
import type { BudgetLimits } from '../../../src/core/limits/budget.ts';
import { inherited, unrestricted } from '../../../src/core/limits/key-restrictions.ts';
import type { Leg, Session } from '../../../src/core/verify/session.ts';
import type { SettledRequest } from '../../../src/engine/verify/send.ts';
import { testDatabase } from '../../support/database.ts';
import { carrierReceipt, ids, ReadyChannel, ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';
import { windowsThatLast } from '../../support/windows.ts';

const database = await testDatabase();
beforeEach(windowsThatLast);

const withApp: Leg[] = [
  { channel: 'sms', timeoutMs: 15_000 },
  { channel: 'whatsapp', timeoutMs: 15_000 },
];

async function shop(budget: BudgetLimits, options: Partial<Parameters<typeof testEngine>[1]> = {}) {
  const sms = new ScriptedChannel();
  const whatsapp = new ScriptedChannel('whatsapp');
  whatsapp.cost = '0.02';
  whatsapp.currency = 'USD';
  whatsapp.answer = ({ id }) => ({
    kind: 'accepted',
    providerMessageId: `w-${id}`,
    reference: `w-${id}`,
    parts: 1,
    tariff: { currency: 'USD', amountPerPart: '0.02', charged: 'submit', version: '1', validFrom: 0 },
  });
  const clock = { now: Date.now() };
  const made = await testEngine(database, { sms, whatsapp, budget, now: () => clock.now, ...options });
  const { engine } = made;
  const { accountId } = sendRequest();
  const send = (change: Partial<SettledRequest> = {}) =>
    engine.starter.sendSettled({ ...sendRequest(), accountId, ...change });
  const sent = async (change: Partial<SettledRequest> = {}): Promise<Session> => {
    const result = await send(change);
    if (result.kind !== 'sent') throw new Error(result.kind);
    return result.session;
  };
  const used = async (unit: string, period = 'day', keyId = '') => {
    await engine.budgets.close();
    const { rows } = await sql<{ used: string }>`select trim_scale(used)::text as used from budget
      where account_id = ${accountId} and unit = ${unit} and period = ${period} and key_id = ${keyId}`.execute(
      database.db,
    );
    return rows[0]?.used;
  };
  const stored = async () => {
    const { rows } = await sql<{ id: string }>`select id from verify_session where account_id = ${accountId}`.execute(
      database.db,
    );
    return rows.length;
  };
  const load = async (id: string) => (await engine.store.load({ accountId, id }))?.session as Session;
  return { ...made, sms, whatsapp, clock, accountId, send, sent, used, stored, load };
}

test('a send that no budget can pay for is refused, and stores nothing', async () => {
  const { send, sent, stored, used } = await shop({ sendsPerDay: 2, spendPerDay: { DZD: '100' } });
  await sent();
  await sent();
  const refused = await send();
  expect(refused).toMatchObject({ kind: 'guarded', finding: { rule: 'budget', reason: 'sends_per_day' } });
  expect(await stored()).toBe(2);
  expect([await used('sends'), await used('DZD')]).toEqual(['2', '5']);
});

test('a budget of costs refuses by the currency that is used up', async () => {
  const { send, sent, used } = await shop({ spendPerHour: { DZD: '5.40' } });
  await sent();
  await sent();
  expect(await send()).toMatchObject({ kind: 'guarded', finding: { reason: 'spend_per_hour' } });
  expect(await used('DZD', 'hour')).toBe('5');
});

test('a first leg that can not be paid for is skipped where the next one can', async () => {
  const { sent, send } = await shop({ spendPerDay: { DZD: '3', USD: '1' } });
  await sent();
  const session = await sent({ cascade: withApp });
  expect(session.messages.map(({ channel }) => channel)).toEqual(['whatsapp']);
  expect(session.timeline).toContainEqual(
    expect.objectContaining({ kind: 'leg_skipped', channel: 'sms', reason: 'budget_exhausted' }),
  );
  expect(await send()).toMatchObject({ kind: 'guarded' });
});

test('a send that no leg can be paid for may be repeated when the first of them can', async () => {
  const { sent, send } = await shop({ spendPerHour: { DZD: '3' }, spendPerDay: { USD: '0.02' } });
  await sent();
  await sent({ cascade: withApp });
  const refused = await send({ cascade: withApp });
  // The SMS can be paid for in the next hour, the WhatsApp message on the next day.
  expect(refused).toMatchObject({ kind: 'guarded', finding: { rule: 'budget' } });
  const { retryAfterMs } = refused.kind === 'guarded' ? refused.finding : {};
  expect(retryAfterMs).toBeLessThanOrEqual(3_600_000);
});

test('a later leg is no send of its own, costs, and is skipped where nothing is left', async () => {
  const { engine, accountId, sent, used, load, clock } = await shop({
    sendsPerDay: 2,
    spendPerDay: { DZD: '100', USD: '0.03' },
  });
  const timeOut = async ({ id }: Session) => {
    await engine.sessions.apply({ accountId, id }, { kind: 'deadline' });
    return load(id);
  };
  const [one, two] = [await sent({ cascade: withApp }), await sent({ cascade: withApp })];
  clock.now += 16_000;
  expect((await timeOut(one)).messages.map(({ channel }) => channel)).toEqual(['sms', 'whatsapp']);
  const left = await timeOut(two);
  expect(left.messages.map(({ channel }) => channel)).toEqual(['sms']);
  expect(left).toMatchObject({ status: 'pending', delivery: 'exhausted' });
  expect(left.timeline.map(({ kind, reason }) => `${kind} ${reason ?? ''}`)).toContain('leg_skipped budget_exhausted');
  expect([await used('sends'), await used('USD')]).toEqual(['2', '0.02']);
});

test('a resend is a send, and is refused like one; its session goes on', async () => {
  const { sent, send, used, load, clock } = await shop({ sendsPerDay: 1 });
  const request = { ...sendRequest(), purpose: 'again' };
  const { accountId: _, ...same } = request;
  const session = await sent(same);
  clock.now += 31_000;
  expect(await send(same)).toMatchObject({ kind: 'guarded', finding: { reason: 'sends_per_day' } });
  expect(await load(session.id)).toMatchObject({ status: 'pending', sends: 1, run: 1 });
  expect(await used('sends')).toBe('1');
});

test('a session is not canceled for one that can not be paid for', async () => {
  const { engine, sent, send, load, clock } = await shop({ sendsPerDay: 2 });
  const { accountId: _, ...same } = sendRequest();
  const first = await sent({ ...same, code: '111111' });
  clock.now += 31_000;
  // The last send of the budget goes out to another number just then.
  vi.spyOn(engine.store, 'spentTokens').mockImplementationOnce(async () => {
    await sent();
    return null;
  });
  const refused = await send({ ...same, code: '222222' });
  expect(refused).toMatchObject({ kind: 'guarded', finding: { reason: 'sends_per_day' } });
  expect(await load(first.id)).toMatchObject({ status: 'pending', sends: 1 });
});

const outage = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

test.each(['spentTokens', 'save', 'pending', 'load'] as const)(
  'an outage before anything of a send is stored (%s) gives back what it was to cost; its session and its key are left as they were',
  async (statement) => {
    const { engine, sent, send, used, load, clock } = await shop({ sendsPerDay: 10, spendPerDay: { DZD: '100' } });
    const { accountId: _, ...number } = sendRequest();
    const restrictions = { ...unrestricted, sendsPerDay: 3, budget: { sendsPerDay: 10 } };
    const key = { apiKeyId: ids('key_'), restrictions };
    const same = { ...number, ...key };
    const first = await sent({ ...same, code: '111111' });
    await engine.dispatcher.idle();
    clock.now += 31_000;
    // Where the pending session is not known it is looked for: another send of the batch has just opened it.
    if (statement === 'pending') vi.spyOn(engine.store, 'open').mockResolvedValueOnce({ kind: 'taken', sessionId: '' });
    // Another process may have gone on with it: what is in memory is not all.
    if (statement === 'load') engine.sessions.forget(first.id);
    vi.spyOn(engine.store, statement).mockRejectedValueOnce(outage());
    await expect(send({ ...same, code: '222222' })).rejects.toThrow('ECONNRESET');
    expect([await used('sends'), await used('DZD'), await used('sends', 'day', key.apiKeyId)]).toEqual([
      '1',
      '2.5',
      '1',
    ]);
    expect(await load(first.id)).toMatchObject({ status: 'pending', sends: 1 });
    await sent(key);
    await sent(key);
    expect(await send(key)).toMatchObject({ finding: { rule: 'key_restriction', reason: 'sends_per_day' } });
  },
);

test('a call that another process has done gives back what it took, also where that one can not be looked up', async () => {
  const { engine, sent, send } = await shop({ sendsPerDay: 10 });
  const { accountId: _, ...number } = sendRequest();
  const key = { apiKeyId: ids('key_'), restrictions: { ...unrestricted, sendsPerDay: 3 } };
  const call = { ...number, ...key, operation: ids('vrf_', shardForNumber(number.to)) };
  await sent(call);
  vi.spyOn(engine.store, 'load').mockRejectedValueOnce(outage());
  await expect(send({ ...call, isAskedBefore: true })).rejects.toThrow('ECONNRESET');
  await sent(key);
  await sent(key);
  expect(await send(key)).toMatchObject({ finding: { rule: 'key_restriction', reason: 'sends_per_day' } });
});

test('an outage while a send is stored keeps what it cost: it may be stored', async () => {
  const { engine, sent, send, used } = await shop({ sendsPerDay: 10 });
  vi.spyOn(engine.store, 'open').mockRejectedValueOnce(outage());
  await expect(send()).rejects.toThrow('ECONNRESET');
  await sent();
  expect(await used('sends')).toBe('2');
});

test('a leg of the run under way goes out beside a resend that no send is left for', async () => {
  const { engine, accountId, sent, load, clock } = await shop({ sendsPerDay: 1, spendPerDay: { USD: '1' } });
  const session = await sent({ cascade: withApp });
  const { id } = session;
  clock.now += 31_000;
  // The first one is under way, so that the others are done together.
  const ignored = { kind: 'submitting', messageId: 'msg_none', holder: 'none' } as const;
  const events = [ignored, { kind: 'deadline' }, { kind: 'resend', channel: null, asked: {} }] as const;
  const applied = await Promise.all(events.map((event) => engine.sessions.apply({ accountId, id }, event)));
  expect(applied.at(-1)).toMatchObject({
    outcome: { kind: 'no_route', reason: 'budget_exhausted' },
    finding: { reason: 'sends_per_day' },
  });
  const { messages, sends, timeline } = await load(id);
  expect(messages.map(({ channel, run }) => `${channel} ${run}`)).toEqual(['sms 1', 'whatsapp 1']);
  expect(sends).toBe(1);
  expect(timeline.filter(({ kind }) => kind === 'leg_skipped')).toEqual([]);
});

test('a resend that is stored counts; one that comes too soon gives back what it took', async () => {
  const { sent, send, used, clock } = await shop({ sendsPerDay: 10, spendPerDay: { DZD: '100' } });
  const { accountId: _, ...same } = sendRequest();
  await sent(same);
  expect(await send(same)).toMatchObject({ kind: 'resend_too_soon' });
  expect([await used('sends'), await used('DZD')]).toEqual(['1', '2.5']);
  clock.now += 31_000;
  await sent(same);
  expect([await used('sends'), await used('DZD')]).toEqual(['2', '5']);
});

test('a number that has had its sends costs no budget', async () => {
  const { sent, send, used, clock } = await shop({ sendsPerDay: 10 }, { sendLimits: { perNumberPerHour: 1 } });
  const { accountId: _, ...same } = sendRequest();
  await sent(same);
  clock.now += 31_000;
  expect(await send({ ...same, purpose: 'other' })).toMatchObject({ kind: 'number_limited' });
  expect(await send(same)).toMatchObject({ kind: 'number_limited' });
  expect(await used('sends')).toBe('1');
});

test('what was kept for a message gives way to what it cost, in the process that hears of it', async () => {
  const sms = new ReadyChannel();
  sms.cost = '4';
  const budget = { spendPerDay: { DZD: '100' } };
  const one = await shop(budget, { sms });
  const { id } = await one.sent();
  await one.engine.dispatcher.idle();
  const other = await testEngine(database, { sms: new ScriptedChannel(), budget });
  expect(await one.used('DZD')).toBe('2.5'); // Charged on submit.
  const [message] = sms.sent;
  if (!message) throw new Error('nothing was sent');
  const receipt = carrierReceipt(message, 'DELIVRD');
  receipt.receipt.operatorAmount = { amount: '3.10', currency: 'DZD' };
  await other.engine.receipts.take(receipt);
  await other.engine.budgets.close();
  expect(await one.used('DZD')).toBe('3.1');
  expect((await one.load(id)).messages[0]?.reserve).toMatchObject({ amount: '4', currency: 'DZD' });
});

test('what a carrier without a tariff states counts, from the first message on', async () => {
  const sms = new ReadyChannel();
  sms.cost = null;
  sms.answer = ({ id }) => {
    return { kind: 'accepted', providerMessageId: `p-${id}`, reference: `p-${id}`, parts: 1, tariff: null };
  };
  const { engine, sent, send, used } = await shop({ spendPerDay: { DZD: '3' } }, { sms });
  await sent();
  await engine.dispatcher.idle();
  const [message] = sms.sent;
  if (!message) throw new Error('nothing was sent');
  const receipt = carrierReceipt(message, 'DELIVRD');
  receipt.receipt.operatorAmount = { amount: '3.10', currency: 'DZD' };
  await engine.receipts.take(receipt);
  expect(await used('DZD')).toBe('3.1');
  sms.cost = '2.50';
  expect(await send()).toMatchObject({ kind: 'guarded', finding: { reason: 'spend_per_day' } });
});

test('a message that is withdrawn before it is written gives back what was kept for it', async () => {
  const sms = new ScriptedChannel();
  sms.live = false;
  const { engine, sent, used, accountId } = await shop({ spendPerDay: { DZD: '100' } }, { sms });
  const restrictions = { ...unrestricted, budget: { spendPerDay: { DZD: '10' } } };
  const { id } = await sent({ apiKeyId: 'key_1', restrictions });
  expect([await used('DZD'), await used('DZD', 'day', 'key_1')]).toEqual(['2.5', '2.5']);
  await engine.sessions.apply({ accountId, id }, { kind: 'cancel', reason: 'canceled_by_client' });
  expect([await used('DZD'), await used('DZD', 'day', 'key_1')]).toEqual(['0', '0']);
});

test('a key pays from its own budget too, for later legs as well', async () => {
  const { engine, accountId, sent, send, used, clock } = await shop({ sendsPerDay: 10, spendPerDay: { DZD: '100' } });
  const restrictions = { ...unrestricted, budget: { sendsPerDay: 2, spendPerDay: { USD: '0.02' } } };
  const by = { apiKeyId: 'key_1', restrictions, cascade: withApp };
  const { id } = await sent(by);
  clock.now += 16_000;
  await engine.sessions.apply({ accountId, id }, { kind: 'deadline' });
  expect([await used('sends', 'day', 'key_1'), await used('USD', 'day', 'key_1')]).toEqual(['1', '0.02']);
  await sent(by);
  expect(await send(by)).toMatchObject({ kind: 'guarded', finding: { reason: 'sends_per_day' } });
  await sent();
  expect(await used('sends')).toBe('3');
});

test('what a key sends is paid by the keys that it descends from, too', async () => {
  const { engine, accountId, sent, send, used, clock } = await shop({ spendPerDay: { DZD: '100' } });
  const parent = { keyId: 'key_1', restrictions: { ...unrestricted, budget: { sendsPerDay: 2 } } };
  const made = inherited(parent, { ...unrestricted, budget: { spendPerDay: { DZD: '50', USD: '1' } } });
  if (made.kind !== 'ok' || !made.restrictions) throw new Error(made.kind);
  const by = { apiKeyId: 'key_2', restrictions: made.restrictions, cascade: withApp };
  const { id } = await sent(by);
  await sent({ apiKeyId: 'key_1', restrictions: parent.restrictions });
  expect(await send(by)).toMatchObject({ kind: 'guarded', finding: { reason: 'sends_per_day' } });
  expect([await used('sends', 'day', 'key_1'), await used('sends', 'day', 'key_2')]).toEqual(['2', '1']);
  expect([await used('DZD', 'day', 'key_2'), await used('DZD', 'day', 'key_1')]).toEqual(['2.5', undefined]);
  clock.now += 16_000;
  await engine.sessions.apply({ accountId, id }, { kind: 'deadline' });
  expect(await used('USD', 'day', 'key_2')).toBe('0.02');
});

test('a resend is paid by the key that asks for it', async () => {
  const { sent, send, used, clock } = await shop({ sendsPerDay: 10 });
  const { accountId: _, ...same } = sendRequest();
  await sent(same);
  clock.now += 31_000;
  const restrictions = { ...unrestricted, budget: { sendsPerDay: 1 } };
  await sent({ ...same, apiKeyId: 'key_1', restrictions });
  clock.now += 31_000;
  expect(await send({ ...same, apiKeyId: 'key_1', restrictions })).toMatchObject({ kind: 'guarded' });
  expect([await used('sends'), await used('sends', 'day', 'key_1')]).toEqual(['2', '1']);
});

test('monitor lets a send pass, and its timeline says what a budget found', async () => {
  const { sent } = await shop({ sendsPerDay: 1 }, { ruleModes: { budget: 'monitor' } });
  await sent();
  const { timeline } = await sent();
  expect(timeline).toContainEqual(
    expect.objectContaining({ kind: 'fraud_guard', rule: 'budget', reason: 'sends_per_day' }),
  );
});

test('test keys, accounts without a budget and the mode off count nothing', async () => {
  const off = await shop({ sendsPerDay: 0 }, { ruleModes: { budget: 'off' } });
  await off.sent();
  const none = await shop({ sendsPerDay: 0 }, { account: { budget: 'none' } });
  await none.sent();
  const own = await shop({ sendsPerDay: 0 }, { account: { budget: { sends_per_day: 5 } } });
  await own.sent();
  expect([await off.used('sends'), await none.used('sends'), await own.used('sends')]).toEqual([
    undefined,
    undefined,
    '1',
  ]);
});
