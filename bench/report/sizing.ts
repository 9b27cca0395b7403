// What a rate of verifications needs, derived from what one of them was measured to cost: processor cores, Postgres' log, and disk.
// Derived means multiplied: nothing here was run at these rates. Pure.

import type { Figure } from './figures.ts';

type Figures = Readonly<Record<string, Figure>>;

/** Measured in the same run, or there is nothing to derive from. */
const needed = ['cpu_server', 'cpu_postgres', 'processes_1', 'processes_4_saturated', 'wal', 'disk'] as const;

/** Verifications a second. */
const rates = [10, 100, 1_000, 10_000] as const;
/** Up to it batches are as short as at the rate that `processes_1` was measured at. */
const shortBatches = 200;
/** Of a core: a process has one main thread, and its queue grows beyond this. An assumption. */
const fullProcess = 0.6;
const day = 86_400;

/** The table; null where one of the figures is missing. */
export function sizingOf(figures: Figures): string | null {
  const values = needed.map((key) => figures[key]?.value);
  const ratio = figures.processes_4_saturated?.ratio;
  if (values.includes(undefined) || ratio == null) return null;
  const [server, postgres, open, , wal, disk] = values as number[] as [number, number, number, number, number, number];
  const serverShare = server / (server + postgres);
  const heads = ['verifications/s', 'service', 'Postgres', 'processes', 'WAL', 'WAL a day', 'disk a day'];
  const rows = rates.map((rate) => {
    const least = rate <= shortBatches ? open : server + postgres;
    // Several processes cost more where their batches are short: between nothing and what four of them cost on one small machine.
    const most = rate > shortBatches && processesFor(rate, server) > 1 ? least * ratio : least;
    const cores = (share: number) => range([least, most], (each) => digits((rate * each * share) / 1e6));
    return [
      rate.toLocaleString('en'),
      `${cores(serverShare)} cores`,
      `${cores(1 - serverShare)} cores`,
      range([least, most], (each) => String(Math.max(2, processesFor(rate, each * serverShare)))),
      `${digits((rate * wal) / 1000)} MB/s`,
      `${digits((rate * wal * day) / 1e6)} GB`,
      `${digits((rate * disk * day) / 1e6)} GB`,
    ];
  });
  const widths = heads.map((head, at) => Math.max(head.length, ...rows.map((row) => (row[at] ?? '').length)));
  return [heads, ...rows].map((row) => row.map((cell, at) => cell.padStart(widths[at] ?? 0)).join('  ')).join('\n');
}

/** Without the second one that every deployment has, so that one may stop. */
const processesFor = (rate: number, serverUs: number): number => Math.ceil((rate * serverUs) / 1e6 / fullProcess);

const range = ([least, most]: [number, number], text: (each: number) => string): string =>
  text(least) === text(most) ? text(least) : `${text(least)}-${text(most)}`;

const digits = (value: number): string => String(Number(value.toPrecision(2)));
