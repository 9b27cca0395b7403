// Summaries that are larger than what an answer holds.
import { expect, it } from 'vitest';
import { counters } from '../../../../src/core/reports/rollup.ts';
import type { Reads } from '../../../../src/db/queryable.ts';
import { Summaries } from '../../../../src/engine/reports/summary.ts';

const none = Object.fromEntries(counters.map((name) => [name, 0]));

/** A database whose report has one row with so many parts. */
const withParts = (parts: number) => {
  const query = async ({ name }: { name?: string }) => ({
    rows: name?.startsWith('report.') ? [{ until: 0 }] : [{ ...none, sent: 1, parts, by: [], costs: [] }],
  });
  return { query } as unknown as Reads;
};

it.each([
  [2 ** 31 - 1, 'summed'],
  [2 ** 31, 'refused'],
])('%d parts in a row: %s', async (parts, kind) => {
  const summaries = new Summaries([withParts(parts)], () => Date.UTC(2026, 2, 1));
  const asked = { accountId: 'acc_1', mode: 'live', since: null, until: null, groupBy: [] } as const;
  expect(await summaries.of(asked)).toMatchObject({ kind });
});
