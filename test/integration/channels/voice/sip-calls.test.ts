// The voice channel over real sockets: SIP to a trunk that shares no code with us, and the sound of short clips from the media thread.

import { networkInterfaces } from 'node:os';
import { afterEach, expect, test } from 'vitest';
import type { AnsweredCall, CarrierReceipt, OutgoingMessage, SendOutcome } from '../../../../src/channels/channel.ts';
import { type Banks, clipNames } from '../../../../src/channels/voice/clip.ts';
import { Media, type MediaEvent } from '../../../../src/channels/voice/media/media.ts';
import { SipCaller } from '../../../../src/channels/voice/sip-caller.ts';
import { VoiceChannel } from '../../../../src/channels/voice/voice.ts';
import type { TrunkConfig } from '../../../../src/config.ts';
import type { Resolver } from '../../../../src/sip/locate.ts';
import { until } from '../../../support/wait.ts';
import { message, trunkConfig } from '../../../unit/channels/voice/support.ts';
import { Callee, type Phone, type Script } from './callee.ts';

/** Each clip lasts two frames, so that a call takes as long as its pauses. */
const bank = new Map(clipNames.map((name, index) => [name, new Uint8Array(320).fill(index + 1)]));
const banks: Banks = new Map([['fr', bank]]);

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function callee(script: Script): Promise<Callee> {
  const opened = await Callee.open(script);
  open.push(() => opened.close());
  return opened;
}

const trunkTo = (at: Callee, change: Partial<TrunkConfig> = {}): TrunkConfig =>
  trunkConfig({ address: at.address, ...change });

interface Times {
  /** Timer T1 of SIP; a trunk that says nothing is given up after 64 times as long. */
  t1Ms?: number;
  mediaLostMs?: number;
}

/** A name with two addresses, as lookups list them: that of IPv6 first. */
const bothFamilies: Resolver = {
  srv: async () => [],
  addresses: async () => ['::1', '127.0.0.1'],
};

async function setUp(trunks: readonly TrunkConfig[], { t1Ms = 500, mediaLostMs = 20_000 }: Times = {}) {
  const receipts: CarrierReceipt[] = [];
  const answered: AnsweredCall[] = [];
  const states: [string, boolean, string][] = [];
  const media = new Media({
    address: '127.0.0.1',
    // Apart from those that `somePorts` gives, and below the ephemeral ones.
    ports: { from: 30_800, to: 32_699 },
    banks,
    mediaLostMs,
    onEvent: (callId: string, event: MediaEvent) => caller.hear(callId, event),
    onThreadLost: () => {},
  });
  const caller: SipCaller = new SipCaller({
    media,
    advertise: null,
    boundTo: '0.0.0.0',
    now: Date.now,
    endpoint: { t1Ms, resolver: bothFamilies },
    onTrunk: (trunk, isUp, why) => {
      states.push([trunk, isUp, why]);
      channel.trunk(trunk)?.setUp(isUp);
    },
  });
  const channel: VoiceChannel = new VoiceChannel({
    caller,
    requireKey: () => true,
    spokenLanguage: async () => 'fr',
    intake: {
      take: async (receipt) => void receipts.push(receipt),
      takeAnswered: async (each) => void answered.push(each),
    },
    now: Date.now,
    onError: (error) => {
      throw error;
    },
  });
  open.push(async () => {
    await caller.close();
    await media.stop();
  });
  const configure = async (configs: readonly TrunkConfig[]) => {
    channel.configure(configs);
    for (const [name, count] of channel.bindCounts()) {
      await channel.setSlots(
        name,
        Array.from({ length: count }, (_, slot) => slot),
      );
    }
  };
  await configure(trunks);
  for (const trunk of trunks) caller.connect(trunk);
  let next = 0;
  const send = async (change: Partial<OutgoingMessage> = {}): Promise<SendOutcome> => {
    const route = `voice/${trunks.map(({ name }) => name).join('+')}`;
    const place = await channel.reserve(route, new AbortController().signal);
    if (!place) throw new Error('no place');
    next += 1;
    return place.send(message({ id: `msg_${next}`, route, ...change }));
  };
  const last = () =>
    until(() => receipts.findLast(({ receipt }) => receipt.call?.ended), { what: 'the last report of the call' });
  return { channel, caller, media, receipts, answered, states, send, configure, last };
}

const ringing: Script = (phone) => phone.ring();
const picksUp: Script = (phone) => {
  phone.ring();
  void phone.pickUp();
};
const firstOf = (at: Callee): Promise<Phone> => until(() => at.phones[0], { what: 'an INVITE' });

test('a person who answers and presses a key hears the code', async () => {
  const trunk = await callee(picksUp);
  const { send, answered, receipts, last, channel } = await setUp([
    trunkTo(trunk, { callerId: '+213210000000', assertedIdentity: '021000000', numberFormat: 'double_zero' }),
  ]);
  expect(await send({ code: '40' })).toMatchObject({
    kind: 'accepted',
    reference: 'voice/main msg_1',
    call: { state: 'ringing', trunk: 'main', ended: false },
  });
  const phone = await firstOf(trunk);
  expect(phone.uri).toBe(`sip:00213550000001@127.0.0.1:${trunk.port}`);
  expect(phone.header('from')).toContain('<sip:+213210000000@127.0.0.1>');
  expect(phone.header('p-asserted-identity')).toBe('<sip:021000000@127.0.0.1>');
  expect(phone.callId).toMatch(/^msg_1\.1\.[0-9a-f]{16}$/);
  const [call] = await until(() => answered.length > 0 && answered, { what: 'the answer' });
  expect(call).toMatchObject({ messageId: 'msg_1', call: { state: 'answered', sipCode: 200, ended: false } });
  expect(call?.holdUntil).toBe((call?.call.answeredAt ?? 0) + 125_000);
  await until(() => phone.heard.length > 0, { what: 'sound' });
  phone.press(5);
  const [heard] = await until(() => receipts.length > 0 && receipts, { what: 'the first report' });
  expect(heard?.receipt).toMatchObject({
    status: 'DELIVRD',
    detail: 'answered',
    call: { state: 'heard', keys: 1, readings: 1, talkSeconds: null, ended: false },
  });
  expect(trunk.methods).toEqual(['INVITE', 'ACK']);
  phone.ask('BYE', ['Reason: Q.850;cause=16']);
  const over = await last();
  expect(over.receipt).toMatchObject({
    status: 'DELIVRD',
    providerStatus: 'heard',
    call: { state: 'heard', keys: 1, q850: 16, sipCode: 200, ended: true },
  });
  expect(over.receipt.call?.talkSeconds).toBeGreaterThan(0);
  await until(() => channel.calls === 0, { what: 'the end of the call' });
  expect(channel.trunk('main')?.calls).toBe(0);
});

test('a key by INFO counts as well', async () => {
  const trunk = await callee(picksUp);
  const { send, answered, receipts } = await setUp([trunkTo(trunk)]);
  await send({ code: '4' });
  await until(() => answered.length > 0, { what: 'the answer' });
  const phone = await firstOf(trunk);
  await until(() => phone.heard.length > 0, { what: 'sound' });
  phone.ask('INFO', ['Content-Type: application/dtmf-relay'], 'Signal=5\r\nDuration=160\r\n');
  await until(() => receipts.length > 0, { what: 'the first report' });
  expect(receipts[0]?.receipt.call).toMatchObject({ state: 'heard', keys: 1 });
});

test.each([
  [486, 'busy', 'Q.850;cause=17', 17],
  [480, 'no_answer', 'Q.850;cause=19', 19],
  [603, 'rejected', '', null],
  [404, 'unreachable', 'Q.850;cause=1', 1],
])('a phone that answers %i before it rings is %s', async (status, state, reason, q850) => {
  const trunk = await callee((phone) => phone.answer(status, reason ? [`Reason: ${reason}`] : []));
  const { send, channel } = await setUp([trunkTo(trunk)]);
  expect(await send()).toMatchObject({
    kind: 'rejected',
    reason: 'submit_refused',
    errorCode: String(status),
    call: { state, sipCode: status, q850, talkSeconds: 0, ended: true },
  });
  await until(() => trunk.methods.length === 2, { what: 'the ACK' });
  expect(trunk.methods).toEqual(['INVITE', 'ACK']);
  expect(channel.calls).toBe(0);
});

test.each([
  [486, 'busy', 'UNDELIV'],
  [603, 'rejected', 'REJECTD'],
])('a phone that answers %i after it rang is reported as %s', async (status, state, word) => {
  const trunk = await callee((phone) => {
    phone.ring();
    phone.answer(status);
  });
  const { send, last } = await setUp([trunkTo(trunk)]);
  expect(await send()).toMatchObject({ kind: 'accepted' });
  expect((await last()).receipt).toMatchObject({ status: word, providerStatus: state, errorCode: String(status) });
});

test('a trunk that answers 503 is followed by the next one, by a call of another id, and is left alone', async () => {
  const [full, spare] = [await callee((phone) => phone.answer(503, ['Retry-After: 60'])), await callee(ringing)];
  const { send, channel } = await setUp([trunkTo(full), trunkTo(spare, { name: 'spare' })]);
  const outcome = await send();
  expect(outcome).toMatchObject({ kind: 'accepted', call: { trunk: 'spare' } });
  const [first, second] = [await firstOf(full), await firstOf(spare)];
  expect(first.callId).toMatch(/^msg_1\.1\./);
  expect(second.callId).toMatch(/^msg_1\.2\./);
  expect(channel.trunk('main')?.isUp).toBe(false);
  await send({ id: 'msg_9' });
  expect(full.phones).toHaveLength(1);
  expect(spare.phones).toHaveLength(2);
});

test('a phone that is picked up without audio is hung up and costs a second, and no other trunk rings it again', async () => {
  const withoutAudio: Script = (phone) => phone.pickUpWithoutAudio();
  const [silent, spare] = [await callee(withoutAudio), await callee(ringing)];
  const { send, last, answered } = await setUp([trunkTo(silent), trunkTo(spare, { name: 'spare' })]);
  expect(await send()).toMatchObject({ kind: 'accepted', call: { state: 'ringing', answeredAt: null } });
  expect((await last()).receipt).toMatchObject({
    status: 'UNDELIV',
    providerStatus: 'media_lost',
    errorCode: null,
    call: { sipCode: 200, answeredAt: expect.any(Number), talkSeconds: 1, ended: true },
  });
  expect(silent.methods).toEqual(['INVITE', 'ACK', 'BYE']);
  expect([spare.phones, answered]).toEqual([[], []]);
});

test.each([true, false])(
  'a phone that is picked up as the call is given up costs a second, ringing told: %s',
  async (rings) => {
    const trunk = await callee((phone) => {
      phone.onCancel = () => void phone.pickUp();
      phone.answer(rings ? 180 : 100);
    });
    const { send, last, channel } = await setUp([trunkTo(trunk, { ringSeconds: 1 })]);
    expect(await send()).toMatchObject({ kind: 'accepted' });
    expect((await last()).receipt).toMatchObject({
      status: 'UNDELIV',
      providerStatus: 'no_answer',
      call: { sipCode: 200, answeredAt: expect.any(Number), talkSeconds: 1, ended: true },
    });
    expect(trunk.methods).toEqual(['INVITE', 'CANCEL', 'ACK', 'BYE']);
    expect(channel.trunk('main')?.calls).toBe(0);
  },
);

test('a trunk whose port is closed is followed by the next one', async () => {
  const [gone, spare] = [await Callee.open(), await callee(ringing)];
  const address = gone.address;
  await gone.close();
  const { send, channel } = await setUp([trunkConfig({ address }), trunkTo(spare, { name: 'spare' })]);
  expect(await send()).toMatchObject({ kind: 'accepted', call: { trunk: 'spare' } });
  expect(channel.trunk('main')?.isUp).toBe(false);
});

const hasIpv6 = Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === '::1'));

test.skipIf(!hasIpv6)('a trunk of both families is called by the one that the sound is bound to', async () => {
  const four = await callee(ringing);
  const six = await Callee.open((phone) => phone.answer(486), { host: '::1', port: four.port });
  open.push(() => six.close());
  const { send } = await setUp([
    trunkConfig({ address: `trunk.example:${four.port}`, local: { host: '0.0.0.0', port: 0 } }),
  ]);
  expect(await send()).toMatchObject({ kind: 'accepted', call: { state: 'ringing' } });
  expect((await firstOf(four)).offer).toContain('c=IN IP4 127.0.0.1\r\n');
  expect(six.methods).toEqual([]);
});

test('a phone that nobody answers stops ringing at its time', async () => {
  const trunk = await callee(ringing);
  const { send, last } = await setUp([trunkTo(trunk, { ringSeconds: 1 })]);
  await send();
  const { receipt } = await last();
  expect(receipt).toMatchObject({ status: 'UNDELIV', providerStatus: 'no_answer', call: { talkSeconds: 0 } });
  expect(receipt.call?.ringMs).toBeGreaterThanOrEqual(1_000);
  expect(trunk.methods.slice(0, 2)).toEqual(['INVITE', 'CANCEL']);
});

test.each(['leg_over', 'delivered_elsewhere', 'session_over'] as const)(
  'ringing is stopped because of %s',
  async (why) => {
    const trunk = await callee(ringing);
    const { send, last, channel } = await setUp([trunkTo(trunk)]);
    await send();
    channel.cancel('msg_1', why);
    expect((await last()).receipt).toMatchObject({ status: 'UNDELIV', providerStatus: 'canceled' });
    expect(trunk.methods.slice(0, 2)).toEqual(['INVITE', 'CANCEL']);
  },
);

test('a call that is stopped before any answer is not tried by another trunk', async () => {
  const [silent, spare] = [await callee(() => {}), await callee(ringing)];
  const { send, channel } = await setUp([trunkTo(silent), trunkTo(spare, { name: 'spare' })]);
  const sent = send();
  const phone = await firstOf(silent);
  channel.cancel('msg_1', 'session_over');
  phone.answer(503);
  expect(await sent).toMatchObject({ kind: 'rejected' });
  expect(spare.phones).toHaveLength(0);
});

const asks = 'Proxy-Authenticate: Digest realm="trunk", nonce="n1", qop="auth"';
const credentials = { username: 'ramz', password: 'secret' };
/** Asks for them only once the call is canceled. */
const asksAtLast: Script = (phone) => {
  phone.onCancel = () => phone.answer(407, [asks]);
  phone.answer(100);
};
/** Our ACK is sent before the call's end is told, and arrives behind it. */
const acknowledged = (at: Callee) => until(() => at.methods.includes('ACK'), { what: 'our ACK' });

test('a call that is given up while its trunk asks for credentials rang nowhere: its message was not sent', async () => {
  const [trunk, spare] = [await callee(asksAtLast), await callee(ringing)];
  const { send, channel } = await setUp([trunkTo(trunk, credentials), trunkTo(spare, { name: 'spare' })]);
  const sent = send();
  await firstOf(trunk);
  const drained = channel.drain(0);
  expect(await sent).toEqual({ kind: 'not_sent', reason: 'leg_over' });
  await acknowledged(trunk);
  expect([trunk.methods, spare.phones]).toEqual([['INVITE', 'CANCEL', 'ACK'], []]);
  expect(channel.trunk('main')).toMatchObject({ isUp: true, calls: 0 });
  await drained;
});

test('a trunk that asks for credentials once the ring time is over is followed by the next one', async () => {
  const [slow, spare] = [await callee(asksAtLast), await callee(ringing)];
  const trunks = [trunkTo(slow, { ...credentials, ringSeconds: 1 }), trunkTo(spare, { name: 'spare' })];
  const { send, channel } = await setUp(trunks);
  expect(await send()).toMatchObject({ kind: 'accepted', call: { trunk: 'spare' } });
  await acknowledged(slow);
  expect(slow.methods).toEqual(['INVITE', 'CANCEL', 'ACK']);
  expect(channel.trunk('main')).toMatchObject({ isUp: false, calls: 0 });
});

test('a call that was answered goes on when another leg delivered, and ends after the phrase with its session', async () => {
  const trunk = await callee(picksUp);
  const { send, answered, last, channel } = await setUp([trunkTo(trunk)]);
  await send();
  await until(() => answered.length > 0, { what: 'the answer' });
  const phone = await firstOf(trunk);
  await until(() => phone.heard.length > 0, { what: 'sound' });
  channel.cancel('msg_1', 'delivered_elsewhere');
  phone.press(1);
  await until(() => phone.heard.length > 20, { what: 'more sound' });
  expect(trunk.methods).toEqual(['INVITE', 'ACK']);
  channel.cancel('msg_1', 'session_over');
  expect((await last()).receipt).toMatchObject({ status: 'UNDELIV', providerStatus: 'canceled', call: { keys: 1 } });
  expect(trunk.methods).toEqual(['INVITE', 'ACK', 'BYE']);
});

test('a callee who hangs up before the code was heard has hung up', async () => {
  const trunk = await callee(picksUp);
  const { send, answered, last } = await setUp([trunkTo(trunk)]);
  await send();
  await until(() => answered.length > 0, { what: 'the answer' });
  (await firstOf(trunk)).ask('BYE');
  expect((await last()).receipt).toMatchObject({
    status: 'UNDELIV',
    providerStatus: 'hung_up',
    errorCode: null,
    call: { talkSeconds: expect.toSatisfy((seconds: number) => seconds >= 1), keys: 0, readings: 0 },
  });
});

test('a trunk that says nothing leaves the call unknown, and no other trunk is tried', async () => {
  const [silent, spare] = [await callee(() => {}), await callee(ringing)];
  const { send, channel } = await setUp([trunkTo(silent), trunkTo(spare, { name: 'spare' })], { t1Ms: 10 });
  expect(await send()).toMatchObject({ kind: 'unknown', reason: 'timeout', call: { sipCode: null, ended: true } });
  expect(spare.phones).toHaveLength(0);
  expect(channel.trunk('main')?.calls).toBe(0);
});

test('an answered call from which no sound comes is hung up', async () => {
  const trunk = await callee(picksUp);
  const { send, last } = await setUp([trunkTo(trunk)], { mediaLostMs: 300 });
  await send();
  expect((await last()).receipt).toMatchObject({ status: 'UNDELIV', providerStatus: 'media_lost' });
  expect(trunk.methods).toEqual(['INVITE', 'ACK', 'BYE']);
});

test('a phone that holds hears silence, and the code once it listens again', async () => {
  const trunk = await callee(picksUp);
  const { send, answered, receipts } = await setUp([trunkTo(trunk)]);
  await send({ code: '4' });
  await until(() => answered.length > 0, { what: 'the answer' });
  const phone = await firstOf(trunk);
  await until(() => phone.heard.length > 0, { what: 'sound' });
  phone.reInvite('sendonly');
  await until(() => phone.answers.some(({ first }) => first.startsWith('SIP/2.0 200')), { what: 'the answer to it' });
  expect(phone.answers.at(-1)?.body).toContain('a=recvonly');
  const before = phone.heard.length;
  phone.press(5);
  // A reading of one digit takes 37 packets of 20 ms.
  await until(() => phone.heard.length > before + 80, { what: 'silence' });
  const spoken = () => phone.heard.some((packet) => packet[12] === bank.get('4')?.[0]);
  expect(spoken()).toBe(false);
  phone.reInvite('sendrecv');
  await until(spoken, { what: 'the digit' });
  await until(() => receipts.length > 0, { what: 'the code heard' });
  expect(receipts[0]?.receipt.call).toMatchObject({ state: 'heard', keys: 1 });
});

test('a drain ends what is up when its time is over, and its last report is stored', async () => {
  const trunk = await callee(picksUp);
  const { send, answered, receipts, channel } = await setUp([trunkTo(trunk)]);
  await send();
  await until(() => answered.length > 0, { what: 'the answer' });
  await channel.drain(50);
  expect(receipts.at(-1)?.receipt).toMatchObject({ providerStatus: 'canceled', call: { ended: true } });
  expect(trunk.methods).toEqual(['INVITE', 'ACK', 'BYE']);
});

test('a reload drains a trunk whose address changed: its call goes on, new ones use the new address', async () => {
  const [before, after] = [await callee(ringing), await callee(ringing)];
  const { send, channel, caller, configure, last } = await setUp([trunkTo(before)]);
  await send();
  await configure([trunkTo(after)]);
  caller.connect(trunkTo(after));
  await until(
    async () => {
      const outcome = await send();
      return outcome.kind === 'accepted';
    },
    { what: 'a call by the new address' },
  );
  expect(after.phones).toHaveLength(1);
  expect(channel.trunk('main')?.calls).toBe(2);
  (await firstOf(before)).answer(486);
  expect((await last()).receipt).toMatchObject({ providerStatus: 'busy' });
  expect(before.phones).toHaveLength(1);
});

test('a line whose port the old one still has opens once that is closed', async () => {
  const [before, after, probe] = [await callee(ringing), await callee(ringing), await callee(ringing)];
  const local = { host: '127.0.0.1', port: probe.port };
  await probe.close();
  open.splice(open.length - 1, 1);
  const { send, channel, caller, configure, states } = await setUp([trunkTo(before, { local })]);
  await send();
  await configure([trunkTo(after, { local })]);
  caller.connect(trunkTo(after, { local }));
  await until(() => channel.trunk('main')?.isUp === false, { what: 'a trunk without a port' });
  expect(states[0]?.[2]).toContain("our own port can't be opened");
  (await firstOf(before)).answer(486);
  await until(() => channel.trunk('main')?.isUp, { what: 'the port' });
  expect(await send()).toMatchObject({ kind: 'accepted' });
  expect(after.phones).toHaveLength(1);
});

test('OPTIONS take a trunk out and bring it back', async () => {
  const trunk = await callee(ringing);
  trunk.options = 503;
  const { states, channel, caller } = await setUp([trunkTo(trunk, { optionsSeconds: 1 })]);
  await until(() => channel.trunk('main')?.isUp === false, { what: 'a trunk that is down' });
  expect(states[0]).toEqual(['main', false, expect.any(String)]);
  trunk.options = 200;
  await until(() => channel.trunk('main')?.isUp, { what: 'the trunk again' });
  trunk.options = 503;
  await until(() => channel.trunk('main')?.isUp === false, { what: 'a trunk that is down again' });
  // Asked no more, it counts as there.
  caller.configure(trunkTo(trunk, { optionsSeconds: 0 }));
  await until(() => channel.trunk('main')?.isUp, { what: 'a trunk that is not asked' });
});
