// The one table that the bench prints.

import type { Figure } from './figures.ts';
import { targets } from './targets.ts';

export function tableOf(figures: Readonly<Record<string, Figure>>): string {
  // Only a table with figures that have changed on purpose says what they were.
  const saysBefore = Object.keys(figures).some((key) => targets[key]?.before !== undefined);
  const heads = ['', 'value', 'unit', 'reference', 'ratio', 'spread', ...(saysBefore ? ['before'] : []), 'target'];
  const rows = Object.entries(figures).map(([key, figure]) => {
    const target = targets[key];
    return [
      key,
      String(figure.value),
      figure.unit,
      text(figure.reference),
      text(figure.ratio),
      `${Math.round(figure.spread * 100)} %`,
      ...(saysBefore ? [target?.before ?? ''] : []),
      target ? `${target.text}${target.reached(figure) ? '' : '  missed'}` : '',
    ];
  });
  const widths = heads.map((head, column) =>
    Math.max(...[head, ...rows.map((row) => row[column] ?? '')].map((cell) => cell.length)),
  );
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => (isNumber(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return [heads, ...rows].map(line).join('\n');
}

const text = (value: number | null): string => (value === null ? '' : String(value));
const isNumber = (column: number): boolean => column === 1 || (column >= 3 && column <= 5);
