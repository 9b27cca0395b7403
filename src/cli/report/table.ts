// A report on the terminal: as a table for people, and as JSON.

import { sameAmount } from '../../core/money/money.ts';
import { borders } from '../../core/reports/rollup.ts';
import type { ReportRequest, ReportRow } from '../../db/reports/report.ts';

const time = (at: number): string => new Date(at).toISOString().replace(':00.000Z', 'Z');

export function toJson({ since, until, by }: ReportRequest, rows: readonly ReportRow[]): string {
  return JSON.stringify(
    {
      since: time(since),
      until: time(until),
      rows: rows.map((row) => ({
        ...Object.fromEntries(by.map((division, index) => [division, row.by[index]])),
        ...row.counts,
        costs: row.costs.map(({ currency, amount, platformAmount }) => ({
          currency,
          amount,
          platform_amount: platformAmount,
        })),
      })),
    },
    null,
    2,
  );
}

/** Share of `part` in `whole` in percent; nothing of nothing is no share. */
const share = (part: number, whole: number): string => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`);

/** The shortest time within which half of them came: `≤ 10 s`. */
function half(prefix: 'delivered_within' | 'verified_within', counts: ReportRow['counts'], all: number): string {
  if (all === 0) return '–';
  const border = borders.find((each) => counts[`${prefix}_${each}s`] * 2 >= all);
  return border === undefined ? `> ${borders.at(-1)} s` : `≤ ${border} s`;
}

export function toTable({ since, until, by }: ReportRequest, rows: readonly ReportRow[]): string {
  const title = `opened ${time(since)} to ${time(until)}`;
  if (rows.length === 0) return `${title}: nothing was sent`;
  const heads = [
    ...by,
    'sessions',
    'verified',
    '',
    'pending',
    'sent',
    'delivered',
    '',
    'half delivered',
    'half verified',
    'cost',
  ];
  const lines = rows.map(({ by: divided, counts, costs }) => {
    const { sessions, verified, expired, failed, canceled, sent, delivered } = counts;
    return [
      ...divided.map((value) => value || '–'),
      String(sessions),
      String(verified),
      share(verified, sessions),
      String(sessions - verified - expired - failed - canceled),
      String(sent),
      String(delivered),
      share(delivered, sent),
      half('delivered_within', counts, delivered),
      half('verified_within', counts, verified),
      costs.map(costText).join(', ') || '–',
    ];
  });
  const widths = heads.map((head, at) => Math.max(head.length, ...lines.map((line) => (line[at] ?? '').length)));
  const last = heads.length - 1;
  const lineOf = (cells: readonly string[]) =>
    cells
      .map((cell, at) => {
        const width = widths[at] ?? 0;
        return at < by.length || at === last ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd();
  return [title, '', lineOf(heads), ...lines.map(lineOf)].join('\n');
}

const costText = ({ currency, amount, platformAmount }: ReportRow['costs'][number]): string =>
  sameAmount(platformAmount, '0')
    ? `${amount} ${currency}`
    : `${amount} ${currency} (+ ${platformAmount} billed to businesses)`;
