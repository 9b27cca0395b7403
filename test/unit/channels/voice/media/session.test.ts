// One call's sound without a socket: reports in time, silence that is a loss, targets that can not be sent to.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { frameMs } from '../../../../../src/channels/voice/media/clock.ts';
import { parseReport } from '../../../../../src/channels/voice/media/rtcp.ts';
import { mediaLostMs, Session, type SessionEvent } from '../../../../../src/channels/voice/media/session.ts';
import type { Address } from '../../../../../src/channels/voice/media/source.ts';
import type { MediaTarget } from '../../../../../src/sip/index.ts';

const target: MediaTarget = {
  address: '198.51.100.7',
  port: 4_000,
  codec: 'PCMA',
  payloadType: 8,
  eventType: 101,
  held: false,
  mute: false,
};
const peer: Address = { address: target.address, port: target.port };

function setup() {
  let now = 0;
  const sent: Address[] = [];
  const reports: { at: number; octets: Buffer; to: Address }[] = [];
  const events: SessionEvent[] = [];
  const session = new Session({
    bank: new Map([['1', new Uint8Array(200)]]),
    random: (octets) => Buffer.alloc(octets, 7),
    date: () => 1_800_000_000_000 + now,
    now: () => now,
    send: (_, { address, port }) => sent.push({ address, port }),
    sendReport: (octets, { address, port }) => reports.push({ at: now, octets, to: { address, port } }),
    onEvent: (event) => events.push(event),
  });
  /** So many frames, each with a packet of the peer when it speaks. */
  const frames = (count: number, speaks = false) => {
    for (let n = 0; n < count; n += 1) {
      now += frameMs;
      if (speaks) session.rtp(packet(now / frameMs), peer, now);
      session.frame(now);
    }
  };
  return { session, sent, reports, events, frames, pass: (ms: number) => (now += ms), now: () => now };
}

function packet(sequence: number, type = 8): Buffer {
  const octets = Buffer.alloc(172);
  octets[0] = 0x80;
  octets[1] = type;
  octets.writeUInt16BE(sequence & 0xffff, 2);
  octets.writeUInt32BE((sequence * 160) >>> 0, 4);
  return octets;
}

test('a report each 5 s, with what came from there, and a goodbye', () => {
  const { session, reports, frames, sent, now } = setup();
  session.connect(target);
  frames(1_000, true);
  expect(reports.map(({ at }) => at)).toEqual([5_000, 10_000, 15_000, 20_000]);
  expect(reports[1]!.octets.subarray(0, 4).toString('hex')).toBe('81c8000c');
  expect(reports[1]!.octets.readUInt32BE(20)).toBe(499);
  expect(reports[1]!.to).toEqual({ ...peer, port: 4_001 });
  session.close();
  expect(reports.at(-1)).toMatchObject({ at: now() });
  expect(reports.at(-1)!.octets.subarray(-8, -6).toString('hex')).toBe('81cb');
  const before = sent.length;
  frames(10, true);
  session.close();
  expect([sent.length, reports.length]).toEqual([before, 5]);
});

test('a call that was never answered says no goodbye', () => {
  const { session, reports, events, frames } = setup();
  frames(5, true);
  session.close();
  expect([reports, events]).toEqual([[], []]);
});

test('reports go where those of the peer come from, and quote the last', () => {
  const { session, reports, frames, pass } = setup();
  session.connect(target);
  frames(200, true);
  const theirs = Buffer.from('80c80006000000000123456789abcdef000000000000000000000000', 'hex');
  expect(parseReport(theirs)).toEqual({ ssrc: 0, ntp: 0x4567_89ab });
  session.rtcp(theirs, { ...peer, port: 4_009 }, 4_000);
  session.rtcp(theirs.fill(0xff, 4, 8), { ...peer, port: 4_010 }, 4_000);
  session.rtcp(theirs.fill(0, 4, 8), { address: '203.0.113.9', port: 4_011 }, 4_000);
  frames(50, true);
  pass(0);
  expect(reports[0]!.to).toEqual({ ...peer, port: 4_009 });
  expect(reports[0]!.octets.subarray(44, 52).toString('hex')).toBe('456789ab00010000');
});

test('a report tells what was lost since the one before, however many of the peer came meanwhile', () => {
  const { session, reports, frames, now } = setup();
  session.connect(target);
  const theirs = Buffer.from('80c80006000000000123456789abcdef000000000000000000000000', 'hex');
  for (let n = 0; n < 500; n += 1) {
    frames(1, n % 2 === 0);
    if (n % 100 === 98) session.rtcp(theirs, peer, now());
  }
  const lost = reports.map(({ octets }) => ({ part: octets.readUInt8(32) / 256, all: octets.readUIntBE(33, 3) }));
  expect(lost).toEqual([
    { part: expect.closeTo(0.5, 1), all: 124 },
    { part: expect.closeTo(0.5, 1), all: 249 },
  ]);
});

test('nothing from there for 20 s is a loss, said once; a hold, a phone that only listens, a stall and ringing tones are none', () => {
  const { session, events, frames, pass } = setup();
  session.connect({ ...target, held: true });
  frames(3_000);
  session.connect({ ...target, mute: true });
  frames(3_000);
  session.connect(target);
  frames(mediaLostMs / frameMs - 1);
  pass(60_000);
  session.skip(3_000);
  frames(mediaLostMs / frameMs - 1);
  expect(events).toEqual([]);
  for (let n = 0; n < 7; n += 1) session.rtp(packet(n), { address: '203.0.113.9', port: 9 }, 0);
  frames(3_000);
  expect(events).toEqual([{ kind: 'media_lost', dropped: 7 }]);
});

test('after a stall of this machine, the stranger whose packets are read first does not take the call', () => {
  const { session, sent, frames, pass, now } = setup();
  session.connect(target);
  frames(10, true);
  pass(5_000);
  session.skip(250);
  for (let n = 0; n < 10; n += 1) {
    const octets = packet(n);
    octets.writeUInt32BE(77, 8);
    expect(session.rtp(octets, { ...peer, port: 9 }, now())).toBe('stranger');
  }
  frames(1);
  expect(sent.at(-1)).toEqual(peer);
});

test('a peer that speaks now and then is not lost', () => {
  const { session, events, frames } = setup();
  session.connect(target);
  for (let n = 0; n < 10; n += 1) {
    frames(mediaLostMs / frameMs - 1);
    frames(1, true);
  }
  expect(events).toEqual([]);
});

test.each(['0.0.0.0', '::', 'media.example.dz', '', 'fe80::1%eth0'])('with %j for an address it waits', (address) => {
  const { session, sent, frames } = setup();
  session.connect({ ...target, address });
  frames(10, true);
  expect(sent).toEqual([]);
  session.connect(target);
  frames(2, true);
  expect(sent).toEqual([peer, peer]);
  // A hold by address goes on where it went before.
  session.connect({ ...target, address, held: true });
  frames(1, true);
  expect(sent).toHaveLength(3);
});

// RFC 5952 section 4: every spelling has to be taken; a socket reports one.
test.each([
  ['2001:DB8:0:0:0:0:0:7', '2001:db8::7'],
  ['2001:0db8::0007', '2001:db8::7'],
  ['::FFFF:C633:6407', '::ffff:198.51.100.7'],
])('the peer is heard where its SDP spells its address as %s', (spelled, address) => {
  const { session, sent, reports, events, frames, now } = setup();
  session.connect({ ...target, address: spelled });
  expect(session.rtp(packet(0), { address, port: 4_000 }, now())).toBe('audio');
  // Another spelling is no other address: what was learned is kept.
  expect(session.rtp(packet(1), { address, port: 4_010 }, now() + 1_000)).toBe('stranger');
  expect(session.rtp(packet(2), { address, port: 4_010 }, now() + 1_000)).toBe('audio');
  session.connect({ ...target, address });
  const theirs = Buffer.from('80c80006000000000123456789abcdef000000000000000000000000', 'hex');
  session.rtcp(theirs, { address, port: 4_011 }, now());
  frames(250);
  expect(sent.at(-1)).toEqual({ address, port: 4_010 });
  expect(reports.map(({ to }) => to)).toEqual([{ address, port: 4_011 }]);
  expect(events).toEqual([]);
});

test('any datagrams, targets and commands in any order: nothing throws, no phrase is reported twice', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('rtp' as const), octets: fc.uint8Array({ maxLength: 200 }), port: fc.nat(65_535) }),
    fc.record({ kind: fc.constant('rtcp' as const), octets: fc.uint8Array({ maxLength: 200 }), port: fc.nat(65_535) }),
    fc.record({
      kind: fc.constant('connect' as const),
      port: fc.nat(65_535),
      held: fc.boolean(),
      mute: fc.boolean(),
      address: fc.ipV4(),
    }),
    fc.record({ kind: fc.constantFrom('frames' as const, 'say' as const, 'finish' as const, 'skip' as const) }),
  );
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const { session, events, frames, now } = setup();
      let token = 0;
      for (const each of steps) {
        if (each.kind === 'rtp') session.rtp(Buffer.from(each.octets), { ...peer, port: each.port }, now());
        if (each.kind === 'rtcp') session.rtcp(Buffer.from(each.octets), { ...peer, port: each.port }, now());
        if (each.kind === 'connect') session.connect({ ...target, ...each });
        if (each.kind === 'frames') frames(10, true);
        if (each.kind === 'skip') session.skip(5);
        if (each.kind === 'finish') session.finishPhrase();
        if (each.kind === 'say') {
          token += 1;
          session.say([{ clip: '1' }], token);
        }
      }
      const played = events.flatMap((event) => (event.kind === 'played' ? [event.token] : []));
      expect(new Set(played).size).toBe(played.length);
    }),
  );
});
