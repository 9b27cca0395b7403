// The media thread with real sockets: what a phone hears of it bit for bit, the keys it hears of the phone, and what it leaves behind.
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { alawSilence, alawToUlaw } from '../../../../src/channels/voice/alaw.ts';
import type { Clip } from '../../../../src/channels/voice/clip.ts';
import { Media, type MediaEvent, type MediaOptions } from '../../../../src/channels/voice/media/media.ts';
import { Phone, somePorts, syntheticBank } from '../../../support/rtp-phone.ts';
import { until } from '../../../support/wait.ts';

const bank = syntheticBank();
const started: Media[] = [];
afterEach(async () => {
  for (const media of started.splice(0)) await media.stop();
});

function startMedia(change: Partial<MediaOptions> = {}) {
  const events: [string, MediaEvent][] = [];
  const lost: Error[] = [];
  const workers: Worker[] = [];
  const seen = (worker: Worker) => void workers.push(worker);
  const media = new Media({
    address: '127.0.0.1',
    ports: somePorts(100),
    banks: new Map([['fr', bank]]),
    onEvent: (callId, event) => {
      events.push([callId, event]);
    },
    onThreadLost: (why) => lost.push(why),
    ...change,
  });
  started.push(media);
  const of = (kind: MediaEvent['kind']) => events.map(([, event]) => event).filter((event) => event.kind === kind);
  return { media, events, lost, workers, seen, of };
}

async function call(change: Partial<MediaOptions> = {}, target = {}) {
  const setup = startMedia(change);
  const phone = await Phone.start();
  // Other tests may have many ports in a row: each try goes on behind those that were passed over.
  const opened = await until(() => setup.media.open('call', 'fr'), { what: 'a port' });
  setup.media.connect('call', phone.target(target));
  await phone.hears(1);
  return { ...setup, phone, port: opened.port };
}

const phrase: readonly Clip[] = [
  { clip: 'intro' },
  { silenceMs: 451 },
  { clip: '4' },
  { silenceMs: 30 },
  { clip: '0' },
];

const expected = (clips: readonly Clip[]): Buffer =>
  Buffer.concat(
    clips.map((clip) =>
      'clip' in clip ? Buffer.from(bank.get(clip.clip)!) : Buffer.alloc(clip.silenceMs * 8, alawSilence),
    ),
  );

test('a phone hears the clips bit for bit, in one stream with silence around it', async () => {
  const { media, phone, of } = await call();
  await phone.hears(3);
  media.say('call', phrase, 7);
  await until(() => of('played').length === 1, { what: 'the end of the phrase' });
  await phone.hears(5);
  expect(of('played')).toEqual([{ kind: 'played', token: 7 }]);
  expect(phone.sound().equals(expected(phrase))).toBe(true);
  const [first] = phone.heard;
  let { timestamp } = first!;
  for (const [index, packet] of phone.heard.entries()) {
    expect(packet.payload).toHaveLength(160);
    expect(packet).toMatchObject({ payloadType: 8, ssrc: first!.ssrc, from: first!.from });
    expect(packet.sequence).toBe((first!.sequence + index) & 0xffff);
    // On a machine that stands still frames are skipped: their time passes, and the next packet is marked.
    const skipped = (packet.timestamp - timestamp) >>> 0;
    expect([skipped % 160, packet.marker]).toEqual([0, index === 0 || skipped > 0]);
    timestamp = (packet.timestamp + 160) >>> 0;
  }
});

test('µ-law is the same sound by the table, under the number of the peer', async () => {
  const { media, phone, of } = await call({}, { codec: 'PCMU', payloadType: 97 });
  media.say('call', phrase, 1);
  await until(() => of('played').length === 1, { what: 'the end of the phrase' });
  await phone.hears(2);
  const heard = Buffer.concat(phone.heard.map(({ payload }) => payload));
  expect(heard.indexOf(Buffer.from(expected(phrase).map((octet) => alawToUlaw[octet]!)))).toBeGreaterThanOrEqual(0);
  expect(new Set(phone.heard.map(({ payloadType }) => payloadType))).toEqual(new Set([97]));
});

test('another phrase takes the place of the one being spoken, which is never reported as played', async () => {
  const { media, phone, of } = await call();
  // It lasts longer than this thread may stand still.
  media.say('call', Array(100).fill({ clip: 'bye' }), 1);
  await until(() => phone.sound().length > 0, { what: 'the first phrase' });
  media.say('call', [{ clip: '9' }], 2);
  await until(() => of('played').length === 1, { what: 'the second phrase' });
  await phone.hears(5);
  expect(of('played')).toEqual([{ kind: 'played', token: 2 }]);
  const heard = phone.sound();
  const nine = Buffer.from(bank.get('9')!);
  expect(heard.subarray(-nine.length).equals(nine)).toBe(true);
});

test('an unwanted phrase ends after the clip being spoken', async () => {
  const { media, phone, of } = await call();
  const clips: Clip[] = [{ clip: 'intro' }, ...Array(100).fill({ clip: '1' })];
  media.say('call', clips, 3);
  await until(() => phone.sound().length > 0, { what: 'the intro' });
  media.finishPhrase('call');
  await until(() => of('played').length === 1, { what: 'the end of the clip' });
  await phone.hears(5);
  // Whole clips, and not all of them: how many were spoken by then is the machine's affair.
  const heard = phone.sound();
  expect(clips.slice(1).some((_, n) => heard.equals(expected(clips.slice(0, n + 1))))).toBe(true);
});

test('keys come from the phone, by the number of its answer or of our offer, one for each press', async () => {
  const { phone, port, of } = await call({}, { eventType: 96 });
  phone.send(port);
  for (const digit of '4*0#7') phone.press(digit, port, 96);
  phone.timestamp += 8_000;
  phone.press('7', port, 101);
  await until(() => of('key').length >= 6, { what: 'six keys' });
  await phone.hears(3);
  expect(of('key').map((event) => ('digit' in event ? event.digit : ''))).toEqual([...'4*0#77']);
});

test('audio goes where the phone sends from, and no stranger turns it away', async () => {
  const { media, phone, port } = await call();
  const moved = await Phone.start();
  for (const _ of [1, 2, 3]) moved.send(port);
  await moved.hears(5);
  const strangers = await Promise.all([Phone.start('127.0.0.2', 99), Phone.start('127.0.0.1', 98)]);
  const dropped = media.figures().strangers;
  for (const stranger of strangers)
    for (let n = 0; n < 20; n += 1) {
      stranger.send(port);
      moved.send(port);
      stranger.press('1', port);
      await moved.hears(1);
    }
  await until(() => media.figures().strangers - dropped === 320, { what: 'every packet of the strangers' });
  expect(strangers.flatMap(({ heard }) => heard)).toEqual([]);
  const before = phone.heard.length;
  await moved.hears(5);
  expect(phone.heard.length).toBe(before);
});

test('what is no RTP is dropped, on either port, and the call goes on', async () => {
  const { media, phone, port, of } = await call();
  phone.send(port);
  for (let length = 0; length < 40; length += 1)
    for (const first of [0x00, 0x80, 0xbf, 0xff]) {
      const octets = Buffer.alloc(length, 0xff).fill(first, 0, Math.min(1, length));
      phone.sendRaw(octets, port);
      phone.sendRaw(octets, port + 1, 'rtcp');
    }
  await until(() => media.figures().malformed >= 100, { what: 'malformed packets' });
  media.say('call', [{ clip: '3' }], 5);
  await until(() => of('played').length === 1, { what: 'the phrase' });
  expect(media.figures().refused).toBe(0);
});

test('silence is sent while the phone holds, and the phrase goes on afterwards', async () => {
  const { media, phone, of } = await call();
  media.say('call', [{ clip: 'intro' }], 1);
  media.connect('call', phone.target({ held: true }));
  await phone.hears(70);
  expect(of('played')).toEqual([]);
  media.connect('call', phone.target());
  await until(() => of('played').length === 1, { what: 'the phrase' });
  await phone.hears(2);
  const heard = [...phone.sound()].filter((octet) => octet !== alawSilence);
  expect(Buffer.from(heard).equals(Buffer.from(bank.get('intro')!))).toBe(true);
});

test('a phone that is not heard is reported once, and not while it holds', async () => {
  const { media, phone, of } = await call({ mediaLostMs: 300 }, { held: true });
  await phone.hears(25);
  expect(of('media_lost')).toEqual([]);
  media.connect('call', phone.target());
  await until(() => of('media_lost').length > 0, { what: 'the loss' });
  await phone.hears(30);
  expect(of('media_lost')).toEqual([{ kind: 'media_lost', dropped: 0 }]);
});

test('a range is used up pair by pair, even ports first, and a port of another program is passed over', async () => {
  const taken = createSocket('udp4');
  taken.bind(0, '127.0.0.1');
  await once(taken, 'listening');
  const from = taken.address().port & ~1;
  const { media } = startMedia({ ports: { from, to: from + 7 } });
  const opened = await Promise.all([1, 2, 3, 4].map((n) => media.open(`call ${n}`, 'fr')));
  const ports = opened.flatMap((each) => (each === null ? [] : [each.port]));
  expect(ports.length).toBeLessThan(4);
  expect(ports.length).toBeGreaterThan(0);
  expect(ports.every((port) => port % 2 === 0 && port > from)).toBe(true);
  expect(await media.open('call 5', 'fr')).toBeNull();
  const [n] = opened.flatMap((each, index) => (each ? [index + 1] : []));
  media.close(`call ${n}`);
  await until(async () => (await media.open('call 6', 'fr')) !== null, { what: 'a port that was given back' });
  taken.close();
});

/** Null: the port is taken. */
async function boundTo(port: number): Promise<Socket | null> {
  const socket = createSocket('udp4').bind(port, '127.0.0.1');
  return once(socket, 'listening').then(
    () => socket,
    () => {
      socket.close();
      return null;
    },
  );
}

test('calls that find no port of their own leave the sound of another call alone', async () => {
  const ports = somePorts(200);
  const { media, phone, port } = await call({ ports });
  const left = Array.from({ length: 200 }, (_, n) => ports.from + 2 * n).filter((each) => each !== port);
  // One that another test has just now is free again soon.
  const others = await Promise.all(left.map((each) => until(() => boundTo(each), { what: `port ${each}` })));
  let isOver = false;
  const waiting = Array.from({ length: 20 }, async (_, n) => {
    while (!isOver) expect(await media.open(`waiting ${n}`, 'fr')).toBeNull();
  });
  const before = phone.heard.length;
  await until(() => phone.heard.length > before + 100, { what: 'two seconds of sound' });
  isOver = true;
  await Promise.all(waiting);
  for (const each of others) each.close();
});

test('a call that is closed while its ports are bound gets none, and they are given back', async () => {
  const { media } = startMedia({ ports: somePorts(3) });
  const opened = media.open('call', 'fr');
  media.close('call');
  expect(await opened).toBeNull();
  await until(async () => (await media.open('call', 'fr')) !== null, { what: 'the call' });
  expect(media.calls).toBe(1);
});

test('a thread that dies loses its calls, and is replaced', async () => {
  const workers: Worker[] = [];
  const onWorker = (worker: Worker) => void workers.push(worker);
  process.on('worker', onWorker);
  try {
    const { media, phone, lost, events, of } = await call();
    await until(() => media.figures().sent > 60, { what: 'a second of life' });
    // Asked of a thread that is being ended: it reads nothing more, so that no answer can overtake its end.
    const ended = workers[0]!.terminate();
    const pending = media.open('next', 'fr');
    await ended;
    expect(await pending).toBeNull();
    expect(events).toContainEqual(['call', { kind: 'worker_lost' }]);
    expect(of('worker_lost')).toHaveLength(1);
    expect(lost).toHaveLength(1);
    expect(media.calls).toBe(0);
    const again = await until(() => media.open('call', 'fr'), { what: 'a port of the next thread' });
    media.connect('call', phone.target());
    await phone.hears(5);
    expect(phone.heard.at(-1)?.from.port).toBe(again.port);
  } finally {
    process.off('worker', onWorker);
  }
});

test('a thread that can not live is not replaced at once', async () => {
  const broken = new Map([['fr', bank]]);
  const { lost, media } = startMedia({ ports: null as never, banks: broken });
  await until(() => lost.length === 2, { what: 'the second death' });
  expect(media.figures().sent).toBe(0);
  expect(lost[0]?.message).toMatch(/null/);
});

test('at the end there are goodbyes on the wire, no thread, and no socket', async () => {
  const { media, phone, port } = await call();
  phone.send(port);
  await phone.hears(3);
  await media.stop();
  await media.stop();
  await until(() => phone.reports.length > 0, { what: 'the goodbye' });
  expect(phone.reports.at(-1)!.subarray(-8, -6).toString('hex')).toBe('81cb'); // BYE of one source
  expect(await media.open('late', 'fr')).toBeNull();
  const socket = createSocket('udp4').bind(port, '127.0.0.1');
  await once(socket, 'listening');
  socket.close();
});

test('a call without its language, a clip that the bank lacks, and a second call of one id are mistakes', async () => {
  const { media } = await call({ banks: new Map([['fr', new Map([['1', new Uint8Array(8)]])]]) });
  await expect(media.open('other', 'ar')).rejects.toThrow("'ar'");
  await expect(media.open('call', 'fr')).rejects.toThrow('open already');
  expect(() => media.say('call', [{ clip: '1' }, { clip: '2' }], 1)).toThrow("'2'");
});
