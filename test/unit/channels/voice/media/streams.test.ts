// RTP and RTCP on the wire: what is written, what is read, what strangers write.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { alawSilence, alawToUlaw } from '../../../../../src/channels/voice/alaw.ts';
import { type Clip, octetsOf } from '../../../../../src/channels/voice/clip.ts';
import { parseRtp, Receiver } from '../../../../../src/channels/voice/media/receiver.ts';
import { isRtcp, type OwnReport, parseReport, writeReport } from '../../../../../src/channels/voice/media/rtcp.ts';
import { frameSamples, Sender } from '../../../../../src/channels/voice/media/sender.ts';

const bank = new Map(
  ['0', '1', 'intro'].map((name, index) => [name, new Uint8Array(250 + index * 33).fill(index + 1)] as const),
);
const format = { codec: 'PCMA', payloadType: 8 } as const;
const random = (octets: number): Buffer => Buffer.alloc(octets, 0xfe);
const newSender = (): Sender => new Sender({ bank, random });

/** Frames until the phrase is over, at most 500. */
function frames(sender: Sender, { paused = false } = {}) {
  const sent = [];
  for (let n = 0; n < 500; n += 1) {
    const { packet, played } = sender.next(format, paused);
    sent.push(parseRtp(packet)!);
    if (played !== null) return { sent, played };
  }
  return { sent, played: null };
}

describe('the stream that goes out', () => {
  test('a phrase is its clips, filled up with silence at its end alone', () => {
    const clips: Clip[] = [{ clip: 'intro' }, { silenceMs: 31 }, { clip: '0' }, { clip: '1' }];
    const sender = newSender();
    sender.say(clips, 4);
    const { sent, played } = frames(sender);
    const sound = Buffer.concat(clips.map((clip) => octetsOf(clip, bank)));
    const heard = Buffer.concat(sent.map(({ payload }) => payload));
    expect(played).toBe(4);
    expect(sent).toHaveLength(Math.ceil(sound.length / frameSamples));
    expect(heard.subarray(0, sound.length).equals(sound)).toBe(true);
    expect(heard.subarray(sound.length).every((octet) => octet === alawSilence)).toBe(true);
  });

  test('any list of clips is played bit for bit and once', () => {
    const clip: fc.Arbitrary<Clip> = fc.oneof(
      fc.constantFrom({ clip: '0' } as const, { clip: '1' } as const, { clip: 'intro' } as const),
      fc.record({ silenceMs: fc.nat(60) }),
    );
    fc.assert(
      fc.property(fc.array(clip, { maxLength: 8 }), fc.nat(5), (clips, before) => {
        const sender = newSender();
        for (let n = 0; n < before; n += 1) expect(sender.next(format, false).played).toBeNull();
        sender.say(clips, 9);
        const { sent } = frames(sender);
        const sound = Buffer.concat(clips.map((each) => octetsOf(each, bank)));
        const heard = Buffer.concat(sent.map(({ payload }) => payload));
        expect(heard.subarray(0, sound.length).equals(sound)).toBe(true);
        expect(heard.length).toBe(Math.max(1, Math.ceil(sound.length / frameSamples)) * frameSamples);
        expect(sender.next(format, false).played).toBeNull();
      }),
      { examples: [[[{ silenceMs: 20 }, { silenceMs: 0 }], 0]] },
    );
  });

  test('sequence and timestamp go on over their wraps, phrases and silence; one packet is marked', () => {
    const sender = newSender();
    const { sent: silence } = frames(sender);
    sender.say([{ clip: '0' }], 1);
    const sent = [...silence, ...frames(sender).sent];
    expect(sent[0]).toMatchObject({ sequence: 0xfefe, timestamp: 0xfefe_fefe, ssrc: 0xfefe_fefe, payloadType: 8 });
    for (const [index, packet] of sent.entries()) {
      expect(packet.sequence).toBe((0xfefe + index) & 0xffff);
      expect(packet.timestamp).toBe((0xfefe_fefe + index * 160) >>> 0);
    }
    expect(newSender().next(format, false).packet[1]).toBe(0x88);
    expect(sender.next(format, false).packet[1]).toBe(0x08);
  });

  test('after frames that were skipped, the time has passed and the packet is marked', () => {
    const sender = newSender();
    sender.next(format, false);
    sender.skip(50);
    const { packet } = sender.next(format, false);
    expect(packet[1]).toBe(0x88);
    expect(parseRtp(packet)).toMatchObject({ sequence: 0xfeff, timestamp: (0xfefe_fefe + 51 * 160) >>> 0 });
  });

  test('a pause is silence, and the phrase goes on behind it', () => {
    const sender = newSender();
    sender.say([{ clip: '1' }], 1);
    sender.next(format, false);
    expect(parseRtp(sender.next(format, true).packet)?.payload).toEqual(Buffer.alloc(160, alawSilence));
    expect(parseRtp(sender.next(format, false).packet)?.payload.subarray(0, 123)).toEqual(Buffer.alloc(123, 2));
  });

  test('a phrase that is cut ends with its clip; without a phrase there is nothing to cut', () => {
    const sender = newSender();
    sender.finishPhrase();
    sender.say([{ clip: '0' }, { clip: '1' }], 6);
    sender.next(format, false);
    sender.finishPhrase();
    expect(frames(sender)).toMatchObject({ played: 6, sent: { length: 1 } });
  });

  test('µ-law by the table', () => {
    const sender = newSender();
    sender.say([{ clip: 'intro' }], 1);
    const { packet } = sender.next({ codec: 'PCMU', payloadType: 0 }, false);
    expect(parseRtp(packet)?.payload).toEqual(Buffer.alloc(160, alawToUlaw[3]!));
  });
});

const from = { address: '198.51.100.7', port: 4_000 };

function rtp({ sequence = 1, timestamp = 160, ssrc = 7, type = 8, payload = Buffer.alloc(160) } = {}): Buffer {
  const head = Buffer.from('80000000000000000000000000000000', 'hex').subarray(0, 12);
  head[1] = type;
  head.writeUInt16BE(sequence & 0xffff, 2);
  head.writeUInt32BE(timestamp >>> 0, 4);
  head.writeUInt32BE(ssrc, 8);
  return Buffer.concat([head, payload]);
}

function newReceiver(eventType: number | null = 101): Receiver {
  const receiver = new Receiver();
  receiver.peer.signal(from);
  receiver.expect({ payloadType: 8, eventType });
  return receiver;
}

describe('the stream that comes in', () => {
  test('extension, contributing sources and padding are passed over', () => {
    const octets = Buffer.concat([
      Buffer.from('b2650001', 'hex'), // version 2, padding, extension, 2 sources; type 101
      Buffer.from('000000a000000007', 'hex'),
      Buffer.alloc(8), // two sources
      Buffer.from('bede0001deadbeef', 'hex'), // extension of one word
      Buffer.from('058a0320', 'hex'),
      Buffer.from('00000004', 'hex'),
    ]);
    expect(parseRtp(octets)).toEqual({
      payloadType: 101,
      sequence: 1,
      timestamp: 160,
      ssrc: 7,
      payload: Buffer.from('058a0320', 'hex'),
    });
    expect(newReceiver().take(octets, from, 0)).toEqual({ kind: 'key', digit: '5' });
  });

  test.each([
    ['empty', ''],
    ['short', '80080001000000a0000000'],
    ['version 1', '40080001000000a000000007'],
    ['sources that are not there', '8f080001000000a000000007'],
    ['an extension that is not there', '90080001000000a000000007bede0009'],
    ['padding of nothing', 'a0080001000000a00000000700'],
    ['more padding than packet', 'a0080001000000a0000000070000ff'],
  ])('%s is no RTP', (_, hex) => {
    expect(parseRtp(Buffer.from(hex, 'hex'))).toBeNull();
  });

  test('events without agreement, and other payload types, are dropped', () => {
    expect(newReceiver(null).take(rtp({ type: 101 }), from, 0).kind).toBe('stranger');
    expect(newReceiver().take(rtp({ type: 34 }), from, 0).kind).toBe('stranger');
    for (const type of [0, 8, 13]) expect(newReceiver().take(rtp({ type }), from, 0).kind).toBe('audio');
  });

  test('a key is one key, with an SSRC of its own beside the sound', () => {
    const receiver = newReceiver();
    const heard: string[] = [];
    for (let n = 0; n < 10; n += 1) {
      const payload = Buffer.of(5, 10, 0, 160 * (n + 1));
      const event = receiver.take(rtp({ type: 101, ssrc: 9, sequence: n, timestamp: 800, payload }), from, n * 20);
      if (event.kind === 'key') heard.push(event.digit);
      receiver.take(rtp({ sequence: n, timestamp: n * 160 }), from, n * 20);
    }
    expect(heard).toEqual(['5']);
    // Another stream, though its times are the same: a PBX that puts the call through.
    const again = rtp({ type: 101, ssrc: 10, timestamp: 800, payload: Buffer.from('058a0320', 'hex') });
    expect(receiver.take(again, from, 300)).toEqual({ kind: 'key', digit: '5' });
  });

  test('sound under the number of our events is sound', () => {
    const receiver = newReceiver();
    receiver.expect({ payloadType: 101, eventType: 96 });
    const payload = Buffer.from('058a0320', 'hex');
    expect(receiver.take(rtp({ type: 101, payload }), from, 0)).toEqual({ kind: 'audio' });
    expect(receiver.take(rtp({ type: 96, sequence: 2, payload }), from, 20)).toEqual({ kind: 'key', digit: '5' });
  });

  test('the report counts what was lost, and the jitter', () => {
    const receiver = newReceiver();
    expect(receiver.block()).toBeNull();
    for (let n = 0; n < 100; n += 1)
      if (n % 10 !== 5) receiver.take(rtp({ sequence: 65_500 + n, timestamp: n * 160 }), from, n * 20 + (n % 2) * 5);
    const block = receiver.block()!;
    expect(block).toMatchObject({ ssrc: 7, lost: 10, highestSequence: 65_599, fractionLost: 25 });
    expect(block.jitter).toBeGreaterThan(20);
    expect(block.jitter).toBeLessThan(41);
    for (let n = 100; n < 150; n += 1)
      if (n !== 145) receiver.take(rtp({ sequence: 65_500 + n, timestamp: n * 160 }), from, n * 20);
    expect(receiver.block()).toMatchObject({ lost: 11, fractionLost: 5 });
    // A packet that comes late was not lost.
    receiver.take(rtp({ sequence: 65_645, timestamp: 145 * 160 }), from, 3_000);
    expect(receiver.block()).toMatchObject({ lost: 10, fractionLost: 0, highestSequence: 65_649 });
    // A phone that begins its sequence again has lost nothing by it.
    for (let n = 0; n < 50; n += 1) receiver.take(rtp({ sequence: 9_000 + n, timestamp: n * 160 }), from, n * 20);
    expect(receiver.block()).toMatchObject({ lost: 0, fractionLost: 0, highestSequence: 9_049 });
  });

  test('nothing throws, whatever arrives', () => {
    const valid = [rtp(), rtp({ type: 101, payload: Buffer.from('058a0320', 'hex') }), writeReport(own())];
    const mutated = fc
      .tuple(fc.constantFrom(...valid), fc.array(fc.tuple(fc.nat(200), fc.nat(255))), fc.nat(200))
      .map(([octets, changes, length]) => {
        const changed = Buffer.from(octets);
        for (const [at, value] of changes) if (at < changed.length) changed[at] = value;
        return changed.subarray(0, length);
      });
    const any = fc.oneof(
      mutated,
      fc.uint8Array({ maxLength: 300 }).map((octets) => Buffer.from(octets)),
    );
    fc.assert(
      fc.property(fc.array(any), (datagrams) => {
        const receiver = newReceiver();
        for (const [index, octets] of datagrams.entries()) {
          receiver.take(octets, from, index);
          parseReport(octets);
          isRtcp(octets);
          const block = receiver.block();
          if (block) writeReport(own({ block: { ...block, lastReport: 0, sinceLastReport: 0 } }));
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

function own(change: Partial<OwnReport> = {}): OwnReport {
  return {
    ssrc: 0xdead_beef,
    cname: 'abc',
    at: 1_800_000_000_500,
    timestamp: 16_000,
    packets: 100,
    octets: 16_000,
    block: null,
    bye: false,
    ...change,
  };
}

describe('reports', () => {
  test('SR and SDES, octet by octet', () => {
    expect(writeReport(own()).toString('hex')).toBe(
      ['80c80006', 'deadbeef', 'eef45080', '80000000', '00003e80', '00000064', '00003e80'].join('') +
        ['81ca0003', 'deadbeef', '01036162', '63000000'].join(''),
    );
  });

  test('with a report block and a goodbye', () => {
    const block = {
      ssrc: 7,
      fractionLost: 25,
      lost: -2,
      highestSequence: 65_599,
      jitter: 12.7,
      lastReport: 0x1234_5678,
      sinceLastReport: 65_536,
    };
    const octets = writeReport(own({ block, bye: true }));
    expect(octets.subarray(0, 4).toString('hex')).toBe('81c8000c');
    expect(octets.subarray(28, 52).toString('hex')).toBe('0000000719fffffe0001003f0000000c1234567800010000');
    expect(octets.subarray(-8).toString('hex')).toBe('81cb0001deadbeef');
    expect(octets.length % 4).toBe(0);
  });

  test.each([0, 1, 2, 3, 4, 5, 255, 300])('a name of %i octets leaves a whole number of words', (length) => {
    const octets = writeReport(own({ cname: 'x'.repeat(length) }));
    expect(octets.length % 4).toBe(0);
    expect(parseReport(octets)).toEqual({ ssrc: 0xdead_beef, ntp: 0x5080_8000 });
    expect(octets.at(-1)).toBe(0);
  });

  test('of the peer, the sender report is read; others are passed over', () => {
    const receiverReport = Buffer.from('80c9000100000007', 'hex');
    expect(parseReport(receiverReport)).toBe('none');
    expect(parseReport(Buffer.concat([receiverReport, writeReport(own())]))).toMatchObject({ ssrc: 0xdead_beef });
    for (const hex of ['', '80', '40c9000100000007', '80c9000200000007', '81cb000100000007', '80c900010000000781'])
      expect(parseReport(Buffer.from(hex, 'hex'))).toBeNull();
  });
});
