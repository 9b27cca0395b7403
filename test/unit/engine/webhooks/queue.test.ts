// The queue in front of the endpoints: order, bounds, and that those that hang leave room for those that answer.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../../../src/engine/webhooks/queue.ts';

const bounds = { maxInFlight: 4, maxInFlightPerEndpoint: 2, maxWaiting: 6, maxWaitingPerEndpoint: 3 };
const ascending = (one: number, other: number) => one < other;
const takeAll = (queue: FairQueue<number>) => {
  const taken: string[] = [];
  for (let next = queue.take(); next; next = queue.take()) taken.push(`${next.endpointId}${next.item}`);
  return taken;
};

describe('FairQueue', () => {
  it('takes endpoints in turn and each one in order', () => {
    const queue = new FairQueue<number>(bounds, ascending);
    for (const item of [1, 2, 3]) queue.offer('a', item);
    for (const item of [1, 2]) queue.offer('b', item);
    expect(takeAll(queue)).toEqual(['a1', 'b1', 'a2', 'b2']);
    queue.done('a', true);
    expect(takeAll(queue)).toEqual(['a3']);
  });

  it('refuses what does not fit and says who is full', () => {
    const queue = new FairQueue<number>(bounds, ascending);
    expect([1, 2, 3, 4].map((item) => queue.offer('a', item))).toEqual([true, true, true, false]);
    expect([1, 2, 3].map((item) => queue.offer('b', item))).toEqual([true, true, true]);
    expect(queue.room).toBe(0);
    expect(queue.offer('c', 1)).toBe(false);
  });

  it('what has waited in the table has room of its own, and goes by its age', () => {
    const queue = new FairQueue<number>({ ...bounds, maxInFlight: 9, maxInFlightPerEndpoint: 9 }, ascending);
    for (const item of [3, 5, 6]) queue.offer('a', item);
    expect(queue.full()).toEqual([]);
    expect([1, 2, 4, 7].map((item) => queue.offer('a', item, 'table'))).toEqual([true, true, true, false]);
    expect(queue.full()).toEqual(['a']);
    expect([...queue.items()]).toHaveLength(6);
    expect(takeAll(queue)).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'a6']);
  });

  it('gives an endpoint that failed one place until it delivers', () => {
    const queue = new FairQueue<number>(bounds, ascending);
    for (const item of [1, 2, 3]) queue.offer('a', item);
    expect(takeAll(queue)).toEqual(['a1', 'a2']);
    queue.done('a', false);
    expect(takeAll(queue)).toEqual([]); // a2 is still under way
    queue.done('a', null);
    expect(takeAll(queue)).toEqual(['a3']);
    queue.done('a', true);
    for (const item of [4, 5, 6]) queue.offer('a', item);
    expect(takeAll(queue)).toEqual(['a4', 'a5']);
  });

  it('any number of endpoints that fail get at most half of the places', () => {
    const queue = new FairQueue<number>({ ...bounds, maxWaiting: 100 }, ascending);
    const hanging = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const id of hanging) {
      queue.offer(id, 1);
      queue.take();
      queue.done(id, false);
    }
    for (const id of hanging) queue.offer(id, 2);
    expect(takeAll(queue)).toHaveLength(2);
    queue.offer('well', 1);
    expect(takeAll(queue)).toEqual(['well1']);
  });

  describe('of several accounts', () => {
    type Item = { of: string; at: number };
    const older = (one: Item, other: Item) => one.at < other.at;
    const many = { maxInFlight: 8, maxInFlightPerEndpoint: 2, maxWaiting: 24, maxWaitingPerEndpoint: 3 };
    const newQueue = (over: Partial<typeof many> = {}) =>
      new FairQueue<Item>({ ...many, ...over }, older, undefined, ({ of }) => of);
    const fill = (queue: FairQueue<Item>, of: string) => {
      const offered = Array.from({ length: 30 }, (_, n) => queue.offer(`${of}${n % 10}`, { of, at: n }));
      return offered.filter(Boolean).length;
    };
    const start = (queue: FairQueue<Item>) => {
      const taken: string[] = [];
      for (let next = queue.take(); next; next = queue.take()) taken.push(next.endpointId);
      return taken;
    };

    it('one has three times as many places as it leaves free, however many endpoints it has', () => {
      const queue = newQueue({ maxInFlight: 16, maxWaiting: 1_000 });
      fill(queue, 'x');
      expect(start(queue)).toHaveLength(12);
      fill(queue, 'y');
      expect(start(queue)).toEqual(['y0', 'y1', 'y2']);
      queue.offer('z0', { of: 'z', at: 0 });
      expect(start(queue)).toEqual(['z0']);
      expect(queue.inFlight).toBe(16);
    });

    it('one goes on as soon as a place is free again, its own or another one', () => {
      const queue = newQueue({ maxWaiting: 1_000 });
      queue.offer('y0', { of: 'y', at: 0 });
      expect(start(queue)).toEqual(['y0']);
      fill(queue, 'x');
      expect(start(queue)).toHaveLength(6);
      queue.done('x0', true);
      expect(start(queue)).toHaveLength(1);
      queue.offer('z0', { of: 'z', at: 0 });
      expect(start(queue)).toEqual(['z0']);
      queue.done('y0', true);
      queue.done('z0', true);
      queue.done('x1', true);
      expect(start(queue)).toHaveLength(1);
    });

    it('one has three times as much room as it leaves free; claims pass its endpoints over, also those that have nothing here', () => {
      const queue = newQueue();
      expect(fill(queue, 'x')).toBe(18);
      expect(queue.offer('x99', { of: 'x', at: 99 }, 'table')).toBe(false);
      expect(queue.full()).toEqual(expect.arrayContaining(['x0', 'x9', 'x99']));
      expect(fill(queue, 'y')).toBe(5);
      queue.clear();
      expect(queue.full()).toEqual([]);
      expect(fill(queue, 'x')).toBe(18);
    });
  });

  it('forgets what waits', () => {
    const queue = new FairQueue<number>(bounds, ascending);
    queue.offer('a', 1);
    queue.offer('b', 1);
    queue.take();
    queue.clear();
    expect([queue.waiting, queue.inFlight, queue.take()]).toEqual([0, 1, null]);
    queue.done('a', true);
    expect(queue.inFlight).toBe(0);
  });

  it('done without take is a bug', () =>
    expect(() => new FairQueue<number>(bounds, ascending).done('a', true)).toThrow());

  it('keeps its bounds, loses nothing and never stalls, whatever happens', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd');
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('offer' as const),
        id,
        from: fc.constantFrom('commit' as const, 'table' as const),
      }),
      fc.record({ kind: fc.constant('take' as const) }),
      fc.record({ kind: fc.constant('done' as const), id, delivered: fc.constantFrom(true, false, null) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), fc.boolean(), (steps, ofAccounts) => {
        const accounts = new Map<number, string>();
        const accountOf = (item: number) => (ofAccounts ? (accounts.get(item) ?? null) : null);
        const queue = new FairQueue<number>(bounds, ascending, undefined, accountOf);
        const waiting = new Map<string, number[]>(); // each line's in the order of their age
        const inFlight = new Map<string, number>();
        const of = (key: string) => inFlight.get(key) ?? 0;
        let made = 0;
        for (const each of steps) {
          if (each.kind === 'offer') {
            made += 1;
            accounts.set(made, each.id < 'c' ? 'one' : 'other');
            if (queue.offer(each.id, made, each.from)) waiting.set(each.id, [...(waiting.get(each.id) ?? []), made]);
          } else if (each.kind === 'take') {
            const next = queue.take();
            if (!next) continue;
            expect(next.item).toBe(waiting.get(next.endpointId)?.shift());
            inFlight.set(next.endpointId, of(next.endpointId) + 1);
            expect(of(next.endpointId)).toBeLessThanOrEqual(bounds.maxInFlightPerEndpoint);
          } else if (of(each.id) > 0) {
            inFlight.set(each.id, of(each.id) - 1);
            queue.done(each.id, each.delivered);
          }
          const flying = [...inFlight.values()].reduce((a, b) => a + b, 0);
          expect(queue.inFlight).toBe(flying);
          expect(queue.waiting).toBe([...waiting.values()].flat().length);
          expect(flying).toBeLessThanOrEqual(bounds.maxInFlight);
        }
        // Run dry: everything that waits comes out.
        for (let round = 0; round < 200 && queue.waiting + queue.inFlight > 0; round += 1) {
          for (const [key, count] of inFlight) {
            for (let n = 0; n < count; n += 1) queue.done(key, false);
            inFlight.set(key, 0);
          }
          const next = queue.take();
          if (next) inFlight.set(next.endpointId, of(next.endpointId) + 1);
        }
        expect([queue.waiting, queue.inFlight]).toEqual([0, 0]);
      }),
    );
  });
});
