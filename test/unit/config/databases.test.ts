// DATABASE_CELLS: what it may say, and each mistake by its name.
import { expect, it } from 'vitest';
import { diffConfig, loadDatabases } from '../../../src/config.ts';
import { newId } from '../../../src/core/ids.ts';
import { config, load, sources } from './sources.ts';

const home = 'postgres://u:secret@home/ramz';
const epoch = { from: '2026-12-01T00:00:00Z', shards: { '0-511': 'home', '512-1022': 'b', '1023': 'b' } };
const good = { cells: { b: 'postgres://u:secret@b/ramz' }, epochs: [epoch] };

const env = (cells: unknown) => ({ DATABASE_URL: home, DATABASE_CELLS: JSON.stringify(cells) });
const idAt = (time: string, shard: number) =>
  newId('vrf_', { nowMs: Date.parse(time), shard, random: new Uint8Array(10) });

it('the map of DATABASE_CELLS says where a session is', () => {
  expect(load({}, env(good)).kind).toBe('ok');
  const { value } = loadDatabases(sources({}, env(good)));
  const map = value?.cells?.map;
  expect(value?.cells?.urls).toEqual(new Map([['b', good.cells.b]]));
  expect(map?.names).toEqual(['home', 'b']);
  const found = [
    ['2026-11-30T23:59:59.999Z', 512],
    ['2026-12-01T00:00:00Z', 511],
    ['2026-12-01T00:00:00Z', 512],
    ['2030-01-01T00:00:00Z', 1023],
  ].map(([time, shard]) => map?.ofId(idAt(String(time), Number(shard))));
  expect(found).toEqual(['home', 'home', 'b', 'b']);
});

it('a range that DATABASE_CELLS gives twice is an error: only the last one would hold', () => {
  const twice = JSON.stringify(good).replace('"0-511":"home"', '"0-511":"b","0-511":"home"');
  expect(loadDatabases(sources({}, { DATABASE_URL: home, DATABASE_CELLS: twice })).errors).toEqual([
    { path: 'DATABASE_CELLS.epochs[0].shards["0-511"]', message: 'is given twice' },
  ]);
});

it('DATABASE_CELLS may be in a file', () => {
  const files = { '/run/cells.json': `${JSON.stringify(good)}\n` };
  const given = { DATABASE_URL: home, DATABASE_CELLS_FILE: '/run/cells.json' };
  expect(loadDatabases(sources({}, given, files)).value?.cells?.map.names).toEqual(['home', 'b']);
});

it('another epoch of the same cells needs a restart, and a reload says so', () => {
  const later = { from: '2027-06-01T00:00:00Z', shards: { '0-1023': 'b' } };
  const old = config({}, env(good));
  expect(diffConfig(old, config({}, env(good))).restartNeeded).toEqual([]);
  const next = config({}, env({ ...good, epochs: [epoch, later] }));
  expect(diffConfig(old, next).restartNeeded).toEqual(['DATABASE_CELLS']);
});

it('without DATABASE_CELLS there is one database', () => {
  expect(config({}).server.cells).toBeNull();
});

const second = (change: object) => ({ ...good, epochs: [epoch, { ...epoch, ...change }] });

const refused: [cells: unknown, message: string][] = [
  ['{', 'DATABASE_CELLS: is not valid JSON'],
  [[], 'DATABASE_CELLS: must be of type object'],
  [{ ...good, more: 1 }, 'DATABASE_CELLS.more: is not a setting'],
  [{ ...good, epochs: [] }, 'DATABASE_CELLS.epochs: must be at least 1 entries'],
  [{ ...good, cells: { B: home } }, 'DATABASE_CELLS.cells.B: is no name of a cell'],
  [{ ...good, cells: { home } }, 'DATABASE_CELLS.cells.home: is the cell of DATABASE_URL'],
  [{ ...good, cells: { b: 'mysql://secret' } }, 'DATABASE_CELLS.cells.b: must be postgres://user:password@host'],
  [{ ...good, cells: { b: home } }, 'DATABASE_CELLS.cells.b: is the database of "home"'],
  [{ ...good, cells: { ...good.cells, c: 'postgres://c/r' } }, 'DATABASE_CELLS.cells.c: is in no epoch'],
  [
    { ...good, epochs: [{ ...epoch, shards: { '0-511': 'home', '512-1023': 'c' } }], cells: {} },
    'DATABASE_CELLS.epochs[0].shards["512-1023"]: names a cell that is not in DATABASE_CELLS.cells',
  ],
  [{ ...good, epochs: [{ ...epoch, from: 'tomorrow' }] }, 'DATABASE_CELLS.epochs[0].from: must be a time in UTC'],
  [second({}), 'DATABASE_CELLS.epochs[1].from: must be later than the epoch before it'],
  ...(
    [
      [{ '0-1022': 'b' }, 'lacks shard 1023: all of 0 to 1023 must be in a cell'],
      [{ '1-1023': 'b' }, 'lacks shard 0'],
      [{ '0-600': 'b', '600-1023': 'home' }, 'has shard 600 twice'],
      [{ '0-1024': 'b' }, 'goes beyond shard 1023'],
      [{ '0-1023': 'b', '9-8': 'b' }, 'has a range that ends before it begins: 9-8'],
    ] as const
  ).map(([shards, message]): [unknown, string] => [
    { ...good, epochs: [{ ...epoch, shards }] },
    `DATABASE_CELLS.epochs[0].shards: ${message}`,
  ]),
  [
    { ...good, epochs: [{ ...epoch, shards: { all: 'b' } }] },
    'DATABASE_CELLS.epochs[0].shards.all: is no range of shards: first-last',
  ],
];

it.each(refused)('DATABASE_CELLS is refused: %j', (cells, message) => {
  const text = typeof cells === 'string' ? cells : JSON.stringify(cells);
  const { errors } = loadDatabases(sources({}, { DATABASE_URL: home, DATABASE_CELLS: text }));
  expect(errors.map(({ path, message: said }) => `${path}: ${said}`)).toEqual([expect.stringContaining(message)]);
  expect(JSON.stringify(errors)).not.toContain('secret@');
  expect(load({}, { DATABASE_URL: home, DATABASE_CELLS: text }).kind).toBe('invalid');
});

it.each([
  [{ DATABASE_CELLS: JSON.stringify(good) }, 'DATABASE_CELLS: needs DATABASE_URL'],
  [{ DATABASE_URL: home, DATABASE_CELLS_FILE: '/nowhere' }, 'DATABASE_CELLS_FILE: /nowhere cannot be read'],
  [{ ...env(good), DATABASE_CELLS_FILE: '/f' }, 'DATABASE_CELLS_FILE: is set beside DATABASE_CELLS'],
])('an environment is refused: %j', (given, message) => {
  const { errors } = loadDatabases(sources({}, given));
  expect(errors.map(({ path, message: said }) => `${path}: ${said}`)).toEqual([expect.stringContaining(message)]);
});
