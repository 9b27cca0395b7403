// `/readyz`, which everyone may ask: what it says, and what it costs the database.
import { Kysely, type KyselyPlugin, PostgresDialect } from 'kysely';
import { expect, test, vi } from 'vitest';
import { readiness } from '../../../src/app/readiness.ts';
import type { Database } from '../../../src/db/client.ts';
import type { Schema } from '../../../src/db/schema.ts';
import { testDatabase } from '../../support/database.ts';

const database = await testDatabase<Schema>();

/** Counts statements. */
function counted(watch: Database<Schema>) {
  let statements = 0;
  const count: KyselyPlugin = {
    transformQuery({ node }) {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return { watch: { ...watch, plain: watch.plain.withPlugin(count) }, statements: () => statements };
}

const parts = (watch: Database<Schema>, state: 'ready' | 'away' = 'ready') => ({
  cells: [{ name: 'home', state, watch }],
  sms: { operatorStates: () => [], bindCounts: () => new Map() },
  voice: { states: () => [] },
  slots: { anyBound: async () => false },
  housekeeper: { horizonSeconds: () => 7 },
});

test('thousands who ask at once take no more statements than one', async () => {
  const { watch, statements } = counted(database.connect({ max: 3, lanes: 1 }));
  await readiness(parts(watch))();
  const ofOne = statements();
  const look = readiness(parts(watch));
  const answers = await Promise.all(Array.from({ length: 5_000 }, () => look()));
  expect(answers.every(({ ready }) => ready)).toBe(true);
  expect(answers[0]?.details).toMatchObject({ database: 'current', partition_horizon_seconds: 7 });
  expect(statements()).toBe(2 * ofOne);
});

test('before the first bind a process is not ready; after it an outage of all operators takes none out', async () => {
  let [here, elsewhere] = [0, false];
  const look = readiness({
    ...parts(database.connect({ max: 1, lanes: 1 })),
    sms: { operatorStates: () => [{ binds_bound: here }] as never, bindCounts: () => new Map([['atlas', 2]]) },
    slots: { anyBound: async () => elsewhere },
  });
  expect(await look()).toMatchObject({ ready: false });
  elsewhere = true;
  expect(await look()).toMatchObject({ ready: true });
  elsewhere = false;
  expect(await look()).toMatchObject({ ready: true, details: { operators: [{ binds_bound: 0 }] } });
  here = 1;
  expect(await look()).toMatchObject({ ready: true });
});

test('the first operator that a reload adds takes no process out before its bind is up; one that starts waits for it', async () => {
  let wanted = 0;
  const given = {
    ...parts(database.connect({ max: 1, lanes: 1 })),
    sms: { operatorStates: () => [], bindCounts: () => new Map([['atlas', wanted]]) },
  };
  const look = readiness(given);
  expect(await look()).toMatchObject({ ready: true });
  wanted = 2;
  expect(await look()).toMatchObject({ ready: true });
  expect(await readiness(given)()).toMatchObject({ ready: false });
});

test('without its database a process is not ready', async () => {
  const gone = database.connect({ max: 1, lanes: 1 });
  await gone.close();
  const look = readiness(parts(gone));
  expect(await look()).toMatchObject({ ready: false, details: { database: 'unreachable' } });
});

test('another cell that is silent delays no verdict, and is shown as unreachable', async () => {
  const home = parts(database.connect({ max: 1, lanes: 1 }));
  const connect = vi.fn(() => new Promise<never>(() => {}));
  const plain = new Kysely<unknown>({
    dialect: new PostgresDialect({ pool: { connect, end: async () => {}, options: {} } }),
  });
  const watch = { ...database.connect({ max: 1, lanes: 1 }), plain };
  const look = readiness({ ...home, cells: [...home.cells, { name: 'b', state: 'ready' as const, watch }] });
  const found = await look();
  expect(found).toMatchObject({ ready: true });
  expect(connect).not.toHaveBeenCalled();
  const startedAt = performance.now();
  expect(await found.cells?.()).toEqual({ b: 'unreachable' });
  expect(performance.now() - startedAt).toBeLessThan(1_800);
});
