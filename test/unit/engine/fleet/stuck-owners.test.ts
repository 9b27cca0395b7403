// Owners cut off from the database: they are not waited for, but one that is only slow is, and so is a database that is silent for all.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { EngineContext } from '../../../../src/engine/context.ts';
import { DatabaseSilence, StuckOwners } from '../../../../src/engine/fleet/stuck-owners.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const never = new Promise<never>(() => {});

/** A process that asks owner `o`, whose database has been silent for so long; ours answers or not. */
function asking(given: { silentMs: number; isOursWell: boolean }) {
  const answer = Promise.withResolvers<string>();
  const asked: string[] = [];
  const conversation = {
    heard: ['o'],
    serve: () => {},
    ask: async (_owner: string, verb: string) => {
      asked.push(verb);
      return { kind: 'answered', value: verb === 'silence' ? given.silentMs : await answer.promise } as const;
    },
  };
  const db = { sessionOfResend: () => (given.isOursWell ? Promise.resolve(null) : never) };
  const context: Pick<EngineContext, 'now' | 'ids' | 'conversation'> = {
    now: Date.now,
    ids: () => 'vrf_1',
    conversation,
  };
  const owners = new StuckOwners(context, db, { ms: 0 });
  return { given, answer, asked, ask: () => owners.ask('o', 'check', {}, 5) };
}

test('an owner whose database is silent, and ours is not, is not waited for, nor asked again while that is so', async () => {
  const { given, asked, ask } = asking({ silentMs: 300, isOursWell: true });
  const first = ask();
  await pass(260);
  expect(await first).toBeNull();
  expect(await ask()).toBeNull();
  expect(asked).toEqual(['check', 'silence']);
  await pass(5_000);
  // Nobody waits for the next look.
  expect(await ask()).toBeNull();
  given.silentMs = 0;
  await pass(5_000);
  expect(await ask()).toBeNull();
  await pass(0);
  void ask();
  expect(asked.filter((verb) => verb === 'check')).toHaveLength(2);
});

test.each([
  ['the owner is only slow', { silentMs: 0, isOursWell: true }],
  ['the database is silent for all', { silentMs: 5_000, isOursWell: false }],
])('%s: the answer is waited for', async (_, given) => {
  const { answer, ask } = asking(given);
  const asked = ask();
  await pass(5_000);
  answer.resolve('done');
  await pass(250);
  expect(await asked).toEqual({ kind: 'answered', value: 'done' });
});

test('silence runs from the last answer while something is asked, and not before', async () => {
  const silence = new DatabaseSilence(Date.now);
  const [slow, quick] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const db = silence.listen({ slow: () => slow.promise, quick: () => quick.promise });
  await pass(1_000);
  expect(silence.ms).toBe(0);
  const both = [db.slow(), db.quick()];
  await pass(300);
  expect(silence.ms).toBe(300);
  quick.resolve();
  await both[1];
  await pass(100);
  expect(silence.ms).toBe(100);
  slow.reject(new Error('away'));
  await expect(both[0]).rejects.toThrow('away');
  await pass(1_000);
  expect(silence.ms).toBe(0);
});
