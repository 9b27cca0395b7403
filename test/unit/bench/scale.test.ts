// What the benches of several processes and of rows compute from what they measured.
import { expect, test } from 'vitest';
import { samplesOf } from '../../../bench/benches/processes.ts';
import { derived, samplesOf as storedSamplesOf } from '../../../bench/benches/stored.ts';
import { Template } from '../../../bench/load/copies.ts';
import { hotShare } from '../../../bench/measure/database.ts';
import { type Figure, figuresOf } from '../../../bench/report/figures.ts';
import { sizingOf } from '../../../bench/report/sizing.ts';
import { tableOf } from '../../../bench/report/table.ts';

test('two and four processes stand beside one process of the same run, each load for itself', () => {
  const costs = new Map([
    [1, { open: 4_000, saturated: 1_000, statements: 2.5, wakeups: 4 }],
    [2, { open: 4_400, saturated: 1_500, statements: 3, wakeups: 5 }],
    [4, { open: 5_200, saturated: 3_000, statements: 3.5, wakeups: 6 }],
  ]);
  const figures = figuresOf(samplesOf(costs));
  const ratios = Object.entries(figures).map(([key, { value, ratio }]) => [key, value, ratio]);
  expect(ratios).toEqual([
    ['processes_1', 4_000, null],
    ['processes_1_saturated', 1_000, null],
    ['processes_1_statements', 2.5, null],
    ['processes_1_wakeups', 4, null],
    ['processes_2', 4_400, 1.1],
    ['processes_2_saturated', 1_500, 1.5],
    ['processes_2_statements', 3, 1.2],
    ['processes_2_wakeups', 5, 1.25],
    ['processes_4', 5_200, 1.3],
    ['processes_4_saturated', 3_000, 3],
    ['processes_4_statements', 3.5, 1.4],
    ['processes_4_wakeups', 6, 1.5],
  ]);
  const lines = tableOf(figures).split('\n');
  expect(lines[0]).toMatch(/spread +before +target$/);
  expect(lines.filter((line) => line.includes('missed')).map((line) => line.split(' ')[0])).toEqual([
    'processes_1_saturated',
    'processes_4_saturated',
  ]);
  expect(lines.find((line) => line.startsWith('processes_4_saturated'))).toMatch(/4\.9 × +≤ 2\.2 × {2}missed$/);
});

test('without one process there is nothing to compare with', () => {
  expect(() => samplesOf(new Map([[2, { open: 1, saturated: 1, statements: 1, wakeups: 1 }]]))).toThrow(
    'nothing to compare with',
  );
});

test('a table without changed figures says nothing of what they were', () => {
  const figure = { value: 1, unit: '1/s', reference: null, ratio: null, spread: 0 };
  expect(tableOf({ rest: figure }).split('\n')[0]).not.toContain('before');
});

test('the share of HOT updates is of all updates, and whole where there is none', () => {
  expect(hotShare({ updated: 200, hot: 150 })).toBe(75);
  expect(hotShare({ updated: 0, hot: 0 })).toBe(100);
});

test('many sessions stand beside a tenth of them, and what is derived says so', () => {
  const few = { p99Ms: { get: 4 }, pages: { get: 10 } };
  expect(storedSamplesOf({ p99Ms: { get: 5 }, pages: { get: 12 } }, few)).toEqual([
    { key: 'stored_get_p99', unit: 'ms', value: 5, reference: 4 },
    { key: 'stored_get_pages', unit: 'pages/call', value: 12, reference: 10 },
    { key: 'stored_get_pages_times_5', unit: 'pages/call, derived', value: expect.closeTo(13.398, 3) },
  ]);
  expect(derived(10, 12)).toBe(10);
  expect(() => storedSamplesOf({ p99Ms: { list: 5 }, pages: {} }, few)).toThrow('list was not measured');
});

test('a copied row has ids, number, reference and times of its own, wherever they stand in it', () => {
  const id = 'vrf_01m82qs2c5e0vajf0endpj4pex';
  const messageId = 'msg_01m82qs2c5e0vajf0endpj4pey';
  const original = { id, number: '+213551234567', reference: 'bench-original-1' };
  const template = new Template(original, '00000000AB');
  template.add('verify_session', {
    account_id: 'acct_01m82qs2c5e0vajf0endpj4pez',
    id,
    shard: '7',
    number: '+213551234567',
    client_reference: 'bench-original-1',
    created_at: '2026-11-22 23:00:00.123+00',
    timeline: '[{"at": 1763852400123, "message_id": "msg_01m82qs2c5e0vajf0endpj4pey"}]',
    status: 'verified',
  });
  template.add('receipt', { session_id: id, message_id: messageId, raw: 'id:00000000AB done date:2611222300', n: '3' });
  expect(template.ids).toEqual([id, messageId]);
  const copy = {
    number: '+213660000001',
    reference: 'order-1',
    shard: 9,
    carrierId: 'CC1',
    laterMs: -60_000,
    ids: ['vrf_copy', 'msg_copy'],
  };
  expect([...template.render(copy)]).toEqual([
    {
      table: 'verify_session',
      line:
        'acct_01m82qs2c5e0vajf0endpj4pez\tvrf_copy\t9\t+213660000001\torder-1\t2026-11-22 22:59:00.123+00\t' +
        '[{"at": 1763852340123, "message_id": "msg_copy"}]\tverified\n',
    },
    { table: 'receipt', line: 'vrf_copy\tmsg_copy\tid:CC1 done date:2611222300\t3\n' },
  ]);
});

test('what a rate needs follows from the cost of one, and is left out where that was not measured', () => {
  const figure = (value: number, ratio: number | null = null): Figure => ({
    value,
    unit: '',
    reference: null,
    ratio,
    spread: 0,
  });
  const figures = {
    cpu_server: figure(500),
    cpu_postgres: figure(500),
    processes_1: figure(4_000),
    processes_4_saturated: figure(3_000, 2),
    wal: figure(7),
    disk: figure(5),
  };
  const rows = sizingOf(figures)
    ?.split('\n')
    .map((line) => line.trim().split(/ {2,}/));
  expect(rows?.[2]).toEqual(['100', '0.2 cores', '0.2 cores', '2', '0.7 MB/s', '60 GB', '43 GB']);
  // One process carries 1,000 a second; beyond that several do, which may cost up to the measured ratio.
  expect(rows?.[3]?.slice(0, 4)).toEqual(['1,000', '0.5 cores', '0.5 cores', '2']);
  expect(rows?.[4]?.slice(0, 4)).toEqual(['10,000', '5-10 cores', '5-10 cores', '9-17']);
  expect(sizingOf({ ...figures, disk: undefined as never })).toBeNull();
});
