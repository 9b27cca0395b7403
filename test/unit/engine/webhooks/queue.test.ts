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
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const queue = new FairQueue<number>(bounds, ascending);
        const waiting = new Map<string, number[]>(); // each line's in the order of their age
        const inFlight = new Map<string, number>();
        const of = (key: string) => inFlight.get(key) ?? 0;
        let made = 0;
        for (const each of steps) {
          if (each.kind === 'offer') {
            made += 1;
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
