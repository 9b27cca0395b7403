// Which partition a statement names for its rows, and when it names none.
import { beforeEach, expect, test } from 'vitest';
import { lowestId } from '../../../src/core/ids.ts';
import { inPlace, PlacedStatements, Places } from '../../../src/db/partitions/places.ts';
import type { PlaceOf } from '../../../src/db/queryable.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 10, 20);
const id = (day: number, prefix = 'vrf_') => lowestId(prefix, start + day * dayMs);

interface Row {
  table: string;
  name: string;
  bound: string;
  detaching?: boolean;
  usable?: boolean;
  rows?: number;
}
const partition = (name: string, from: number, to: number, change: Partial<Row> = {}): Row => ({
  table: 'verify_session',
  name,
  bound: `FOR VALUES FROM ('${id(from)}') TO ('${id(to)}')`,
  detaching: false,
  usable: true,
  rows: 20_000,
  ...change,
});

let now = start;
let rows: Row[] = [];
let reads = 0;
let failure: Error | null = null;
let places: Places;

beforeEach(async () => {
  now = start + 12 * dayMs + 1;
  rows = [partition('s_3', 15, 20), partition('s_0', 0, 5), partition('s_1', 5, 10), partition('s_2', 10, 15)];
  reads = 0;
  failure = null;
  const query = async () => {
    reads += 1;
    if (failure) throw failure;
    return { rows, rowCount: rows.length };
  };
  places = new Places({ query } as never, () => now);
  await known();
});

/** Asks, and waits for what was asked to be read. */
async function known(): Promise<void> {
  places.of('verify_session', []);
  for (let turns = 0; turns < 5; turns += 1) await Promise.resolve();
}

const of = (...ids: string[]) => places.of('verify_session', ids);

test('the partition that holds all rows, and the table for rows of several partitions or of none that is known', () => {
  expect(of(id(11), id(14))).toBe('s_2');
  expect(of(id(10))).toBe('s_2');
  expect(of(id(15))).toBe('s_3');
  expect(of(id(14), id(15))).toBe('verify_session');
  expect(of(id(20))).toBe('verify_session');
  expect(of('anything')).toBe('verify_session');
  expect(places.of('message', [id(11, 'msg_')])).toBe('message');
});

test('without rows the partition of today, so that a part of a statement that meets none opens one', () => {
  expect(of()).toBe('s_2');
});

test('a partition that ended more than a day ago is not named: its statements would be planned for next to no use', async () => {
  expect(of(id(7))).toBe('verify_session');
  now = start + 10.5 * dayMs;
  await known();
  expect(of(id(7))).toBe('s_1');
});

test('nor is one that is being detached, or that the role may not use', async () => {
  rows = [partition('s_2', 10, 15, { detaching: true }), partition('s_3', 15, 20, { usable: false })];
  now += 60_000;
  await known();
  expect([of(id(11)), of(id(16))]).toEqual(['verify_session', 'verify_session']);
});

test('a partition without an end, as a table has that was not ours', async () => {
  rows = [partition('s_all', 0, 0, { bound: 'FOR VALUES FROM (MINVALUE) TO (MAXVALUE)' })];
  now += 60_000;
  await known();
  expect(of(id(3))).toBe('s_all');
});

test('the catalog is read once a minute of use, and once more after a clock that was set back', async () => {
  expect(reads).toBe(1);
  now += 59_999;
  await known();
  expect(reads).toBe(1);
  now += 1;
  await known();
  expect(reads).toBe(2);
  now -= 60_000;
  await known();
  expect(reads).toBe(3);
});

test('a young partition is not named, once its few rows were counted: a plan for them would be kept while it grows', async () => {
  const counted = async (count: number) => {
    rows = [partition('s_2', 10, 15, { rows: count })];
    now += 60_000;
    await known();
    return of(id(11));
  };
  expect(await counted(-1)).toBe('s_2');
  expect(await counted(0)).toBe('verify_session');
  expect(await counted(9_999)).toBe('verify_session');
  expect(await counted(10_000)).toBe('s_2');
});

test('what was read is used for two minutes: while the database is away, and not at all after a pause', async () => {
  failure = new Error('away');
  now += 60_000;
  await known();
  expect(of(id(11))).toBe('s_2');
  now += 60_000;
  await known();
  expect(of(id(11))).toBe('verify_session');
  failure = null;
  now += 60_000;
  await known();
  expect(of(id(11))).toBe('s_2');
  now += 3_600_000;
  expect(of(id(11))).toBe('verify_session');
  await known();
  expect(of(id(11))).toBe('s_2');
});

test.each(['42P01', '42501'])(
  '%s: the statement runs over whole tables, and so do all until the catalog is read',
  async (code) => {
    const tried: string[] = [];
    const run = async (placeOf: PlaceOf) => {
      const place = placeOf('verify_session', [id(11)]);
      tried.push(place);
      if (place !== 'verify_session') throw Object.assign(new Error('gone'), { code });
      return 'done';
    };
    expect(await inPlace({ places }, run)).toBe('done');
    expect(await inPlace({ places }, run)).toBe('done');
    expect(tried).toEqual(['s_2', 'verify_session', 'verify_session']);
  },
);

test('other errors are the caller’s, and a database whose partitions are not known has whole tables', async () => {
  const fails = () => Promise.reject(Object.assign(new Error('deadlock'), { code: '40P01' }));
  await expect(inPlace({ places }, fails)).rejects.toThrow('deadlock');
  expect(await inPlace({}, async (placeOf) => placeOf('message', []))).toBe('message');
});

test('each text has a name of its own; over whole tables that of the statement', () => {
  const statements = new PlacedStatements();
  const get = (place: string) => statements.get('mark', { webhook_delivery: place }, () => `update ${place}`);
  const names = new Set<string>();
  for (let round = 0; round < 2; round += 1)
    for (let n = 0; n < 1_200; n += 1) {
      const { name, text } = get(`p_${n}`);
      expect(name).toMatch(/^mark [\w-]{22}$/);
      expect(text).toBe(`update p_${n}`);
      names.add(name);
    }
  expect(names.size).toBe(1_200);
  expect(get('webhook_delivery')).toEqual({ name: 'mark', text: 'update webhook_delivery' });
});
