// A trunk's channels and rate, shared between processes by slots, and when it takes calls.
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { reserveAny, Trunk } from '../../../../src/channels/voice/trunk.ts';
import { Story } from '../../../support/session.ts';
import { trunkConfig } from './support.ts';

const slots = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index);
const never = new AbortController().signal;

function made(change: Parameters<typeof trunkConfig>[0] = {}) {
  let now = 1_000_000;
  const trunk = new Trunk(trunkConfig(change), () => now);
  trunk.hold(slots(Trunk.slotsOf(trunk.config)));
  return { trunk, pass: (ms: number) => (now += ms) };
}

/** Begins calls until none is free; returns their ends. */
function fill(trunk: Trunk): (() => void)[] {
  const ends: (() => void)[] = [];
  for (let next = trunk.reserveNow(); next; next = trunk.reserveNow()) ends.push(next.begin());
  return ends;
}

describe('the share of a process', () => {
  it('is all channels where it has all slots, however the slots are spread', () => {
    const share = (channels: number, held: readonly number[]) => {
      const trunk = new Trunk(trunkConfig({ channels }), () => 0);
      trunk.hold(held);
      return trunk.channels;
    };
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.array(fc.nat(2), { minLength: 16 }), (channels, owners) => {
        const all = slots(Trunk.slotsOf({ channels }));
        const shares = [0, 1, 2].map((owner) =>
          share(
            channels,
            all.filter((slot) => owners[slot] === owner),
          ),
        );
        expect(shares.reduce((sum, each) => sum + each, 0)).toBe(channels);
        for (const slot of all) expect(share(channels, [slot])).toBeGreaterThan(0);
      }),
    );
  });

  it('is nothing without a slot', () => {
    const { trunk } = made();
    trunk.hold([]);
    expect(trunk.open).toBe(false);
    expect(trunk.reserveNow()).toBeNull();
    expect(trunk.isUp).toBe(true);
  });

  it('limits new calls and cuts off none', () => {
    const { trunk } = made({ channels: 4 });
    const ends = fill(trunk);
    expect(trunk.calls).toBe(4);
    trunk.hold(slots(2));
    expect(trunk.calls).toBe(4);
    ends[0]?.();
    ends[1]?.();
    expect(trunk.reserveNow()).toBeNull();
    ends[2]?.();
    expect(trunk.reserveNow()).not.toBeNull();
  });

  it('follows the configuration at once', () => {
    const { trunk } = made({ channels: 4 });
    expect(fill(trunk)).toHaveLength(4);
    trunk.configure(trunkConfig({ channels: 6 }));
    trunk.hold(slots(6));
    expect(fill(trunk)).toHaveLength(2);
  });

  it('has its part of the rate, and no more', () => {
    const { trunk, pass } = made({ channels: 16, callsPerSecond: 8 });
    trunk.hold(slots(4));
    expect(trunk.ratePerSecond).toBe(2);
    fill(trunk);
    expect(trunk.calls).toBe(1);
    pass(500);
    fill(trunk);
    expect(trunk.calls).toBe(2);
  });
});

describe('the rate of a trunk', () => {
  it('is that at which calls end while every channel is taken, so that no send waits for what its leg does not live to see', () => {
    const { trunk, pass } = made({ channels: 30, callsPerSecond: 5 });
    const begin = () => trunk.reserveNow()?.begin() ?? expect.unreachable();
    const ends = Array.from({ length: 30 }, () => {
      pass(200);
      return begin();
    });
    expect([trunk.free, trunk.ratePerSecond]).toEqual([0, 0.75]);
    for (let call = 0; call < 300; call += 1) {
      pass(2_000);
      ends.shift()?.();
      ends.push(begin());
    }
    expect(trunk.ratePerSecond).toBeCloseTo(0.5, 1);
    ends.shift()?.();
    expect(trunk.ratePerSecond).toBe(5);
  });

  it('counts calls that are refused at once for what they take', () => {
    const { trunk, pass } = made({ channels: 2, callsPerSecond: 50 });
    for (let call = 0; call < 200; call += 1) {
      const end = trunk.reserveNow()?.begin();
      pass(100);
      end?.();
    }
    fill(trunk);
    expect(trunk.ratePerSecond).toBeCloseTo(20, 0);
  });
});

describe('a trunk', () => {
  it('that a call ended on has its channel again, once for each call', async () => {
    const { trunk } = made({ channels: 1 });
    const [end] = fill(trunk);
    const next = trunk.reserve(never);
    end?.();
    end?.();
    expect((await next)?.trunk).toBe(trunk);
    expect(trunk.reserveNow()).toBeNull();
  });

  it('that is down gives none, not even to who waits', async () => {
    const { trunk } = made({ channels: 1 });
    fill(trunk);
    const waiting = trunk.reserve(never);
    trunk.setUp(false);
    expect(await waiting).toBeNull();
    expect(trunk.isUp).toBe(false);
    trunk.setUp(true);
    expect(trunk.isUp).toBe(true);
  });

  it('that asked for rest has it, whatever its OPTIONS say', () => {
    const { trunk, pass } = made();
    trunk.rest(30_000);
    trunk.setUp(true);
    expect(trunk.isUp).toBe(false);
    pass(30_000);
    expect(trunk.isUp).toBe(true);
  });

  it('that could not be reached is tried again after five seconds, or once its OPTIONS are answered', () => {
    const { trunk, pass } = made();
    trunk.refused();
    expect(trunk.isUp).toBe(false);
    pass(5_000);
    expect(trunk.isUp).toBe(true);
    trunk.refused();
    trunk.setUp(true);
    expect(trunk.isUp).toBe(true);
  });
});

it.each(['rest', 'refused'] as const)(
  'a trunk is back after its time (%s), also by a clock that was set back meanwhile',
  (why) => {
    const { trunk, pass } = made();
    if (why === 'rest') trunk.rest(600_000);
    else trunk.refused();
    pass(-3_600_000);
    expect(trunk.isUp).toBe(true);
    trunk.rest(30_000);
    pass(29_999);
    expect(trunk.isUp).toBe(false);
    pass(1);
    expect(trunk.isUp).toBe(true);
  },
);

describe('a place on any of several trunks', () => {
  const two = () => [made({ name: 'first', channels: 1 }).trunk, made({ name: 'second', channels: 1 }).trunk] as const;

  it('is on the first that has one', async () => {
    const [first, second] = two();
    expect((await reserveAny([first, second], never))?.trunk).toBe(first);
    expect((await reserveAny([first, second], never))?.trunk).toBe(second);
  });

  it('is on the one that becomes free, and takes no room on the other', async () => {
    const [first, second] = two();
    const ends = [fill(first), fill(second)].map(([end]) => end);
    const place = reserveAny([first, second], never);
    ends[1]?.();
    ends[0]?.();
    expect((await place)?.trunk).toBe(second);
    expect(first.reserveNow()).not.toBeNull();
    expect(second.reserveNow()).toBeNull();
  });

  it('is none when the leg is over, and then no room is kept', async () => {
    const [first, second] = two();
    const ends = [fill(first), fill(second)].flat();
    const abort = new AbortController();
    const place = reserveAny([first, second], abort.signal);
    abort.abort();
    expect(await place).toBeNull();
    for (const end of ends) end();
    expect(first.reserveNow()).not.toBeNull();
    expect(second.reserveNow()).not.toBeNull();
  });
});

describe('with more calls than channels', () => {
  afterEach(() => vi.useRealTimers());

  /** Legs of 45 s whose phones are picked up after 6 to 20 s, and talk for 35 s. Returns how many calls began, and how many were picked up. */
  async function play(legsPerSecond: number, seconds: number) {
    vi.useFakeTimers({ now: 0 });
    const trunk = new Trunk(trunkConfig({ channels: 30, callsPerSecond: 5 }), Date.now);
    trunk.hold(slots(Trunk.slotsOf(trunk.config)));
    const counts = { begun: 0, heard: 0 };
    const leg = async (answersAfterMs: number) => {
      const startedAt = Date.now();
      const story = new Story({ request: { cascade: [{ channel: 'voice', timeoutMs: 45_000 }] } });
      const until = new AbortController();
      setTimeout(() => until.abort(), story.session.nextAt ?? 0);
      const reservation = await reserveAny([trunk], until.signal);
      if (!reservation) return;
      story.clock = Date.now() - startedAt;
      if (story.do({ kind: 'submitting', messageId: 'msg_1', holder: 'prc_1' }).kind === 'ignored')
        return reservation.giveBack();
      counts.begun += 1;
      const end = reservation.begin();
      const leftMs = (story.session.nextAt ?? 0) - story.clock;
      if (answersAfterMs < leftMs) counts.heard += 1;
      setTimeout(end, answersAfterMs < leftMs ? answersAfterMs + 35_000 : leftMs);
    };
    for (let n = 0; n < legsPerSecond * seconds; n += 1) {
      void leg(6_000 + ((n * 7_919) % 14_000));
      await vi.advanceTimersByTimeAsync(1_000 / legsPerSecond);
    }
    return counts;
  }

  it('what begins is picked up, however many wait', async () => {
    const fair = await play(0.5, 400);
    expect(fair.heard).toBe(fair.begun);
    const crowded = await play(10, 400);
    expect(crowded.heard).toBe(crowded.begun);
    expect(crowded.heard).toBeGreaterThan(fair.heard);
  });
});
