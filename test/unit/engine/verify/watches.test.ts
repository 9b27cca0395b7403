// Readings of what is watched, in a cell that answers later than there is between two of them.
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { oneCell } from '../../../../src/core/fleet/cells.ts';
import { lowestId } from '../../../../src/core/ids.ts';
import type { EngineReads } from '../../../../src/db/engine-store.ts';
import type { Loaded } from '../../../../src/db/verify/sessions.ts';
import type { EngineContext } from '../../../../src/engine/context.ts';
import type { Lookup } from '../../../../src/engine/verify/lookup.ts';
import { Watches } from '../../../../src/engine/verify/watches.ts';
import { Story } from '../../../support/session.ts';

/** One watch of a session, in a process that is alone. */
async function watching() {
  const clock = { now: 1_000_000 };
  const session = { ...new Story({ request: { id: lowestId('vrf_', clock.now) } }).session, version: 1 };
  const readings: PromiseWithResolvers<(Loaded | null)[]>[] = [];
  const reads = {
    loadSessions: () => {
      const reading = Promise.withResolvers<(Loaded | null)[]>();
      readings.push(reading);
      return reading.promise;
    },
  };
  const context = {
    now: () => clock.now,
    events: { on: () => {} },
    cells: oneCell,
    observe: {},
    fleet: { alive: 1, processId: 'prc_1' },
    conversation: { reachable: [], serve: () => {} },
  };
  const lookup = { session: async () => session, find: async () => ({ session, receipts: [] }) };
  const watches = new Watches(
    context as never as EngineContext,
    lookup as never as Lookup,
    reads as never as EngineReads,
  );
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const watch = watches.watch({ accountId: session.accountId, mode: session.mode, id: session.id }, leaving.signal);
  await watch.next();
  const runAfter = (ms: number) => {
    clock.now += ms;
    return watches.runOnce();
  };
  const answerAfter = async (ms: number) => {
    clock.now += ms;
    readings.at(-1)?.resolve([{ session, holder: null }]);
    await turn();
  };
  return { runAfter, answerAfter, readings };
}

test('a reading that is late is not done again before its time', async () => {
  const { runAfter, answerAfter, readings } = await watching();
  for (let rounds = 1; rounds <= 3; rounds += 1) {
    expect(await runAfter(2_000)).toBe(200);
    expect(readings).toHaveLength(rounds);
    await answerAfter(300);
    expect(await runAfter(100)).toBe(2_000);
    expect(readings).toHaveLength(rounds);
  }
});

test('what was to be read meanwhile is read once it has ended', async () => {
  const { runAfter, answerAfter, readings } = await watching();
  await runAfter(0);
  expect(await runAfter(2_000)).toBe(200);
  expect(readings).toHaveLength(1);
  await answerAfter(100);
  await runAfter(100);
  expect(readings).toHaveLength(2);
});
