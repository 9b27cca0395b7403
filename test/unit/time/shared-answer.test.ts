import { expect, test } from 'vitest';
import { sharedAnswer } from '../../../src/time/shared-answer.ts';

test('callers share the answer that is on its way, and what it was for a while', async () => {
  let asked = 0;
  let at = 0;
  const answer = sharedAnswer(async () => ++asked, { keepMs: 500, now: () => at });
  expect(await Promise.all([answer(), answer(), answer()])).toEqual([1, 1, 1]);
  at = 499;
  expect(await answer()).toBe(1);
  at = 500;
  expect(await Promise.all([answer(), answer()])).toEqual([2, 2]);
});

test('an answer that takes longer than it is kept for is awaited all the same', async () => {
  const slow = Promise.withResolvers<string>();
  let asked = 0;
  let at = 0;
  const ask = () => {
    asked += 1;
    return slow.promise;
  };
  const answer = sharedAnswer(ask, { keepMs: 500, now: () => at });
  const first = answer();
  at = 10_000;
  const second = answer();
  slow.resolve('here');
  expect(await Promise.all([first, second, answer()])).toEqual(['here', 'here', 'here']);
  expect(asked).toBe(1);
});

test('a failure is told to those who wait for it, and to nobody after them', async () => {
  let asked = 0;
  const ask = async () => {
    asked += 1;
    if (asked === 1) throw new Error('away');
    return 'back';
  };
  const answer = sharedAnswer(ask, { keepMs: 500, now: () => 0 });
  expect((await Promise.allSettled([answer(), answer()])).map(({ status }) => status)).toEqual([
    'rejected',
    'rejected',
  ]);
  expect(await answer()).toBe('back');
});
