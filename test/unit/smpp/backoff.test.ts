import { describe, expect, test } from 'vitest';
import { defaultBackoff, pauseAfter } from '../../../src/smpp/backoff.ts';

const pause = (status: number | null, failures: number, random = 1) =>
  pauseAfter(status, failures, random, defaultBackoff);

describe('the pause before the next try', () => {
  test.each([
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [6, 32_000],
    [7, 60_000],
    [10_000, 60_000],
  ])('failure %d: up to %d ms', (failures, ms) => {
    expect(pause(null, failures)).toEqual({ ms, alarm: false });
    expect(pause(null, failures, 0.5)).toEqual({ ms: ms / 2, alarm: false });
    expect(pause(null, failures, 0)).toEqual({ ms: 0, alarm: false });
  });
  test.each([0x0d, 0x0e, 0x0f])('refused credentials (status %d): five minutes and an alarm', (status) => {
    expect(pause(status, 1, 0)).toEqual({ ms: 300_000, alarm: true });
  });
  test('already bound: a minute', () => {
    expect(pause(0x05, 1, 0)).toEqual({ ms: 60_000, alarm: false });
  });
  test.each([0x08, 0x58, 0xff])('another refusal (status %d): as any failure', (status) => {
    expect(pause(status, 2)).toEqual({ ms: 2_000, alarm: false });
  });
});
