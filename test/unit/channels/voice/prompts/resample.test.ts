// The filter and the moments of the samples: what a telephone carries stays as it is, what it would fold down is gone.
import { expect, test } from 'vitest';
import { resampleTo8k } from '../../../../../src/channels/voice/prompts/resample.ts';

const tone = (hz: number, rate: number, seconds = 0.5) =>
  Float32Array.from({ length: Math.round(seconds * rate) }, (_, n) => Math.sin((2 * Math.PI * hz * n) / rate));

/** The largest difference of two sounds, away from their ends. */
const distance = (a: Float32Array, b: Float32Array) =>
  a.subarray(200, -200).reduce((most, value, i) => Math.max(most, Math.abs(value - b[i + 200]!)), 0);

const rates = [11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000, 192_000, 12_347];

test.each(rates)('from %i a second, speech comes through, sample by sample', (rate) => {
  for (const hz of [0, 180, 1_000, 3_300]) {
    const out = resampleTo8k(tone(hz, rate), rate);
    expect(Math.abs(out.length - 4_000)).toBeLessThanOrEqual(1);
    expect(distance(out, tone(hz, 8_000))).toBeLessThan(0.001);
  }
});

test.each(rates)('from %i a second, nothing above 4 kHz is folded into it', (rate) => {
  for (const hz of [4_050, 5_000, 5_400])
    expect(distance(resampleTo8k(tone(hz, rate), rate), new Float32Array(4_100))).toBeLessThan(0.001);
});

test('what is constant stays so, in every phase', () => {
  const out = resampleTo8k(new Float32Array(22_050).fill(0.5), 22_050);
  expect(distance(out, new Float32Array(8_000).fill(0.5))).toBeLessThan(1e-6);
});

test('8000 a second is left as it is, and nothing is nothing', () => {
  const samples = tone(1_000, 8_000);
  expect(resampleTo8k(samples, 8_000)).toBe(samples);
  expect(resampleTo8k(new Float32Array(0), 44_100)).toHaveLength(0);
  expect(resampleTo8k(new Float32Array(3), 48_000)).toHaveLength(0);
});
