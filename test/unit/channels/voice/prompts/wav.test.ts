// WAV files: every format that microphones and editors write is read, and no bytes make the reader throw.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { alawToLinear } from '../../../../../src/channels/voice/alaw.ts';
import { readWav, writeWav } from '../../../../../src/channels/voice/prompts/wav.ts';
import { speech, type WavFormat, wavOf } from './sounds.ts';

function read(bytes: Uint8Array) {
  const found = readWav(bytes);
  if (found.kind === 'refused') throw new Error(found.reason);
  return found.sound;
}

const formats: [name: string, format: Omit<WavFormat, 'rate'>, exactness: number][] = [
  ['8 bits', { tag: 'pcm', bits: 8 }, 1 / 127],
  ['16 bits', { tag: 'pcm', bits: 16 }, 2 ** -15],
  ['24 bits', { tag: 'pcm', bits: 24 }, 2 ** -23],
  ['32 bits', { tag: 'pcm', bits: 32 }, 2 ** -23],
  ['float', { tag: 'float', bits: 32 }, 0],
  ['double', { tag: 'float', bits: 64 }, 0],
  ['extensible', { tag: 'pcm', bits: 24, extensible: true }, 2 ** -23],
];

describe.each(formats)('%s', (_, format, exactness) => {
  test('mono and stereo are read as they were written', () => {
    const [left, right] = [speech(0.1, 44_100, 0.9), speech(0.1, 44_100, -0.4)];
    for (const channels of [[left], [left, right]]) {
      const sound = read(wavOf(channels, { ...format, rate: 44_100 }));
      expect(sound.rate).toBe(44_100);
      expect(sound.channels).toHaveLength(channels.length);
      for (const [c, samples] of channels.entries()) {
        expect(sound.channels[c]).toHaveLength(samples.length);
        const most = samples.reduce((far, value, i) => Math.max(far, Math.abs(value - sound.channels[c]![i]!)), 0);
        expect(most).toBeLessThanOrEqual(exactness);
      }
    }
  });
});

test('A-law is read', () => {
  const wav = wavOf([new Float32Array(3)], { tag: 'alaw', bits: 8, rate: 8_000 });
  wav.set([0xd5, 0x2a, 0xaa], wav.length - 4);
  expect([...read(wav).channels[0]!]).toEqual([0xd5, 0x2a, 0xaa].map((octet) => alawToLinear(octet) / 32_768));
});

test('a stream that never knew its length ends with the file', () => {
  const wav = wavOf([speech(0.1)], { tag: 'pcm', bits: 16, rate: 8_000 });
  wav.writeUInt32LE(0x7ffff000, wav.indexOf('data') + 4);
  expect(read(wav).channels[0]).toHaveLength(800);
});

test('what is written is read again', () => {
  const samples = Int16Array.of(0, 1, -1, 32_767, -32_768);
  expect([...read(writeWav(samples, 8_000)).channels[0]!]).toEqual([...samples].map((sample) => sample / 32_768));
});

test.each<[string, Buffer, RegExp]>([
  ['no WAV', Buffer.from('ID3 something else entirely'), /^is no WAV file$/],
  ['nothing', Buffer.alloc(0), /^is no WAV file$/],
  ['compressed', wavOf([speech(0.1)], { tag: 'adpcm', bits: 8, rate: 8_000 }), /format 2, 8 bits.*save it as PCM/],
  ['12 bits', wavOf([speech(0.1)], { tag: 'pcm', bits: 16, rate: 8_000 }).fill(12, 34 + 12, 35 + 12), /12 bits/],
  ['a slow rate', wavOf([speech(0.1)], { tag: 'pcm', bits: 16, rate: 4_000 }), /^has 4000 samples a second/],
  ['not a number', wavOf([Float32Array.of(0, Number.NaN)], { tag: 'float', bits: 32, rate: 8_000 }), /no numbers/],
  ['no channels', wavOf([], { tag: 'pcm', bits: 16, rate: 8_000 }), /^has 0 channels$/],
  ['no sound', wavOf([speech(0.1)], { tag: 'pcm', bits: 16, rate: 8_000 }).subarray(0, 50), /^has no sound in it$/],
])('refused with its reason: %s', (_, bytes, reason) => {
  expect(readWav(bytes)).toEqual({ kind: 'refused', reason: expect.stringMatching(reason) });
});

test('no bytes make it throw', () => {
  const good = wavOf([speech(0.01)], { tag: 'pcm', bits: 16, rate: 8_000 });
  const change = fc.tuple(fc.nat(good.length - 1), fc.nat(255));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 8 }), fc.nat(good.length), (changes, length) => {
      const bytes = Buffer.from(good);
      for (const [at, octet] of changes) bytes[at] = octet;
      expect(['ok', 'refused']).toContain(readWav(bytes.subarray(0, length)).kind);
    }),
    { numRuns: 2_000 },
  );
});
