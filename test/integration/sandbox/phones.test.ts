// The sandbox's phones, called by a stranger: what each person does, what they hear, and what the trunk demands.
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { serverVoices } from '../../../src/cli/sandbox.ts';
import { scenarioNumbers } from '../../../src/core/verify/scenarios.ts';
import { Inbox } from '../../../src/sandbox/inbox.ts';
import { type Bank, DigitFinder, ownBanks, readingsOf } from '../../../src/sandbox/phones/digits.ts';
import { type Phones, type PhonesOptions, startPhones } from '../../../src/sandbox/phones/phones.ts';
import { until } from '../../support/wait.ts';
import { Caller } from './caller.ts';

const prefix = '+21355';
const numbers = scenarioNumbers(prefix);
const other = '+213551234567';

/** Ten clips of 300 ms, no two alike and none of them silent. */
const voice: Bank = {
  name: 'test',
  digits: new Map(
    [...'0123456789'].map((digit) => {
      const octets = Buffer.alloc(2_400);
      for (let at = 0; at < octets.length; at += 64)
        createHash('sha512').update(`${digit}/${at}`).digest().copy(octets, at);
      return [digit, octets];
    }),
  ),
};
const silence = (ms: number) => Buffer.alloc(ms * 8, 0xd5);
const noise = (ms: number) => Buffer.alloc(ms * 8, 'an intro that is no digit');
const spoken = (code: string) =>
  Buffer.concat([...code].flatMap((digit) => [voice.digits.get(digit) ?? silence(0), silence(400)]));

let inbox: Inbox;
let phones: Phones;
let callers: Caller[];

beforeEach(async () => {
  inbox = new Inbox();
  callers = [];
  phones = await start();
});

afterEach(async () => {
  for (const caller of callers) caller.close();
  await phones.stop();
});

async function start(options: Partial<PhonesOptions> = {}): Promise<Phones> {
  const started = await startPhones({ inbox, scenarioPrefix: prefix, banks: [voice], ...options });
  if (started.kind === 'unavailable') throw new Error(started.reason);
  return started.phones;
}

async function caller(to: string = other): Promise<Caller> {
  const made = await Caller.open(phones.port, to);
  callers.push(made);
  return made;
}

async function answeredCall(to: string = other): Promise<Caller> {
  const made = await caller(to);
  made.invite();
  await made.answered(200);
  made.ack();
  return made;
}

test('every other number rings, answers, hears, presses a key, and keeps what it heard', async () => {
  const call = await answeredCall();
  expect(call.statuses().slice(0, 3)).toEqual([100, 180, 200]);
  expect(call.response(200).body).toMatch(/m=audio \d+ RTP\/AVP 8 101/);
  expect(call.keys()).toBe('');
  await call.speak(noise(400));
  await until(() => call.keys() === '1', { what: 'the key' });
  await call.speak(Buffer.concat([silence(600), spoken('4072'), silence(1_000)]));
  const [message] = await until(() => inbox.list({ to: other })[0] && inbox.list({ to: other }), {
    what: 'the reading',
  });
  expect(message).toEqual({
    id: expect.any(String),
    call_id: expect.any(String),
    channel: 'voice',
    from: '+213210000000',
    to: other,
    text: 'call: 4 0 7 2',
    operator: null,
    received_at: expect.stringMatching(/^\d{4}-.*Z$/),
    digits: '4072',
    wav: '/sandbox/recordings/1.wav',
  });
  await call.speak(Buffer.concat([spoken('4072'), silence(1_500)]));
  await until(() => inbox.list()[0]?.text === 'call: 4 0 7 2, 4 0 7 2', { what: 'the second reading' });
  call.within('BYE');
  await until(() => call.statuses('BYE').includes(200), { what: 'the answer to BYE' });
  expect(inbox.size).toBe(1);
  expect(phones.counts).toMatchObject({ calls: 1, answered: 1, up: 0 });
});

test('a number in any form is the same phone', async () => {
  for (const form of ['+213551234567', '00213551234567', '0551234567', '213551234567', '%2B213551234567']) {
    const call = await answeredCall(form);
    call.within('BYE');
    await until(() => call.statuses('BYE').includes(200), { what: 'the end' });
  }
  expect(inbox.list({ to: other })).toHaveLength(5);
  const nobody = await caller('help');
  nobody.invite();
  await nobody.answered(404);
});

test('busy: refused with its Q.850 cause, and repeated until the ACK', async () => {
  const call = await caller(numbers.voice_busy);
  call.invite();
  const refusal = await call.answered(486);
  expect(refusal.headers.get('reason')).toBe('Q.850;cause=17;text="User busy"');
  await until(() => call.statuses().filter((status) => status === 486).length > 1, { what: 'the repetition' });
  call.ackRefusal(486);
  expect(call.statuses()).not.toContain(180);
  expect(inbox.size).toBe(0);
});

test('no answer: rings until it is canceled', async () => {
  const call = await caller(numbers.voice_no_answer);
  call.invite();
  await call.answered(180);
  call.cancel();
  await call.answered(487);
  call.ackRefusal(487);
  expect(call.statuses('CANCEL')).toEqual([200]);
  expect(phones.counts).toMatchObject({ answered: 0, up: 0 });
  expect(inbox.size).toBe(0);
  call.cancel();
  await until(() => call.statuses('CANCEL').length > 1, { what: 'the same answer again' });
});

test('hangs up: answers, and says BYE before any key', async () => {
  const call = await answeredCall(numbers.voice_hangs_up);
  await call.speak(noise(1_000));
  const [bye] = await until(() => call.requests('BYE')[0] && call.requests('BYE'), { what: 'the BYE' });
  call.answerRequest(bye!);
  expect(bye!.headers.get('reason')).toContain('cause=16');
  expect(bye!.headers.get('to')).toContain(call.fromTag);
  expect(call.keys()).toBe('');
  expect(inbox.list()).toMatchObject([{ text: 'call: no digits', digits: '' }]);
});

test('rejected: rings, then is declined', async () => {
  const call = await caller(numbers.voice_rejected);
  call.invite();
  await call.answered(603);
  call.ackRefusal(603);
  expect(call.statuses()).toEqual([100, 180, 603]);
  expect(inbox.size).toBe(0);
});

test('a voicemail box answers, presses nothing, and records until the BYE', async () => {
  const call = await answeredCall(numbers.voice_voicemail);
  await call.speak(noise(3_000));
  await until(() => phones.recordings.wav('1')?.length === 44 + 48_000, { what: 'all of it at the phone' });
  const before = call.rtp.length;
  await until(() => call.rtp.length > before + 10, { what: 'more audio of the box' });
  expect(call.keys()).toBe('');
  expect(call.requests('BYE')).toEqual([]);
  call.within('BYE');
  await until(() => inbox.size === 1, { what: 'the call in the inbox' });
  expect(inbox.list()).toMatchObject([{ text: 'call: no digits', digits: '' }]);
});

test('a repeated INVITE and a repeated BYE change nothing', async () => {
  const call = await caller();
  call.invite();
  await call.answered(180);
  call.invite({ again: true });
  await until(() => call.statuses().filter((status) => status === 180).length > 1, { what: 'the same answer again' });
  await call.answered(200);
  call.invite({ again: true });
  call.ack();
  call.within('BYE');
  await until(() => call.statuses('BYE').length === 1, { what: 'the end' });
  call.within('BYE');
  await until(() => call.statuses('BYE').length === 2, { what: 'the answer to a BYE of nothing' });
  expect(call.statuses('BYE')).toEqual([200, 481]);
  expect(phones.counts).toMatchObject({ calls: 1, answered: 1, up: 0 });
});

test('the answer is repeated until its ACK comes', async () => {
  const call = await caller();
  call.invite();
  await until(() => call.statuses().filter((status) => status === 200).length > 1, { what: 'the repetition' });
  call.ack();
  call.within('OPTIONS');
  await until(() => call.statuses('OPTIONS').includes(200), { what: 'the ACK to have been read' });
  const answers = call.statuses().filter((status) => status === 200).length;
  await call.speak(noise(400));
  await until(() => call.rtp.length > 75, { what: '1.5 s of audio' });
  expect(call.statuses().filter((status) => status === 200)).toHaveLength(answers);
});

test('phones send audio all the time, without a gap in sequence or timestamp', async () => {
  const call = await answeredCall();
  await call.speak(noise(400));
  await until(() => call.keys() === '1' && call.rtp.length > 30, { what: 'audio around a key' });
  const packets = call.rtp.slice(0, 30);
  const sequences = packets.map((packet) => packet.readUInt16BE(2));
  expect(sequences).toEqual(sequences.map((_, index) => ((sequences[0] ?? 0) + index) & 0xffff));
  expect(new Set(packets.map((packet) => packet.readUInt32BE(8))).size).toBe(1);
  const audio = packets.filter((packet) => ((packet[1] ?? 0) & 0x7f) === 8);
  expect(audio.every((packet) => packet.subarray(12).equals(silence(20)))).toBe(true);
  const first = packets[0]!.readUInt32BE(4);
  expect(audio.every((packet) => ((packet.readUInt32BE(4) - first) >>> 0) % 160 === 0)).toBe(true);
});

test('the key has the payload type that the caller named; a caller without one gets INFO', async () => {
  const named = await caller();
  named.offer = { types: '8 96', codecs: ['96 telephone-event/8000'] };
  named.invite();
  await named.answered(200);
  named.ack();
  await named.speak(noise(400));
  await until(() => named.keys(96) === '1', { what: 'the key' });

  const without = await caller();
  without.offer = { types: '0', codecs: [] };
  without.invite();
  await without.answered(200);
  without.ack();
  await without.speak(noise(400), { payloadType: 0 });
  const [info] = await until(() => without.requests('INFO')[0] && without.requests('INFO'), { what: 'the INFO' });
  expect(info).toMatchObject({ body: 'Signal=1\r\nDuration=100\r\n' });
  without.answerRequest(info!);
});

test('no codec of ours, no offer, an extension that is required, an unknown method', async () => {
  const call = await caller();
  call.offer = { types: '18', codecs: ['18 G729/8000'] };
  call.invite();
  await call.answered(488);
  call.ackRefusal(488);
  call.invite({ headers: ['Require: 100rel'] });
  expect((await call.answered(420)).headers.get('unsupported')).toBe('100rel');
  call.ackRefusal(420);
  call.ask('REGISTER');
  expect((await call.answered(405)).headers.get('allow')).toContain('INVITE');
  call.ask('OPTIONS');
  await until(() => call.statuses('OPTIONS').includes(200), { what: 'the answer to OPTIONS' });
  expect(phones.counts).toMatchObject({ calls: 0, pings: 1 });
});

test('a lost packet is a silence of its length, and the digit in it is not read', async () => {
  const call = await answeredCall();
  await call.speak(noise(400));
  await until(() => call.keys() === '1', { what: 'the key' });
  // Packets 0-19 are the intro; the second clip begins at packet 20 + 35.
  await call.speak(Buffer.concat([spoken('4072'), silence(1_500)]), { lose: [20 + 35 + 3] });
  await until(() => inbox.list()[0]?.text === 'call: 4, 7 2', { what: 'the reading' });
  expect(inbox.list()[0]?.digits).toBe('4');
});

describe('credentials', () => {
  const credentials = { username: 'ramz', password: 'secret' };
  const hash = (algorithm: string, ...parts: string[]) => createHash(algorithm).update(parts.join(':')).digest('hex');

  beforeEach(async () => {
    await phones.stop();
    phones = await start({ credentials });
  });

  async function challenged(call: Caller): Promise<{ nonce: string; challenge: string }> {
    call.invite();
    const challenge = (await call.answered(407)).headers.get('proxy-authenticate') ?? '';
    call.ackRefusal(407);
    return { challenge, nonce: /nonce="([^"]+)"/.exec(challenge)?.[1] ?? '' };
  }

  function login(
    uri: string,
    nonce: string,
    { algorithm = 'SHA-256', password = 'secret', method = 'INVITE', nc = '00000001' },
  ) {
    const name = algorithm === 'MD5' ? 'md5' : 'sha256';
    const secret = hash(name, 'ramz', 'sandbox', password);
    const response = hash(name, secret, nonce, nc, 'c0', 'auth', hash(name, method, uri));
    const fields = `username="ramz", realm="sandbox", nonce="${nonce}", uri="${uri}", response="${response}"`;
    return `Proxy-Authorization: Digest ${fields}, algorithm=${algorithm}, qop=auth, nc=${nc}, cnonce="c0"`;
  }

  test.each(['SHA-256', 'MD5'])('%s lets a call through, and its BYE', async (algorithm) => {
    const call = await caller();
    const { nonce, challenge } = await challenged(call);
    expect(challenge.match(/algorithm=[^,]+/g)).toEqual(['algorithm=SHA-256', 'algorithm=MD5']);
    call.invite({ headers: [login(call.uri, nonce, { algorithm })] });
    await call.answered(200);
    call.ack();
    call.within('BYE');
    await until(() => call.statuses('BYE').includes(407), { what: 'the challenge of the BYE' });
    call.within('BYE', [login(call.uri, nonce, { algorithm, method: 'BYE', nc: '00000002' })]);
    await until(() => call.statuses('BYE').includes(200), { what: 'the end' });
  });

  test('a wrong password is refused, and a count is good once', async () => {
    const call = await caller();
    const { nonce } = await challenged(call);
    call.invite({ headers: [login(call.uri, nonce, { password: 'guessed' })] });
    await call.answered(403);
    call.ackRefusal(403);
    const header = login(call.uri, nonce, {});
    call.invite({ headers: [header] });
    await call.answered(200);
    const other = await caller();
    other.invite({ headers: [header] });
    expect((await other.answered(407)).headers.get('proxy-authenticate')).toContain('stale=true');
  });

  test('OPTIONS needs none', async () => {
    const call = await caller();
    call.ask('OPTIONS');
    await until(() => call.statuses('OPTIONS').includes(200), { what: 'the answer' });
  });
});

test('the trunk can fall silent, go, refuse, delay, and come back', async () => {
  const { port } = phones;
  await phones.become('silent');
  const call = await caller();
  call.invite();
  const late = await caller();
  await phones.become('gone');
  await phones.become('up');
  expect(phones.port).toBe(port);
  late.invite();
  await late.answered(180);
  expect(call.seen).toEqual([]);

  phones.faults.refuseCalls(1, 503, 7);
  call.invite({ again: true });
  expect((await call.answered(503)).headers.get('retry-after')).toBe('7');
  call.ackRefusal(503);
  phones.faults.delayMs = 5_000; // Longer than OPTIONS may take on a busy machine.
  call.invite();
  call.ask('OPTIONS');
  await until(() => call.statuses('OPTIONS').includes(200), { what: 'the answer to OPTIONS' });
  expect(call.statuses()).toEqual([503]);
  await call.answered(180);
});

test('a muted phone sends nothing; people press and hang up on demand', async () => {
  phones.faults.muted = true;
  const call = await answeredCall();
  expect(phones.press(other, '5')).toBe(true);
  // A call by another trunk, which is not muted, shows that time has passed.
  const others = await start();
  const heard = await Caller.open(others.port, other);
  callers.push(heard);
  heard.invite();
  await heard.answered(200);
  heard.ack();
  await until(() => heard.rtp.length > 10, { what: 'audio of the other call' });
  expect(call.rtp).toEqual([]);
  await others.stop();
  await phones.reset();
  phones.press(other, '7');
  await until(() => call.keys() === '7', { what: 'the key' });
  expect(phones.hangUp('+213551111111')).toBe(false);
  expect(phones.hangUp(other)).toBe(true);
  await until(() => call.requests('BYE').length > 0, { what: 'the BYE' });
  call.answerRequest(call.requests('BYE')[0]!);
});

test('a taken port is an error; a stop in the middle of a call leaves nothing', async () => {
  await expect(start({ port: phones.port })).rejects.toThrow(/EADDRINUSE/);
  await answeredCall();
  const ringing = await caller(numbers.voice_no_answer);
  ringing.invite();
  await ringing.answered(180);
  await phones.stop();
  for (const caller of callers.splice(0)) caller.close();
  const left = () => process.getActiveResourcesInfo().filter((name) => name.startsWith('UDP'));
  await until(() => left().length === 0, { what: 'no socket to be left' });
});

test('200 phones at once: each presses, hears its own code, and ends', async () => {
  const codes = Array.from({ length: 200 }, (_, index) => String(100_000 + index * 37));
  const calls = await Promise.all(codes.map((_, index) => caller(`+21366${String(1_000_000 + index)}`)));
  for (const call of calls) call.invite();
  // So many at once overflow the trunk's receive buffer: callers repeat over UDP.
  const repeat = () => {
    const waiting = calls.filter((call) => !call.statuses().includes(200));
    for (const call of waiting) call.invite({ again: true });
    return waiting.length === 0;
  };
  await until(repeat, { what: 'every answer', everyMs: 500 });
  for (const call of calls) call.ack();
  await Promise.all(calls.map((call) => call.speak(noise(400))));
  await until(() => calls.every((call) => call.keys() === '1'), { what: 'every key' });
  await Promise.all(calls.map((call, index) => call.speak(Buffer.concat([spoken(codes[index]!), silence(1_500)]))));
  await until(() => inbox.size === 200, { what: 'every reading' });
  const hangUp = () => {
    const waiting = calls.filter((call) => !call.statuses('BYE').includes(200));
    for (const call of waiting) call.within('BYE');
    return waiting.length === 0;
  };
  await until(hangUp, { what: 'the end of all', everyMs: 500 });
  expect(phones.counts).toMatchObject({ calls: 200, peak_up: 200 });
  const heard = calls.map((_, index) => inbox.list({ to: `+21366${1_000_000 + index}` })[0]?.digits);
  expect(heard).toEqual(codes);
});

test('a caller that stood still leaves out time, not sound: its digits are one reading', async () => {
  const call = await answeredCall();
  await call.speak(Buffer.concat([noise(400), silence(440), voice.digits.get('4')!.subarray(0, 1_280)]));
  call.skip(300);
  await call.speak(Buffer.concat([voice.digits.get('4')!.subarray(1_280), silence(200)]));
  call.skip(500);
  await call.speak(Buffer.concat([silence(200), spoken('072'), silence(1_500)]));
  await until(() => inbox.size === 1, { what: 'the reading' });
  expect(inbox.list()).toMatchObject([{ text: 'call: 4 0 7 2' }]);
  const lengthMs = 400 + 440 + 300 + 300 + 200 + 500 + 200 + 3 * 700 + 1_500;
  await until(() => phones.recordings.wav('1')?.length === 44 + 16 * lengthMs, { what: 'all of it at the phone' });
});

test('phones recognise the digits that a server on this machine speaks', async () => {
  const voices = serverVoices();
  expect(voices.map(({ name }) => name.slice(0, 2))).toEqual(['ar', 'fr']);
  const finder = new DigitFinder([...ownBanks(), ...voices]);
  for (const { digits } of [...ownBanks(), ...voices]) {
    const octets = Buffer.concat([...'9876543210'].flatMap((digit) => [silence(450), digits.get(digit)!]));
    expect(readingsOf(finder.find(octets, 'PCMA'), octets, 'PCMA').readings).toEqual(['9876543210']);
  }
});
