// The times of retries: the earliest is known, what is sooner than that is said, and there are never too many.
import { expect, test } from 'vitest';
import { DueTimes } from '../../../../src/engine/webhooks/due-times.ts';
import { Wakeup } from '../../../../src/time/on-demand.ts';

function dueTimes() {
  const wakeup = new Wakeup();
  const isWoken = () => {
    const { isSet } = wakeup;
    wakeup.clear();
    return isSet;
  };
  return { times: new DueTimes(wakeup), isWoken };
}

test('the earliest is next, and only what is sooner wakes anybody', () => {
  const { times, isWoken } = dueTimes();
  expect(times.next).toBeNull();
  const woken = [5_000, 9_000, 3_000, 3_000, 4_000].map((at) => {
    times.add(at);
    return isWoken();
  });
  expect(woken).toEqual([true, false, true, false, false]);
  expect(times.next).toBe(3_000);
  times.pass(2_999);
  expect(times.next).toBe(3_000);
  times.pass(4_500);
  expect(times.next).toBe(5_000);
  times.pass(9_000);
  expect(times.next).toBeNull();
});

test('a time is never early: what is due within a tenth of a second is due at its end', () => {
  const { times } = dueTimes();
  times.add(1_001);
  times.add(1_099);
  expect(times.next).toBe(1_100);
  times.pass(1_100);
  expect(times.next).toBeNull();
});

test('beyond 10,000 only what is sooner is kept', () => {
  const { times } = dueTimes();
  for (let n = 1; n <= 20_000; n += 1) times.add(n * 1_000);
  times.pass(10_000_000);
  expect(times.next).toBeNull();
  for (let n = 1; n <= 10_000; n += 1) times.add(n * 1_000);
  times.add(500);
  expect(times.next).toBe(500);
});
