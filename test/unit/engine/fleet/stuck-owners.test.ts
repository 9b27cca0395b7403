// Owners cut off from the database: they are not waited for, but one that is only slow is, and so is a database that is silent for all.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CellMap, homeCell } from '../../../../src/core/fleet/cells.ts';
import type { EngineContext } from '../../../../src/engine/context.ts';
import { DatabaseSilence, StuckOwners } from '../../../../src/engine/fleet/stuck-owners.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const never = new Promise<never>(() => {});

const cells = new CellMap([
  {
    from: 0,
    ranges: [
      { first: 0, after: 512, cell: homeCell },
      { first: 512, after: 1024, cell: 'b' },
    ],
  },
]);

/** A process that asks owner `o`, of whose databases home's has been silent for so long; ours answers or not. */
function asking(given: { silentMs: number; isOursWell: boolean }) {
  const answer = Promise.withResolvers<string>();
  const asked: string[] = [];
  const conversation = {
    reachable: ['o'],
    serve: () => {},
    ask: async (_owner: string, verb: string, value: object) => {
      asked.push(verb);
      if (verb !== 'silence') return { kind: 'answered', value: await answer.promise } as const;
      return { kind: 'answered', value: 'cell' in value && value.cell === homeCell ? given.silentMs : 0 } as const;
    },
  };
  const db = { sessionOfResend: () => (given.isOursWell ? Promise.resolve(null) : never) };
  const context: Pick<EngineContext, 'now' | 'ids' | 'conversation' | 'cells'> = {
    cells,
    now: Date.now,
    ids: () => 'vrf_1',
    conversation,
  };
  const owners = new StuckOwners(context, db, new Map());
  return { given, answer, asked, ask: (shard = 5) => owners.ask('o', 'check', {}, shard) };
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

test('an owner that is cut off from one cell is asked about numbers of the others, and waited for', async () => {
  const { answer, ask } = asking({ silentMs: 300, isOursWell: true });
  const [ofHome, ofOther] = [ask(5), ask(700)];
  await pass(260);
  expect(await ofHome).toBeNull();
  await pass(2_000);
  answer.resolve('done');
  await pass(250);
  expect(await ofOther).toEqual({ kind: 'answered', value: 'done' });
});

test('a process says of each of its databases how long it has been silent', async () => {
  const verbs = new Map<string, (asked: object) => Promise<unknown>>();
  const conversation = {
    reachable: [],
    ask: () => never,
    serve: (verb: string, work: never) => void verbs.set(verb, work),
  };
  const context = { cells, now: Date.now, ids: () => 'vrf_1', conversation };
  new StuckOwners(
    context,
    { sessionOfResend: () => never },
    new Map([
      [homeCell, { ms: 0 }],
      ['b', { ms: 400 }],
    ]),
  );
  const said = await Promise.all(
    [{ cell: homeCell }, { cell: 'b' }, { cell: 'x' }].map((asked) => verbs.get('silence')?.(asked)),
  );
  expect(said).toEqual([0, 400, 0]);
});

test('silence runs from the last answer while something is asked, and not before', async () => {
  const silence = new DatabaseSilence(Date.now);
  const [slow, quick] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const db = silence.observing({ slow: () => slow.promise, quick: () => quick.promise });
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
