import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Window } from '../../../src/smpp/window.ts';

const resp = 'submit_sm_resp';
const filled = (...items: string[]) => {
  const window = new Window<string>();
  const sequences = items.map((item) => window.add('submit_sm', item, 0, 100));
  return { window, sequences };
};

describe('an answer', () => {
  test('finds its request, whatever the order', () => {
    const { window } = filled('a', 'b');
    expect(window.answer(2, resp, 5)).toEqual({ kind: 'answered', item: 'b', rttMs: 5 });
    expect(window.answer(1, resp, 7)).toEqual({ kind: 'answered', item: 'a', rttMs: 7 });
    expect(window.size).toBe(0);
  });
  test('twice is a duplicate', () => {
    const { window } = filled('a');
    window.answer(1, resp, 5);
    expect(window.answer(1, resp, 6)).toEqual({ kind: 'duplicate' });
  });
  test('after the deadline is late, once', () => {
    const { window } = filled('a');
    expect(window.expire(100)).toEqual(['a']);
    expect(window.answer(1, resp, 130)).toEqual({ kind: 'late', item: 'a', rttMs: 130 });
    expect(window.answer(1, resp, 131)).toEqual({ kind: 'duplicate' });
  });
  test.each([0, 2, 0x7fffffff])('to number %d, which nobody asked, is unknown', (sequence) => {
    const { window } = filled('a');
    expect(window.answer(sequence, resp, 5)).toEqual({ kind: 'unknown' });
    expect(window.size).toBe(1);
  });
  test('with another command is unknown and takes nothing', () => {
    const { window } = filled('a');
    expect(window.answer(1, 'query_sm_resp', 5)).toEqual({ kind: 'unknown' });
    expect(window.answer(1, 'generic_nack', 5)).toMatchObject({ kind: 'answered' });
  });
});

describe('deadlines', () => {
  test('each request has its own', () => {
    const window = new Window<string>();
    window.add('submit_sm', 'slow', 0, 500);
    window.add('submit_sm', 'fast', 0, 100);
    expect(window.nextDeadline()).toBe(100);
    expect(window.expire(99)).toEqual([]);
    expect(window.expire(100)).toEqual(['fast']);
    expect(window.nextDeadline()).toBe(500);
    expect(window.expire(1_000)).toEqual(['slow']);
    expect(window.nextDeadline()).toBeNull();
  });
});

test('drain gives what waits, and then nothing is known', () => {
  const { window } = filled('a', 'b');
  window.answer(1, resp, 1);
  expect(window.drain()).toEqual([{ sequence: 2, item: 'b' }]);
  expect(window.answer(1, resp, 2)).toEqual({ kind: 'unknown' });
});

test('what is remembered of finished requests is bounded', () => {
  const window = new Window<number>();
  for (let i = 1; i <= 2_500; i++) {
    window.answer(window.add('submit_sm', i, 0, 100), resp, 1);
    expect(window.answer(Math.max(1, i - 1_000), resp, 2)).toEqual({ kind: 'duplicate' });
    if (i > 1_024) expect(window.answer(i - 1_024, resp, 2)).toEqual({ kind: 'unknown' });
  }
});

test('however many wait, each keeps its number', () => {
  const window = new Window<number>();
  const oldest = window.add('submit_sm', 0, 0, 100);
  for (let i = 1; i < 5_000; i++) window.answer(window.add('submit_sm', i, 0, 100), resp, 1);
  const sequences = Array.from({ length: 5_000 }, (_, i) => window.add('submit_sm', i, i, 100));
  expect(new Set([oldest, ...sequences]).size).toBe(5_001);
  expect(window.size).toBe(5_001);
  expect(window.answer(oldest, resp, 1)).toMatchObject({ kind: 'answered', item: 0 });
  for (const [item, sequence] of sequences.entries()) {
    expect(window.answer(sequence, resp, item)).toEqual({ kind: 'answered', item, rttMs: 0 });
  }
});

test('every request ends exactly once', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('add' as const), timeoutMs: fc.integer({ min: 1, max: 20 }) }),
    fc.record({ do: fc.constant('answer' as const), sequence: fc.integer({ min: 0, max: 30 }) }),
    fc.record({ do: fc.constant('expire' as const), afterMs: fc.integer({ min: 0, max: 10 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const window = new Window<number>();
      const ended: number[] = [];
      let [added, now] = [0, 0];
      for (const each of steps) {
        if (each.do === 'add') window.add('submit_sm', ++added, now, each.timeoutMs);
        if (each.do === 'expire') {
          now += each.afterMs;
          ended.push(...window.expire(now));
        }
        if (each.do === 'answer') {
          const answered = window.answer(each.sequence, resp, now);
          if (answered.kind === 'answered') ended.push(answered.item);
        }
      }
      ended.push(...window.drain().map(({ item }) => item));
      expect(ended.toSorted((a, b) => a - b)).toEqual(Array.from({ length: added }, (_, i) => i + 1));
    }),
  );
});
