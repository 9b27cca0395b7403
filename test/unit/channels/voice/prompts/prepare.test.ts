// A recording becomes a clip: whatever room and microphone it comes from, it is trimmed, at the level of all prompts, and A-law.
import { describe, expect, test } from 'vitest';
import { linearToAlaw } from '../../../../../src/channels/voice/alaw.ts';
import type { ClipName } from '../../../../../src/channels/voice/clip.ts';
import { alawSamples, clipFacts, clipProblems } from '../../../../../src/channels/voice/prompts/check.ts';
import { prepareClip } from '../../../../../src/channels/voice/prompts/prepare.ts';
import { join, recording, silence, speech, wavOf } from './sounds.ts';

const rate = 48_000;
const pcm = { tag: 'pcm', bits: 16, rate } as const;

function prepared(wav: Uint8Array, name: ClipName = '4') {
  const found = prepareClip(name, wav);
  if (found.kind === 'refused') throw new Error(found.reason);
  return found;
}

/** A steady tone or a click over a whole recording. */
const plus = (samples: Float32Array, more: (t: number) => number) =>
  samples.map((sample, n) => sample + more(n / rate));
const said = join(silence(0.5, rate), speech(0.6, rate, 0.2), silence(0.7, rate));

describe('any recording of 0.6 s', () => {
  test.each<[string, Float32Array[]]>([
    ['as it should be', [said]],
    ['softly', [said.map((sample) => sample * 0.05)]],
    ['loudly', [said.map((sample) => sample * 4)]],
    ['with the hum of mains', [plus(said, (t) => 0.05 * Math.sin(2 * Math.PI * 50 * t))]],
    ['with a constant offset', [plus(said, () => 0.1)]],
    ['with noise', [plus(said, (t) => 0.004 * ((Math.sin(t * 1e6) * 43_758) % 1))]],
    ['with a click of the mouse before and after it', [plus(said, (t) => (t % 1.6 > 0.1 && t % 1.6 < 0.11 ? 0.5 : 0))]],
    ['on one side of two', [silence(1.8, rate), said]],
    ['on both sides, one turned round', [said, said.map((sample) => -sample)]],
  ])('%s', (_, channels) => {
    const { facts, clip } = prepared(wavOf(channels, pcm));
    expect(facts).toEqual(clipFacts(clip));
    expect(facts.levelDb).toBeCloseTo(-16, 0);
    expect(facts.clipped).toBe(0);
    // 40 ms before the speech and 80 ms behind it are kept.
    expect(facts.lengthMs).toBeGreaterThan(650);
    expect(facts.lengthMs).toBeLessThan(780);
  });
});

test('it begins and ends in silence: nothing clicks between two clips', () => {
  const samples = alawSamples(prepared(recording(0.5)).clip);
  for (const at of [0, -1]) expect(Math.abs(samples.at(at) ?? 1)).toBeLessThan(0.001);
});

test('a pause between two sentences stays', () => {
  const wav = wavOf([join(said, said)], pcm);
  expect(prepared(wav, 'intro').facts.lengthMs).toBeGreaterThan(2_350);
});

test('it is what was recorded', () => {
  const { clip } = prepared(
    wavOf([join(silence(0.3), speech(0.5, 8_000, 0.3, 600), silence(0.3))], { ...pcm, rate: 8_000 }),
  );
  const heard = alawSamples(clip);
  const original = speech(0.5, 8_000, 0.3, 600);
  const correlation = (lag: number) => original.reduce((sum, sample, n) => sum + sample * (heard[n + lag] ?? 0), 0);
  const power = (samples: Float32Array) => samples.reduce((sum, sample) => sum + sample * sample, 0);
  const best = Math.max(...Array.from({ length: 640 }, (_, lag) => correlation(lag)));
  expect(best / Math.sqrt(power(original) * power(heard))).toBeGreaterThan(0.85);
});

test.each<[string, ClipName, Uint8Array, RegExp]>([
  ['silence', '4', wavOf([silence(1, rate)], pcm), /^has no speech in it$/],
  [
    'a click alone',
    '4',
    wavOf([plus(silence(1, rate), (t) => (t > 0.5 && t < 0.51 ? 0.5 : 0))], pcm),
    /^has no speech in it$/,
  ],
  ['an overdriven microphone', '4', wavOf([said.map((sample) => sample * 40)], pcm), /^is clipped: speak more softly/],
  ['a word of two seconds', '4', recording(2), /^lasts 2\.\d\d s, and may last at most 1\.50 s/],
  ['a sentence of 15 s', 'bye', recording(15, { rate: 16_000 }), /may last at most 12\.00 s/],
  ['more than a minute', 'bye', recording(61, { rate: 8_000 }), /^lasts more than 60 s$/],
  ['a digit where a sentence should be', 'intro', recording(0.2), /must last at least 0\.40 s/],
  ['no WAV file', '4', Buffer.from('hello'), /^is no WAV file$/],
])('refused: %s', (_, name, wav, reason) => {
  expect(prepareClip(name, wav)).toEqual({ kind: 'refused', reason: expect.stringMatching(reason) });
});

describe('the check of a clip', () => {
  const clip = (samples: Float32Array) =>
    Uint8Array.from(samples, (sample) => linearToAlaw(Math.round(sample * 32_767)));
  const problems = (name: ClipName, samples: Float32Array) => clipProblems(name, clipFacts(clip(samples)));
  const good = alawSamples(prepared(recording(0.5)).clip);

  test('takes what is good', () => expect(problems('4', good)).toEqual([]));
  test.each<[string, Float32Array, RegExp]>([
    ['too soft', good.map((sample) => sample / 1.6), /level of -20\.\d dBFS, and must have -16 ± 3 dBFS/],
    ['too loud', good.map((sample) => sample * 1.6), /level of -1[12]\.\d dBFS/],
    ['too short', good.subarray(800, 1_600), /lasts 0\.10 s, and must last at least 0\.15 s/],
    ['silent', silence(0.5), /has no speech in it/],
    ['clipped', good.map((sample) => Math.max(-1, Math.min(1, sample * 4)) * 1), /is clipped in \d+\.\d %/],
    ['empty', silence(0), /has no speech in it/],
  ])('names what is %s', (_, samples, problem) => {
    expect(problems('4', samples).join('; ')).toMatch(problem);
  });
  test('measures the speech, not the pauses', () => {
    const { levelDb } = clipFacts(clip(join(good, silence(1), good)));
    expect(levelDb).toBeCloseTo(clipFacts(clip(good)).levelDb ?? 0, 0);
  });
});
