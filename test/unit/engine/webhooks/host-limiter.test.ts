// What one host gets: places, rate, shares of processes; and that what waits for a host holds up nobody else and loses nothing.
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { HostLimiter, hostOf } from '../../../../src/engine/webhooks/host-limiter.ts';
import { FairQueue } from '../../../../src/engine/webhooks/queue.ts';

let now = 0;
let processes = 1;
/** How far the clock goes on at each look, ms. */
let tickMs = 0;
beforeEach(() => {
  [now, processes, tickMs] = [0, 1, 0];
});
const newLimiter = (atOnce: number, perSecond: number) =>
  new HostLimiter({
    settings: { deliveriesPerHost: atOnce, deliveriesPerHostPerSecond: perSecond },
    fleet: {
      get alive() {
        return processes;
      },
    },
    now: () => {
      now += tickMs;
      return now;
    },
  });
const bounds = { maxInFlight: 100, maxInFlightPerEndpoint: 10, maxWaiting: 1_000, maxWaitingPerEndpoint: 100 };
const ascending = (one: number, other: number) => one < other;
const takeAll = (queue: FairQueue<number>) => {
  const taken: string[] = [];
  for (let next = queue.take(); next; next = queue.take()) taken.push(`${next.endpointId}${next.item}`);
  return taken;
};

test.each([
  ['https://Example.COM/x', 'example.com'],
  ['https://example.com.:8443/', 'example.com'],
  ['https://bücher.example/', 'xn--bcher-kva.example'],
  ['https://192.0.2.1:444/', '192.0.2.1'],
  ['https://3221225985/', '192.0.2.1'],
  ['https://[::ffff:192.0.2.1]/', '192.0.2.1'],
  ['https://[2001:DB8:0::1]/', '2001:db8::1'],
  ['no address', 'no address'],
])('the host of %s is %s', (url, host) => {
  expect(hostOf(url)).toBe(host);
});

describe('a host', () => {
  test('gets so many at once, and so many a second after a small burst', () => {
    const hosts = newLimiter(20, 50);
    let started = 0;
    for (; now < 10_000; now += 1) {
      while (hosts.room('h') > 0) {
        hosts.take('h');
        hosts.done('h', true);
        started += 1;
      }
    }
    expect(started).toBeLessThanOrEqual(10 + 500);
    expect(started).toBeGreaterThan(495);
    while (hosts.room('h') > 0) hosts.take('h');
    for (let n = 0; n < 20; n += 1) hosts.done('h', true);
    expect(hosts.waitMs('h')).toBeGreaterThan(0);
    expect(hosts.waitMs('h')).toBeLessThanOrEqual(20);
    const other = newLimiter(20, 10_000);
    for (let n = 0; n < 20; n += 1) other.take('h');
    expect([other.room('h'), other.waitMs('h'), other.room('i')]).toEqual([0, null, 20]);
  });

  test('is not charged for what was not sent', () => {
    const hosts = newLimiter(5, 1);
    hosts.take('h');
    hosts.done('h', false);
    expect(hosts.room('h')).toBe(1);
  });

  test('is shared by the processes alive; each has one place at least', () => {
    const hosts = newLimiter(20, 50);
    processes = 3;
    expect(hosts.room('h')).toBe(3); // of the rate's burst, 10 over all
    const fast = newLimiter(20, 1_000_000);
    expect(fast.room('h')).toBe(6);
    expect([fast.share(16), fast.share(4)]).toEqual([5, 1]); // Three times as many are no more than the bound.
    processes = 40;
    expect(fast.room('h')).toBe(1);
    expect([fast.share(16), fast.share(80)]).toEqual([1, 2]);
  });

  test('is forgotten when it is idle and others need the room, and not before its rate is full again', () => {
    const hosts = newLimiter(20, 1);
    for (let n = 0; n < 1_000; n += 1) {
      hosts.take(`h${n}`);
      hosts.done(`h${n}`, true);
    }
    hosts.take('one');
    expect(hosts.size).toBe(1_001);
    expect(hosts.room('h0')).toBe(0);
    now += 1_000;
    hosts.take('two');
    expect(hosts.size).toBe(2);
  });
});

describe('the queue', () => {
  test('lets endpoints of one host go on in turn as it gets more, and other hosts at once', () => {
    const queue = new FairQueue<number>(bounds, ascending, newLimiter(2, 1_000_000));
    for (const item of [1, 2, 3]) for (const id of ['a', 'b', 'c']) queue.offer(id, item, 'commit', 'victim');
    for (const item of [1, 2, 3]) queue.offer('z', item, 'commit', 'other');
    expect(takeAll(queue)).toEqual(['a1', 'b1', 'z1', 'z2']);
    queue.done('a', true, 'victim');
    queue.done('z', true, 'other');
    expect(takeAll(queue)).toEqual(['c1', 'z3']);
    queue.done('b', true, 'victim');
    queue.done('c', true, 'victim');
    expect(takeAll(queue)).toHaveLength(2);
  });

  test('says when the rate of a host lets it go on', () => {
    const queue = new FairQueue<number>(bounds, ascending, newLimiter(20, 5)); // a burst of one
    for (const item of [1, 2]) queue.offer('a', item, 'commit', 'h');
    expect(takeAll(queue)).toEqual(['a1']);
    queue.done('a', true, 'h');
    expect(takeAll(queue)).toEqual([]);
    expect(queue.waitMs()).toBe(200);
    now += 200;
    queue.wake();
    expect(takeAll(queue)).toEqual(['a2']);
    expect(queue.waitMs()).toBeNull();
  });

  test('says so even when the rate lets it go on at that very moment', () => {
    const queue = new FairQueue<number>(bounds, ascending, newLimiter(20, 5));
    for (const item of [1, 2]) queue.offer('a', item, 'commit', 'h');
    expect(takeAll(queue)).toEqual(['a1']);
    queue.done('a', true, 'h');
    expect(takeAll(queue)).toEqual([]);
    // A look at 199 ms finds no token, one at 200 ms finds it.
    [now, tickMs] = [198, 1];
    expect(queue.waitMs()).toBeGreaterThan(0);
  });

  test('has room for a few seconds of one host, and tells which of its endpoints to pass over', () => {
    const queue = new FairQueue<number>(bounds, ascending, newLimiter(1, 5)); // 30 of each source
    const offered = Array.from({ length: 40 }, (_, n) => queue.offer(n % 2 ? 'a' : 'b', n, 'table', 'h'));
    expect(offered.filter(Boolean)).toHaveLength(30);
    expect(queue.offer('late', 1, 'table', 'h')).toBe(false);
    expect(queue.offer('z', 1, 'table', 'other')).toBe(true);
    expect(queue.full().sort()).toEqual(['a', 'b', 'late']);
    expect(queue.slow()).toEqual([]);
    queue.clear();
    expect(queue.full()).toEqual([]);
  });

  test('starts nothing before it knows the host, and follows an address that changes', () => {
    const queue = new FairQueue<number>(bounds, ascending, newLimiter(1, 1_000_000));
    queue.offer('a', 1, 'commit', null);
    queue.offer('a', 2, 'commit', null);
    queue.offer('b', 1, 'commit', 'h');
    expect(takeAll(queue)).toEqual(['b1']);
    queue.setHost('a', 'h');
    expect(takeAll(queue)).toEqual([]);
    queue.setHost('a', 'i');
    expect(takeAll(queue)).toEqual(['a1']);
    queue.done('a', true, 'i');
    queue.done('b', true, 'h');
    expect(takeAll(queue)).toEqual(['a2']);
  });

  test('keeps what a host gets, keeps the order of age, loses nothing and never stalls, whatever happens', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const host = fc.constantFrom('h', 'i');
    const from = fc.constantFrom('commit' as const, 'table' as const);
    const step = fc.oneof(
      fc.record({ kind: fc.constant('offer' as const), id, from, host: fc.option(host) }),
      fc.record({ kind: fc.constant('take' as const) }),
      fc.record({ kind: fc.constant('done' as const), delivered: fc.constantFrom(true, false, null) }),
      fc.record({ kind: fc.constant('move' as const), id, host }),
      fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 400 }) }),
    );
    const [atOnce, perSecond] = [2, 10];
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
        now = 0;
        const queue = new FairQueue<number>({ ...bounds, maxInFlight: 5 }, ascending, newLimiter(atOnce, perSecond));
        const waiting = new Map<string, number[]>();
        const flying: { endpointId: string; host: string }[] = [];
        const sentAt: Record<string, number[]> = { h: [], i: [] };
        let made = 0;
        const take = () => {
          const next = queue.take();
          if (!next) return false;
          expect(next.item).toBe(waiting.get(next.endpointId)?.shift());
          flying.push(next);
          sentAt[next.host]?.push(now);
          for (const name of ['h', 'i']) {
            expect(flying.filter((each) => each.host === name).length).toBeLessThanOrEqual(atOnce);
          }
          return true;
        };
        const finish = (delivered: boolean | null) => {
          const done = flying.shift();
          if (!done) return;
          if (delivered === null) sentAt[done.host]?.pop();
          queue.done(done.endpointId, delivered, done.host);
        };
        for (const each of steps) {
          if (each.kind === 'offer') {
            made += 1;
            const fits = queue.offer(each.id, made, each.from, each.host);
            if (fits) waiting.set(each.id, [...(waiting.get(each.id) ?? []), made]);
          } else if (each.kind === 'take') take();
          else if (each.kind === 'done') finish(each.delivered);
          else if (each.kind === 'move') queue.setHost(each.id, each.host);
          else now += each.ms;
          expect(queue.waiting).toBe([...waiting.values()].flat().length);
          expect(queue.inFlight).toBe(flying.length);
        }
        // Run dry, as the process does: what may go goes; what must wait waits as long as the queue says.
        for (const endpointId of queue.endpoints()) queue.setHost(endpointId, 'h');
        for (let round = 0; round < 1_000 && queue.waiting + queue.inFlight > 0; round += 1) {
          while (take());
          while (flying.length > 0) finish(true);
          while (take());
          if (flying.length > 0) continue;
          const waitMs = queue.waitMs();
          if (queue.waiting > 0) expect(waitMs).not.toBeNull();
          now += waitMs ?? 0;
          queue.wake();
        }
        expect([queue.waiting, queue.inFlight]).toEqual([0, 0]);
        for (const times of Object.values(sentAt)) {
          for (const start of times) {
            const within = times.filter((at) => at >= start && at < start + 1_000).length;
            expect(within).toBeLessThanOrEqual(perSecond + perSecond / 5 + 1);
          }
        }
      }),
    );
  });
});
