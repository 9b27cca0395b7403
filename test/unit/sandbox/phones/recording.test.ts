// A recording holds each sample at the place its timestamp says, whatever came late, twice or not at all; RTP as packets are written.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { alawToLinear, linearToUlaw, alawToUlaw as ourAlawToUlaw } from '../../../../src/channels/voice/alaw.ts';
import {
  alawSamples,
  alawToUlaw,
  Recording,
  Recordings,
  ulawSamples,
  wavOf,
} from '../../../../src/sandbox/phones/recording.ts';
import { keyPayloads, parseRtp, writeRtp } from '../../../../src/sandbox/phones/rtp.ts';

const frame = (octet: number) => Buffer.alloc(160, octet);
/** Packet `index` of a stream that began at `first`, each with an octet of its own. */
const packet = (index: number, first = 0, ssrc = 1) => ({
  ssrc,
  timestamp: (first + index * 160) >>> 0,
  payload: frame(index & 0xff),
});

test('packets lie by their timestamps, over the wrap too; what is missing is silence', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(0, 0xffff_ff00, 0x7fff_ff00, 12_345),
      fc.shuffledSubarray(Array.from({ length: 30 }, (_, index) => index + 1)),
      (first, order) => {
        const recording = new Recording('PCMA');
        for (const index of [0, ...order]) recording.take(packet(index, first));
        const last = Math.max(0, ...order);
        const expected = Array.from({ length: last + 1 }, (_, index) =>
          index === 0 || order.includes(index) ? frame(index) : frame(0xd5),
        );
        expect(recording.octets.equals(Buffer.concat(expected))).toBe(true);
        const received = [0, ...order.toSorted((a, b) => a - b)].map(frame);
        expect(recording.received.equals(Buffer.concat(received))).toBe(true);
      },
    ),
  );
});

test('another stream goes on where the recording stands; what is older than the first sample is left out', () => {
  const recording = new Recording('PCMU');
  recording.take(packet(5));
  recording.take(packet(4));
  recording.take(packet(700, 0x8000_0000, 2));
  recording.take(packet(10_000_000, 0, 2));
  expect(recording.octets.equals(Buffer.concat([frame(5), frame(700 & 0xff), frame(10_000_000 & 0xff)]))).toBe(true);
});

test('a recording ends at its limit, in the middle of a packet', () => {
  const recording = new Recording('PCMA');
  for (let index = 0; index < 7_510; index += 1)
    recording.take({ ...packet(index), payload: Buffer.alloc(170, index) });
  expect(recording.length).toBe(150 * 8_000);
});

test('the newest recordings are kept', () => {
  const recordings = new Recordings();
  const ids = Array.from({ length: 101 }, () => recordings.add(new Recording('PCMA')));
  expect(new Set(ids).size).toBe(101);
  expect(recordings.wav(ids[0]!)).toBeNull();
  expect(recordings.wav(ids[1]!)).toHaveLength(44);
  expect(recordings.wav('7000')).toBeNull();
});

test('the tables are ITU-T G.711, as an independent formula has them', () => {
  expect([...alawSamples]).toEqual(Array.from({ length: 256 }, (_, octet) => alawToLinear(octet)));
  expect([...alawToUlaw]).toEqual([...ourAlawToUlaw]);
  // 0x7f is the second zero.
  const roundTrip = [...ulawSamples].map((sample) => linearToUlaw(sample));
  expect(roundTrip.filter((octet, index) => octet !== index && index !== 0x7f)).toEqual([]);
});

test('WAV: 16-bit PCM at 8 kHz', () => {
  const recording = new Recording('PCMA');
  recording.take({ ssrc: 1, timestamp: 9, payload: Buffer.from([0xd5, 0x55, 0xaa, 0x2a]) });
  const wav = wavOf(recording);
  expect(wav.toString('latin1', 0, 16)).toBe(`RIFF${String.fromCharCode(44, 0, 0, 0)}WAVEfmt `);
  expect([wav.readUInt16LE(20), wav.readUInt16LE(22), wav.readUInt32LE(24), wav.readUInt16LE(34)]).toEqual([
    1, 1, 8_000, 16,
  ]);
  expect(wav.readUInt32LE(40)).toBe(8);
  expect([44, 46, 48, 50].map((at) => wav.readInt16LE(at))).toEqual([8, -8, 32_256, -32_256]);
});

const rtp = fc.record({
  payloadType: fc.integer({ min: 0, max: 127 }),
  marker: fc.boolean(),
  sequence: fc.nat({ max: 0xffff }),
  timestamp: fc.nat({ max: 0xffff_ffff }),
  ssrc: fc.nat({ max: 0xffff_ffff }),
  payload: fc.uint8Array({ maxLength: 200 }).map((octets) => Buffer.from(octets)),
});

test('RTP is read as it was written, unless it looks like RTCP', () => {
  fc.assert(
    fc.property(rtp, (written) => {
      const looksLikeRtcp = written.marker && written.payloadType >= 64 && written.payloadType <= 95;
      expect(parseRtp(writeRtp(written))).toEqual(looksLikeRtcp ? null : written);
    }),
  );
});

test('RTP with contributing sources, an extension and padding; other datagrams', () => {
  const header = Buffer.from('b208000100000002000000030000000a0000000bbede000100000000', 'hex');
  const datagram = Buffer.concat([header, frame(7), Buffer.from([0, 0, 3])]);
  expect(parseRtp(datagram)?.payload.equals(frame(7))).toBe(true);
  fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), (octets) => void parseRtp(Buffer.from(octets))));
});

test('a key: held for 100 ms, its end three times', () => {
  expect(keyPayloads('#').map((payload) => payload.toString('hex'))).toEqual([
    ...['0b0a00a0', '0b0a0140', '0b0a01e0', '0b0a0280', '0b0a0320'],
    ...['0b8a0320', '0b8a0320', '0b8a0320'],
  ]);
});
