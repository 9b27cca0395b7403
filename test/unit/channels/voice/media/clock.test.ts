// The one clock: every call has its frame each 20 ms, spread over them, and a stall is no burst. And the ports of a range.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FrameClock, mostBehindMs } from '../../../../../src/channels/voice/media/clock.ts';
import { PortPairs } from '../../../../../src/channels/voice/media/ports.ts';

function setup() {
  let now = 1_000.25;
  const clock = new FrameClock(() => now);
  const member = () => {
    const frames: number[] = [];
    const skipped: number[] = [];
    return {
      frames,
      skipped,
      frame: (_: number, dueAt: number) => frames.push(dueAt),
      skip: (n: number) => skipped.push(n),
    };
  };
  const passTo = (at: number, stepMs = 1) => {
    while (now < at) {
      now = Math.min(at, now + stepMs);
      clock.run();
    }
  };
  /** Nothing runs the clock while it has no members. */
  const idleTo = (at: number) => {
    now = at;
  };
  return { clock, member, passTo, idleTo, now: () => now };
}

test('each member has a frame every 20 ms, and no two of twenty at once', () => {
  const { clock, member, passTo } = setup();
  const members = Array.from({ length: 20 }, member);
  for (const each of members) clock.join(each);
  passTo(2_000);
  for (const { frames } of members) {
    expect(frames.length).toBeGreaterThanOrEqual(49);
    for (const [index, at] of frames.entries()) expect(at - frames[0]!).toBe(index * 20);
  }
  expect(new Set(members.map(({ frames }) => frames[0]! % 20)).size).toBe(20);
});

test('a thousand are spread evenly, whoever leaves', () => {
  const { clock, member, passTo } = setup();
  const members = Array.from({ length: 1_000 }, member);
  for (const each of members) clock.join(each);
  for (const each of members.slice(0, 500)) clock.leave(each);
  for (const each of members.slice(0, 500)) clock.join(each);
  passTo(1_040);
  const perTick = Map.groupBy(
    members.flatMap(({ frames }) => frames),
    (at) => at,
  );
  for (const [, frames] of perTick) expect(frames.length).toBe(50);
});

test('the next moment is when a member is due; without members there is none', () => {
  const { clock, member, passTo, idleTo, now } = setup();
  expect(clock.nextAt()).toBeNull();
  idleTo(5_000);
  const one = member();
  clock.join(one);
  clock.join(one);
  const at = clock.nextAt()!;
  expect(at).toBeGreaterThanOrEqual(now());
  expect(at).toBeLessThan(now() + 20);
  passTo(5_100);
  expect(one.frames).toHaveLength(5);
  expect(one.frames[0]).toBe(at);
  expect(one.skipped).toEqual([]);
  clock.leave(one);
  clock.leave(one);
  expect(clock.nextAt()).toBeNull();
});

test('a short stall is caught up, a long one is skipped, and the beat stays', () => {
  const { clock, member, passTo } = setup();
  const one = member();
  clock.join(one);
  passTo(1_100);
  passTo(1_100 + mostBehindMs - 20, mostBehindMs);
  expect(one.skipped).toEqual([]);
  const before = one.frames.length;
  passTo(11_100, 20_000);
  expect(one.frames.length - before).toBeLessThanOrEqual(2);
  passTo(12_000);
  const [skipped = 0] = one.skipped;
  expect(one.skipped).toHaveLength(1);
  expect((one.frames.at(-1)! - one.frames[0]!) / 20 + 1).toBe(one.frames.length + skipped);
});

test('members that leave while frames are given are not given another', () => {
  const { clock, member, passTo } = setup();
  const one = member();
  const leaving = { frame: () => clock.leave(leaving), skip: () => {} };
  clock.join(leaving);
  clock.join(one);
  passTo(1_200);
  expect(one.frames.length).toBeGreaterThanOrEqual(9);
  clock.leave(one);
  expect(clock.nextAt()).toBeNull();
});

test('port pairs: even ports of the range, each once, the longest free first', () => {
  const pairs = new PortPairs({ from: 10_001, to: 10_008 });
  expect([pairs.take(), pairs.take(), pairs.take(), pairs.take()]).toEqual([10_002, 10_004, 10_006, null]);
  pairs.giveBack(10_004);
  pairs.giveBack(10_002);
  pairs.giveBack(10_004);
  pairs.giveBack(10_003);
  expect([pairs.take(), pairs.take(), pairs.take()]).toEqual([10_004, 10_002, null]);
});

test('any order of taking and giving back: no pair twice, none lost', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(6))), fc.integer({ min: 1_024, max: 65_520 }), (steps, from) => {
      const pairs = new PortPairs({ from, to: from + 13 });
      const held: number[] = [];
      for (const step of steps) {
        const port = step === null ? pairs.take() : null;
        if (port !== null) {
          expect(held).not.toContain(port);
          expect([port % 2, port >= from, port < from + 13]).toEqual([0, true, true]);
          held.push(port);
        }
        if (step !== null) for (const each of held.splice(step, 1)) pairs.giveBack(each);
        expect(pairs.free + held.length).toBe(pairs.size);
      }
    }),
  );
});
