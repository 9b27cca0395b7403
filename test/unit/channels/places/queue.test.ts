// The queue for places on one route, with its clock and timers in hand.
import { expect, test } from 'vitest';
import { HeldTime, PlaceQueue } from '../../../../src/channels/places/queue.ts';

function setUp(free: number[], tokens = 1000) {
  let now = 0;
  let left = tokens;
  const timers: { at: number; run: () => void }[] = [];
  const seats = free.map((free, n) => ({ n, open: true, free }));
  const queue = new PlaceQueue({
    seats: () => seats,
    now: () => now,
    rate: {
      take: () => {
        if (left <= 0) return { kind: 'wait', until: now + 10 };
        left -= 1;
        return { kind: 'taken' };
      },
      put: () => {
        left += 1;
      },
    },
    setTimer: (run, ms) => {
      const timer = { at: now + ms, run };
      timers.push(timer);
      return { clear: () => timers.splice(timers.indexOf(timer), 1) };
    },
  });
  const refill = (tokens: number) => {
    left += tokens;
  };
  const pass = (ms: number, tokens = 0) => {
    now += ms;
    refill(tokens);
    for (const timer of timers.splice(0)) timer.run();
  };
  const granted: (number | null)[] = [];
  const ask = (signal = new AbortController().signal) =>
    queue.reserve(signal).then((seat) => granted.push(seat ? seat.n : null));
  return { queue, seats, pass, refill, ask, granted };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('the seat with most room is taken, and no room is given twice', async () => {
  const { ask, granted, queue, seats } = setUp([1, 2]);
  for (let n = 0; n < 5; n += 1) void ask();
  await settled();
  expect(granted.toSorted()).toEqual([0, 1, 1]);
  expect(queue.length).toBe(2);
  queue.release(seats[0] as (typeof seats)[0]);
  await settled();
  expect(granted).toHaveLength(4);
});

test('of seats with the same room each is taken in its turn', async () => {
  const { ask, granted, queue, seats } = setUp([5, 5, 5]);
  for (let n = 0; n < 6; n += 1) {
    await ask();
    queue.release(seats[granted.at(-1)!]!); // answered at once: all have the same room again
  }
  expect(granted).toEqual([0, 1, 2, 0, 1, 2]);
});

test('a seat to be tried comes first, one at a time; a last resort only where no other is open', async () => {
  const { ask, granted, seats } = setUp([5, 1, 9]);
  Object.assign(seats[1]!, { trust: 'to_be_tried' });
  Object.assign(seats[2]!, { trust: 'last_resort' });
  for (let n = 0; n < 7; n += 1) void ask();
  await settled();
  expect(granted).toEqual([1, 0, 0, 0, 0, 0]);
  seats[0]!.open = false;
  seats[1]!.open = false;
  await ask();
  expect(granted).toEqual([1, 0, 0, 0, 0, 0, 2, 2]);
});

test('without tokens it waits for the rate, first come first served', async () => {
  const { ask, granted, pass } = setUp([100], 1);
  const order: number[] = [];
  for (let n = 0; n < 3; n += 1) void ask().then(() => order.push(n));
  await settled();
  expect(granted).toHaveLength(1);
  pass(10, 1);
  await settled();
  pass(10, 1);
  await settled();
  expect(order).toEqual([0, 1, 2]);
});

test('an aborted waiter leaves without a place', async () => {
  const { ask, granted, queue } = setUp([0]);
  const abort = new AbortController();
  void ask(abort.signal);
  abort.abort();
  await settled();
  expect(granted).toEqual([null]);
  expect(queue.length).toBe(0);
  void ask(abort.signal);
  await settled();
  expect(granted).toEqual([null, null]);
});

test('when the last seat is lost, every waiter is refused', async () => {
  const { ask, granted, queue, seats } = setUp([0]);
  void ask();
  void ask();
  (seats[0] as (typeof seats)[0]).open = false;
  queue.pump();
  await settled();
  expect(granted).toEqual([null, null]);
  void ask();
  await settled();
  expect(granted).toHaveLength(3);
});

test('at once: room on a seat and a token, or nothing', () => {
  const { queue, seats } = setUp([1, 2], 3);
  expect([0, 1, 2, 3].map(() => queue.reserveNow()?.n ?? null)).toEqual([1, 0, 1, null]);
  queue.release(seats[0] as (typeof seats)[0]);
  expect(queue.reserveNow()).toBeNull(); // There is room, and no token.
});

test('at once overtakes nobody who waits', async () => {
  const { ask, granted, queue, refill, pass } = setUp([3], 1);
  expect(queue.reserveNow()?.n).toBe(0);
  void ask();
  await settled();
  refill(1); // There is room, and a token: they are for the waiter.
  expect(queue.reserveNow()).toBeNull();
  pass(10);
  await settled();
  expect(granted).toEqual([0]);
});

test('at once needs a seat that is open', () => {
  const { queue, seats } = setUp([1]);
  for (const seat of seats) seat.open = false;
  expect(queue.reserveNow()).toBeNull();
});

test('a place that is given back leaves its token to others, too', async () => {
  const { ask, granted, queue, seats } = setUp([1], 1);
  expect(queue.reserveNow()?.n).toBe(0);
  void ask();
  await settled();
  expect(granted).toEqual([]);
  queue.giveBack(seats[0] as (typeof seats)[0]);
  await settled();
  expect(granted).toEqual([0]);
});

test('the age of the queue is that of the first in line', async () => {
  const { queue, pass, ask, granted } = setUp([5], 0);
  expect(queue.oldestMs).toBe(0);
  const first = ask();
  pass(4);
  ask();
  pass(3);
  expect([queue.length, queue.oldestMs]).toEqual([2, 7]);
  pass(3, 1);
  await first;
  expect(granted).toEqual([0]);
  expect([queue.length, queue.oldestMs]).toEqual([1, 6]);
});

test('it is full while no seat has room, whether for a message or for a place that is kept', async () => {
  const { ask, queue, seats } = setUp([1, 1], 1);
  expect(queue.isFull).toBe(false);
  await ask();
  expect(queue.isFull).toBe(false);
  seats[1]!.free = 0;
  expect(queue.isFull).toBe(true);
  seats.splice(0);
  expect(queue.isFull).toBe(true);
});

test('places come back as often as they were held for lately, and one long time counts little', () => {
  const held = new HeldTime();
  const add = (count: number, ms: number) => {
    for (let n = 0; n < count; n += 1) held.add(ms);
  };
  expect(held.perSecond(10)).toBe(Number.POSITIVE_INFINITY);
  add(1, 10_000);
  expect(held.perSecond(10)).toBe(16);
  add(100, 500);
  expect(held.perSecond(10)).toBeCloseTo(20, 0);
  add(1, -3_600_000); // a clock that was set back
  expect(held.perSecond(10)).toBeLessThan(22);
  add(100, 50);
  expect(held.perSecond(10)).toBeGreaterThan(190);
});
