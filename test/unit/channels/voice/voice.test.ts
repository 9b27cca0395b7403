// The voice channel with a caller in the test's hand: which trunk is tried when, and what is reported of the call.
import { describe, expect, it } from 'vitest';
import type { PlanRequest } from '../../../../src/channels/channel.ts';
import { until } from '../../../support/wait.ts';
import { message, report, setUp, trunkConfig } from './support.ts';

const ask = (to: string): PlanRequest => ({
  mode: 'live',
  channel: 'voice',
  to,
  senderId: null,
  language: 'fr',
  account: { id: 'acc_1', defaultSenderId: null, inCountryOnly: false, approvedSenders: new Map() },
});
const number = '+213550000001';
const two = [trunkConfig(), trunkConfig({ name: 'spare' })];
const route = 'voice/main+spare';

describe('a plan', () => {
  it('names the trunks of the number in the order they are tried', () => {
    expect(setUp(two).channel.plan(ask(number))).toEqual({ kind: 'usable', route, operator: null, senderId: null });
  });

  it('skips a number of no trunk, and every number without trunks', () => {
    expect(setUp().channel.plan(ask('+33600000000'))).toEqual({ kind: 'skip', reason: 'no_operator' });
    expect(setUp([]).channel.plan(ask(number))).toEqual({ kind: 'skip', reason: 'channel_not_configured' });
  });

  it('skips while every trunk of the number is known to be down', () => {
    const { channel } = setUp(two);
    channel.trunk('main')?.setUp(false);
    expect(channel.plan(ask(number))).toMatchObject({ kind: 'usable' });
    expect(channel.canSend(route)).toBe(true);
    expect(channel.carriers()).toEqual([
      { carrier: 'main', reason: 'channel_down' },
      { carrier: 'spare', reason: null },
    ]);
    channel.trunk('spare')?.setUp(false);
    expect(channel.plan(ask(number))).toEqual({ kind: 'skip', reason: 'channel_down' });
    expect(channel.canSend(route)).toBe(false);
  });

  it('needs no slot here: another process may have them', () => {
    const { channel } = setUp();
    void channel.setSlots('voice:main', []);
    expect(channel.plan(ask(number))).toMatchObject({ kind: 'usable' });
    expect(channel.canSend('voice/main')).toBe(false);
    expect(channel.routes()).toEqual([]);
  });
});

describe('routes', () => {
  it('are those of every prefix, while a trunk of theirs takes calls', () => {
    const { channel } = setUp([
      trunkConfig({ callsPerSecond: 2 }),
      trunkConfig({ name: 'spare', prefixes: ['+213', '+216'] }),
    ]);
    expect(channel.routes().toSorted()).toEqual([route, 'voice/spare']);
    channel.trunk('spare')?.setUp(false);
    expect(channel.routes()).toEqual([route]);
    expect(channel.ratePerSecond(route)).toBe(2);
    expect(channel.ratePerSecond('voice/spare')).toBeNull();
  });

  it('are sent on by the trunks of them that are left after a reload', async () => {
    const { channel, tries, send } = setUp(two);
    channel.configure([trunkConfig({ name: 'spare' })]);
    const sent = send({ route });
    await until(() => tries.length === 1, { what: 'the call' });
    expect(tries[0]?.request.trunk).toBe('spare');
    tries[0]?.ring();
    expect(await sent).toMatchObject({ kind: 'accepted' });
  });

  it('of the configurations before are looked for as long as a leg may last, while a trunk of theirs is left', () => {
    const { channel, holdAll, pass } = setUp(two);
    const third = trunkConfig({ name: 'third' });
    channel.configure([third, ...two]);
    channel.configure([third, trunkConfig()]);
    holdAll();
    expect(channel.routes()).toEqual(['voice/third+main', route, 'voice/third+main+spare']);
    channel.configure([third]);
    expect(channel.routes()).toEqual(['voice/third', 'voice/third+main+spare', 'voice/third+main']);
    pass(900_001);
    channel.configure([third]);
    expect(channel.routes()).toEqual(['voice/third']);
  });

  it('have slots under names of their own, as many as the trunk has channels, sixteen at most', () => {
    const { channel } = setUp([trunkConfig({ channels: 3 }), trunkConfig({ name: 'spare', channels: 30 })]);
    expect([...channel.bindCounts()]).toEqual([
      ['voice:main', 3],
      ['voice:spare', 16],
    ]);
    expect(channel.isBound()).toBe(false);
  });
});

describe('a call', () => {
  it('that rings is accepted, with the price of the day and a reference of its own', async () => {
    const { tries, send, turn } = setUp();
    const sent = send();
    await turn();
    expect(tries[0]?.request).toEqual({
      id: 'msg_1',
      attempt: 1,
      trunk: 'main',
      to: number,
      script: { language: 'fr', code: '407218', requireKey: true },
    });
    tries[0]?.ring();
    expect(await sent).toEqual({
      kind: 'accepted',
      providerMessageId: 'msg_1.1',
      reference: 'voice/main msg_1',
      parts: 0,
      tariff: {
        version: '1',
        validFrom: Date.parse('2026-01-01T00:00:00Z'),
        currency: 'DZD',
        amountPerPart: '6.00',
        charged: 'answer',
        unitSeconds: 60,
        minimumSeconds: 30,
      },
      call: report(),
    });
  });

  it('is one part where the tariff does not charge time', async () => {
    const [tariff] = trunkConfig().tariff;
    const { tries, send, turn } = setUp([trunkConfig({ tariff: tariff ? [{ ...tariff, charged: 'delivery' }] : [] })]);
    const sent = send();
    await turn();
    tries[0]?.ring();
    expect(await sent).toMatchObject({ parts: 1, tariff: { charged: 'delivery' } });
  });

  it('in English is spoken in the language of the account', async () => {
    const { tries, send, turn } = setUp();
    void send({ language: 'en' });
    await turn();
    expect(tries[0]?.request.script.language).toBe('fr');
  });

  it('is reported when it is answered, when it is heard, and when it is over', async () => {
    const { tries, send, turn, answered, receipts, now, words, channel } = setUp();
    const sent = send();
    await turn();
    tries[0]?.ring();
    await sent;
    const up = report({ state: 'answered', ringMs: 4000, answeredAt: now(), sipCode: 200 });
    tries[0]?.listener.answered(up, now() + 120_000);
    await turn();
    const accepted = expect.objectContaining({ kind: 'accepted', providerMessageId: 'msg_1.1', call: report() });
    expect(answered).toEqual([
      { accountId: 'acc_1', sessionId: 'ses_1', messageId: 'msg_1', call: up, holdUntil: now() + 125_000, accepted },
    ]);
    const heard = report({ ...up, state: 'heard', keys: 1, readings: 1 });
    tries[0]?.listener.heard(heard);
    await turn();
    expect(receipts).toEqual([
      {
        operator: 'voice',
        references: ['voice/main msg_1'],
        number,
        accepted,
        receipt: {
          status: 'DELIVRD',
          providerStatus: 'heard',
          detail: 'answered',
          errorCode: null,
          operatorTimestamp: null,
          receivedAt: now(),
          providerMessageId: 'msg_1.1',
          operatorAmount: null,
          raw: 'trunk:main state:heard sip:200',
          call: heard,
        },
      },
    ]);
    expect(channel.calls).toBe(1);
    tries[0]?.listener.ended(report({ ...heard, readings: 2, talkSeconds: 31, ended: true, q850: 16 }));
    await turn();
    expect(receipts[1]?.receipt).toMatchObject({
      status: 'DELIVRD',
      detail: 'answered',
      raw: 'trunk:main state:heard sip:200 q850:16 talk:31s',
      call: { ended: true, talkSeconds: 31 },
    });
    expect(words).toEqual([['main', 'heard']]);
    expect(channel.calls).toBe(0);
  });

  it.each([
    ['no_answer', 487, 'UNDELIV', '487'],
    ['busy', 486, 'UNDELIV', '486'],
    ['rejected', 603, 'REJECTD', '603'],
    ['no_key', 200, 'UNDELIV', null],
    ['hung_up', 200, 'UNDELIV', null],
    ['canceled', null, 'UNDELIV', null],
  ] as const)('that ends as %s is %3$s', async (state, sipCode, status, errorCode) => {
    const { tries, send, turn, receipts } = setUp();
    const sent = send();
    await turn();
    tries[0]?.ring();
    await sent;
    tries[0]?.listener.ended(report({ state, sipCode, ended: true, talkSeconds: 0 }));
    await turn();
    expect(receipts).toHaveLength(1);
    expect(receipts[0]?.receipt).toMatchObject({ status, providerStatus: state, errorCode, detail: null });
  });

  it('is reported in order, however often the database refuses', async () => {
    const { tries, send, turn, answered, receipts, trouble, failures, now } = setUp();
    const sent = send();
    await turn();
    tries[0]?.ring();
    await sent;
    trouble.times = 2;
    tries[0]?.listener.answered(report({ state: 'answered' }), now());
    tries[0]?.listener.ended(report({ state: 'hung_up', ended: true }));
    await until(() => receipts.length === 1, { what: 'the report' });
    expect(answered).toHaveLength(1);
    expect(failures).toHaveLength(2);
  });

  it.each([
    [
      { kind: 'not_placed', why: 'no_port' },
      { kind: 'not_sent', reason: 'no_trunk' },
    ],
    [
      { kind: 'unknown', callId: 'msg_1.1', report: report({ state: 'unreachable', ended: true }) },
      { kind: 'unknown', reason: 'timeout', call: report({ state: 'unreachable', ended: true }) },
    ],
  ] as const)('that came to %j is not tried by another trunk', async (placed, outcome) => {
    const { tries, send, turn, channel } = setUp(two);
    const sent = send({ route });
    await turn();
    tries[0]?.settle(placed);
    expect(await sent).toEqual(outcome);
    expect(tries).toHaveLength(1);
    expect(channel.trunk('main')?.calls).toBe(0);
    expect(channel.calls).toBe(0);
  });
});

describe('another trunk', () => {
  it.each([503, 500, 502, 504, 401, 402, 403, 407, 415, 488])('is tried after %i', async (status) => {
    const { tries, send, turn, channel } = setUp(two);
    const sent = send({ route });
    await turn();
    tries[0]?.refuse(status);
    await turn();
    expect(tries.map(({ request }) => [request.trunk, request.attempt])).toEqual([
      ['main', 1],
      ['spare', 2],
    ]);
    expect(channel.trunk('main')?.calls).toBe(0);
    tries[1]?.ring();
    expect(await sent).toMatchObject({ kind: 'accepted', providerMessageId: 'msg_1.2', call: { trunk: 'spare' } });
  });

  it('is not tried after a 500 whose cause says that nobody took the phone', async () => {
    const { tries, send, turn } = setUp(two);
    const sent = send({ route });
    await turn();
    tries[0]?.refuse(500, { q850: 19 });
    await turn();
    expect(tries).toHaveLength(1);
    expect(await sent).toMatchObject({ kind: 'rejected', errorCode: '500' });
  });

  it.each([486, 600, 480, 404, 410, 484, 603, 302])('is not tried after %i', async (status) => {
    const { tries, send, turn } = setUp(two);
    const sent = send({ route });
    await turn();
    tries[0]?.refuse(status, { state: 'busy' });
    const call = expect.objectContaining({ state: 'busy', trunk: 'main' });
    expect(await sent).toEqual({ kind: 'rejected', reason: 'submit_refused', errorCode: String(status), call });
    expect(tries).toHaveLength(1);
  });

  it('is tried where the first could not be reached, and that one is left alone', async () => {
    const { tries, send, turn, channel, pass } = setUp(two);
    const sent = send({ route });
    await turn();
    tries[0]?.settle({ kind: 'not_placed', why: 'trunk' });
    await turn();
    expect(channel.trunk('main')?.isUp).toBe(false);
    tries[1]?.settle({ kind: 'not_placed', why: 'trunk' });
    expect(await sent).toEqual({ kind: 'not_sent', reason: 'no_trunk' });
    expect(channel.canSend(route)).toBe(false);
    pass(5_000);
    expect(channel.canSend(route)).toBe(true);
  });

  it('keeps the refusal of the first where it cannot be reached', async () => {
    const { tries, send, turn } = setUp(two);
    const sent = send({ route });
    await turn();
    tries[0]?.refuse(503);
    await turn();
    tries[1]?.settle({ kind: 'not_placed', why: 'trunk' });
    expect(await sent).toMatchObject({ kind: 'rejected', errorCode: '503', call: { trunk: 'main' } });
  });

  it('is waited for where it has a free channel, and its rate is spent', async () => {
    const { tries, send, turn, channel, pass } = setUp([
      trunkConfig(),
      trunkConfig({ name: 'spare', callsPerSecond: 10 }),
    ]);
    channel.trunk('spare')?.reserveNow()?.begin();
    const sent = send({ route });
    await turn();
    tries[0]?.refuse(503);
    await turn();
    expect(tries).toHaveLength(1);
    pass(100);
    await until(() => tries.length === 2, { what: 'the call by the other trunk' });
    tries[1]?.ring();
    expect(await sent).toMatchObject({ kind: 'accepted', call: { trunk: 'spare' } });
  });

  it('is waited for until the leg is over', async () => {
    const { tries, send, turn, channel, pass } = setUp([
      trunkConfig(),
      trunkConfig({ name: 'spare', callsPerSecond: 10, channels: 2 }),
    ]);
    channel.trunk('spare')?.reserveNow()?.begin();
    const sent = send({ route });
    await turn();
    tries[0]?.refuse(503);
    await turn();
    channel.cancel('msg_1', 'leg_over');
    expect(await sent).toMatchObject({ kind: 'rejected', errorCode: '503' });
    pass(1_000);
    expect([tries.length, channel.trunk('spare')?.reserveNow()?.trunk.name]).toEqual([1, 'spare']);
  });

  it('is passed over where it has no free channel', async () => {
    const { tries, send, turn, channel } = setUp([trunkConfig(), trunkConfig({ name: 'spare', channels: 1 })]);
    channel.trunk('spare')?.reserveNow()?.begin();
    const sent = send({ route });
    await turn();
    tries[0]?.refuse(503);
    expect(await sent).toMatchObject({ kind: 'rejected', errorCode: '503' });
    expect(tries).toHaveLength(1);
  });

  it('is where a call begins while the first has no free channel; the first is its second choice', async () => {
    const { tries, send, turn, channel } = setUp([trunkConfig({ channels: 1 }), trunkConfig({ name: 'spare' })]);
    const end = channel.trunk('main')?.reserveNow()?.begin();
    const sent = send({ route });
    await turn();
    end?.();
    tries[0]?.refuse(503);
    await turn();
    expect(tries.map(({ request }) => request.trunk)).toEqual(['spare', 'main']);
    tries[1]?.ring();
    await sent;
  });

  it('is tried no more once the call was stopped', async () => {
    const { tries, send, turn, channel, ends } = setUp(two);
    const sent = send({ route });
    await turn();
    channel.cancel('msg_1', 'leg_over');
    expect(ends).toEqual([['msg_1', 'if_ringing']]);
    tries[0]?.refuse(503);
    expect(await sent).toMatchObject({ kind: 'rejected', errorCode: '503' });
    expect(tries).toHaveLength(1);
  });

  it('serves while the first asked to be left alone', async () => {
    const { tries, send, turn, channel, pass } = setUp(two);
    const sent = send({ route });
    await turn();
    tries[0]?.refuse(503, { retryAfterSeconds: 60 });
    await turn();
    tries[1]?.ring();
    await sent;
    expect(channel.trunk('main')?.isUp).toBe(false);
    const next = send({ route, id: 'msg_2' });
    await turn();
    expect(tries[2]?.request).toMatchObject({ trunk: 'spare', attempt: 1 });
    tries[2]?.ring();
    await next;
    pass(60_000);
    expect(channel.trunk('main')?.isUp).toBe(true);
  });
});

describe('stopping', () => {
  it.each([
    ['leg_over', 'if_ringing'],
    ['delivered_elsewhere', 'if_ringing'],
    ['session_over', 'after_phrase'],
  ] as const)('because of %s ends the call %s', async (why, how) => {
    const { tries, send, turn, channel, ends } = setUp();
    const sent = send();
    await turn();
    tries[0]?.ring();
    await sent;
    channel.cancel('msg_1', why);
    channel.cancel('msg_2', why);
    expect(ends).toEqual([['msg_1', how]]);
  });

  it('before it rang withdraws the message, where the trunk confirms it and the process goes on', async () => {
    const { tries, send, turn, channel, ends } = setUp();
    const canceled = { state: 'canceled' } as const;
    const sent = send();
    await turn();
    channel.cancel('msg_1', 'session_over');
    tries[0]?.refuse(487, canceled);
    expect(await sent).toEqual({ kind: 'not_sent', reason: 'leg_over' });
    const unsure = send();
    await turn();
    channel.cancel('msg_1', 'session_over');
    tries[1]?.refuse(0, canceled);
    expect(await unsure).toMatchObject({ kind: 'rejected' });
    const drained = send();
    await turn();
    void channel.drain(0);
    await until(() => ends.at(-1)?.[1] === 'now', { what: 'the call to be ended' });
    expect(ends.at(-1)).toEqual(['msg_1', 'now']);
    tries[2]?.refuse(487, canceled);
    expect(await drained).toMatchObject({ kind: 'rejected', call: canceled });
  });
});

describe('a channel that drains', () => {
  it('takes no new calls and waits for those under way, and for their reports', async () => {
    const { tries, send, turn, channel, ends, receipts, trouble } = setUp();
    const sent = send();
    await turn();
    tries[0]?.ring();
    await sent;
    const drained = channel.drain(60_000);
    expect(channel.canSend('voice/main')).toBe(false);
    expect(channel.routes()).toEqual([]);
    expect(await channel.reserve('voice/main', new AbortController().signal)).toBeNull();
    trouble.times = 1;
    tries[0]?.listener.ended(report({ state: 'heard', ended: true, talkSeconds: 20 }));
    await drained;
    expect(receipts).toHaveLength(1);
    expect(ends).toEqual([]);
  });

  it('takes no call by a place that was found before', async () => {
    const { tries, channel, abort } = setUp([trunkConfig({ channels: 1 })]);
    const place = await channel.reserve('voice/main', abort.signal);
    await channel.drain(60_000);
    expect(await place?.send(message())).toEqual({ kind: 'not_sent', reason: 'draining' });
    expect(tries).toHaveLength(0);
  });

  it('is not held up by a call that a fault of ours broke off', async () => {
    const { send, turn, channel, refuse } = setUp();
    refuse.with = new Error('a fault');
    await expect(send()).rejects.toThrow('a fault');
    await turn();
    expect([channel.calls, channel.trunk('main')?.calls]).toEqual([0, 0]);
    await channel.drain(60_000);
  });

  it('ends what is left when the time is up', async () => {
    const { tries, send, turn, channel, ends } = setUp();
    const sent = send();
    await turn();
    tries[0]?.ring();
    await sent;
    const drained = channel.drain(1);
    await until(() => ends.length > 0, { what: 'the call to be ended' });
    expect(ends).toEqual([['msg_1', 'now']]);
    tries[0]?.listener.ended(report({ state: 'canceled', ended: true }));
    await drained;
  });

  it('lets a call that is still being placed come to its end', async () => {
    const { tries, send, turn, channel } = setUp(two);
    const sent = send({ route });
    await turn();
    const drained = channel.drain(60_000);
    tries[0]?.refuse(503);
    expect(await sent).toMatchObject({ kind: 'rejected' });
    await drained;
    expect(tries).toHaveLength(1);
  });
});
