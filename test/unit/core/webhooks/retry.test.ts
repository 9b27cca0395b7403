import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isWebhookSuccess,
  nextAttempt,
  parseRetryAfter,
  webhookAttempts,
  webhookDelaysMs,
} from '../../../../src/core/webhooks/retry.ts';

const now = Date.UTC(2026, 0, 1);
const share = fc.double({ min: 0, max: 1, noNaN: true });

describe('nextAttempt', () => {
  it('follows the schedule and then gives up', () => {
    const waits = Array.from({ length: webhookAttempts }, (_, index) => {
      const next = nextAttempt({ attempt: index + 1, now, jitter: 0 });
      return next.kind === 'retry' ? (next.at - now) / 1000 : next.kind;
    });
    expect(waits).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400, 'exhausted']);
  });

  it('is never early, and at most a tenth late', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), share, (attempt, jitter) => {
        const next = nextAttempt({ attempt, now, jitter });
        const delayMs = webhookDelaysMs[attempt - 1] ?? 0;
        if (next.kind !== 'retry') throw new Error('exhausted too soon');
        expect(next.at).toBeGreaterThanOrEqual(now + delayMs);
        expect(next.at).toBeLessThanOrEqual(now + delayMs * 1.1);
      }),
    );
  });

  it('waits longer when asked to, never shorter, and never for ever', () => {
    const wait = (retryAfterMs: number) => nextAttempt({ attempt: 1, now, jitter: 0, retryAfterMs });
    expect(wait(60_000)).toEqual({ kind: 'retry', at: now + 60_000 });
    expect(wait(1000)).toEqual({ kind: 'retry', at: now + 5000 });
    expect(wait(10 ** 12)).toEqual({ kind: 'retry', at: now + 86_400_000 });
    expect(nextAttempt({ attempt: 10, now, jitter: 0, retryAfterMs: 1000 })).toEqual({ kind: 'exhausted' });
  });
});

describe('an endpoint', () => {
  it('succeeds with 2xx only', () => {
    expect([199, 200, 204, 299, 300, 304, 410, 500].filter(isWebhookSuccess)).toEqual([200, 204, 299]);
  });
});

describe('parseRetryAfter', () => {
  it.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    [undefined, undefined],
    ['', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['June', undefined],
    ['2026-01-01', undefined],
    ['Xxx, nonsense GMT', undefined],
    ['9'.repeat(30), undefined],
  ])('reads %j as %j', (header, ms) => {
    expect(parseRetryAfter(header, now)).toBe(ms);
  });
});
