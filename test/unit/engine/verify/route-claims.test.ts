// When a process looks into the queues of its routes, by a clock that the test sets.
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { EngineStore } from '../../../../src/db/engine-store.ts';
import type { EngineContext } from '../../../../src/engine/context.ts';
import type { Backlog } from '../../../../src/engine/delivery/backlog.ts';
import { UncertainSessions } from '../../../../src/engine/fleet/unknown-commits.ts';
import { RouteClaims } from '../../../../src/engine/verify/route-claims.ts';
import type { Takeover } from '../../../../src/engine/verify/takeover.ts';

function claims() {
  const clock = { now: 36_000_000 };
  let looks = 0;
  /** Served by this process, though none of the routes that it makes itself. */
  const foreign = 'voice/main+old';
  const db = {
    claimRoutes: async () => {
      looks += 1;
      return { keys: [], isMore: false };
    },
  };
  const mine = new Set(['sms/op']);
  const channels = {
    routes: () => [...mine],
    outages: () => [],
    canSend: (route: string) => mine.has(route) || route === foreign,
  };
  const peers = { events: new EventEmitter() };
  const context = { now: () => clock.now, channels, peers, fleet: { processId: 'prc_1' } };
  const made = new RouteClaims(context as unknown as EngineContext, db as unknown as EngineStore, {
    backlog: { isShort: () => true } as unknown as Backlog,
    takeover: { takeUpAll: async () => {} } as unknown as Takeover,
    uncertain: new UncertainSessions({ now: () => clock.now }),
  });
  const lookedAfter = async (ms: number) => {
    clock.now += ms;
    const before = looks;
    await made.claim();
    return looks - before;
  };
  made.listen();
  return {
    clock,
    lookedAfter,
    looks: () => looks,
    mine,
    foreign,
    waits: (route: string) => peers.events.emit('waits', { route }),
  };
}

test('without a cause a queue is looked into every five seconds, also by a clock that was set back', async () => {
  const { clock, lookedAfter } = claims();
  expect(await lookedAfter(0)).toBe(1);
  expect(await lookedAfter(4_999)).toBe(0);
  expect(await lookedAfter(1)).toBe(1);
  clock.now -= 3_600_000;
  expect(await lookedAfter(0)).toBe(1);
  expect(await lookedAfter(4_999)).toBe(0);
});

test('what began to wait while a bind was being made again is looked for at once, however short that was', async () => {
  const { lookedAfter, mine, waits } = claims();
  expect(await lookedAfter(0)).toBe(1);
  mine.delete('sms/op');
  waits('sms/op');
  mine.add('sms/op');
  expect(await lookedAfter(100)).toBe(1);
  expect(await lookedAfter(100)).toBe(0);
});

test('what waits for a route of others alone costs no look', async () => {
  const { lookedAfter, waits } = claims();
  expect(await lookedAfter(0)).toBe(1);
  waits('sms/other');
  expect(await lookedAfter(100)).toBe(0);
});

test('what waits for a route that only another configuration makes is looked for where it is served', async () => {
  const { lookedAfter, looks, foreign, waits } = claims();
  expect(await lookedAfter(0)).toBe(1);
  waits(foreign);
  await lookedAfter(100);
  expect(looks()).toBe(2);
  expect(await lookedAfter(100)).toBe(0);
});
