// Digits are read back from a recording exactly, in both laws, and nothing that was not sent intact is.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { alawToUlaw as ourAlawToUlaw } from '../../../../src/channels/voice/alaw.ts';
import { type Bank, DigitFinder, readingsOf } from '../../../../src/sandbox/phones/digits.ts';
import { isSilent, silenceOf } from '../../../../src/sandbox/phones/recording.ts';

/** Octets that look like no others; `silent` samples of silence at both ends. */
function clip(seed: string, length: number, silent = 0): Buffer {
  const octets = Buffer.alloc(length + 2 * silent, 0xd5);
  for (let at = 0; at < length; at += 64) {
    const block = createHash('sha512').update(`${seed}/${at}`).digest();
    block.copy(octets, silent + at, 0, Math.min(64, length - at));
  }
  return octets;
}

const bank = (name: string, length = 1_000): Bank => ({
  name,
  digits: new Map([...'0123456789'].map((digit) => [digit, clip(name + digit, length + Number(digit) * 160, 80)])),
});
const banks = [bank('ar'), bank('fr', 700)];
const finder = new DigitFinder(banks);
const gap = (ms: number) => Buffer.alloc(ms * 8, 0xd5);
const say = (of: Bank, digits: string) => [...digits].flatMap((digit) => [of.digits.get(digit)!, gap(450)]);
const word = (octets: Buffer) =>
  finder
    .find(octets, 'PCMA')
    .map(({ digit }) => digit)
    .join('');

const digits = fc.stringMatching(/^[0-9]{1,10}$/);

test('any code is read back, by any voice, between noises of any kind', () => {
  const noise = fc.uint8Array({ maxLength: 2_000 }).map((octets) => Buffer.from(octets));
  fc.assert(
    fc.property(digits, fc.constantFrom(...banks), noise, noise, (code, of, before, after) => {
      const found = finder.find(Buffer.concat([before, ...say(of, code), after]), 'PCMA');
      expect(found.map(({ digit, bank }) => bank + digit)).toEqual([...code].map((digit) => of.name + digit));
    }),
  );
});

test('a code is the same in µ-law, as our media and as any trunk writes it', () => {
  fc.assert(
    fc.property(digits, (code) => {
      const alaw = Buffer.concat(say(banks[1]!, code));
      const ulaw = alaw.map((octet) => ourAlawToUlaw[octet] ?? 0);
      expect(
        finder
          .find(Buffer.from(ulaw), 'PCMU')
          .map(({ digit }) => digit)
          .join(''),
      ).toBe(code);
    }),
    { numRuns: 20 },
  );
});

test('a digit with one octet changed is not there', () => {
  fc.assert(
    fc.property(fc.nat({ max: 9 }), fc.nat(), fc.integer({ min: 1, max: 255 }), (digit, at, change) => {
      const octets = Buffer.concat([gap(100), banks[0]!.digits.get(String(digit))!, gap(100)]);
      const [whole] = finder.find(octets, 'PCMA');
      // The silence at its ends is not looked at.
      const place = whole!.start + 80 + (at % (whole!.end - whole!.start - 160));
      octets[place] = (octets[place] ?? 0) ^ change;
      expect(word(octets)).toBe('');
    }),
  );
});

test('a look that begins inside a digit does not find it, the next look after it does', () => {
  const octets = Buffer.concat([gap(100), ...say(banks[0]!, '47')]);
  const [first, second] = finder.find(octets, 'PCMA');
  expect(finder.find(octets, 'PCMA', first!.start + 200)).toEqual([second]);
  expect(finder.find(octets.subarray(0, second!.end - 200), 'PCMA')).toEqual([first]);
  expect(finder.find(octets, 'PCMA', first!.end)).toEqual([second]);
});

test('a clip of silence is no clip', () => {
  const silent: Bank = { name: 'silent', digits: new Map([['0', gap(300)]]) };
  expect(new DigitFinder([silent]).find(gap(2_000), 'PCMA')).toEqual([]);
});

test('150 s of another voice and the digits in it take one quick pass', () => {
  const long = Buffer.concat([clip('a voice that is in no bank', 149 * 8_000), ...say(banks[0]!, '12')]);
  const before = process.cpuUsage();
  expect(word(long)).toBe('12');
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(500);
});

test.each([
  { name: 'nothing', parts: [gap(1_000)], readings: [], isLastComplete: false },
  { name: 'one that may go on', parts: say(banks[0]!, '40'), readings: ['40'], isLastComplete: false },
  {
    name: 'one with silence after it',
    parts: [...say(banks[0]!, '40'), gap(130)],
    readings: ['40'],
    isLastComplete: true,
  },
  {
    name: 'one with half a digit after it',
    parts: [...say(banks[0]!, '40'), banks[0]!.digits.get('9')!.subarray(0, 2_000)],
    readings: ['40'],
    isLastComplete: false,
  },
  {
    name: 'two of different voices',
    parts: [...say(banks[0]!, '40'), gap(250), ...say(banks[1]!, '72'), gap(130)],
    readings: ['40', '72'],
    isLastComplete: true,
  },
])('readings: $name', ({ parts, readings, isLastComplete }) => {
  const octets = Buffer.concat(parts);
  const found = finder.find(octets, 'PCMA');
  expect(readingsOf(found, octets, 'PCMA')).toEqual({ readings, isLastComplete });
});

test('silence is silence of either sign', () => {
  const silent = (codec: 'PCMA' | 'PCMU') => [...Array(256).keys()].filter((octet) => isSilent(codec, octet));
  expect(silent('PCMA')).toEqual([0x55, 0xd5]);
  expect(silent('PCMU')).toEqual([0x7f, 0xff]);
  expect(ourAlawToUlaw[silenceOf('PCMA')]).not.toBe(undefined);
});
