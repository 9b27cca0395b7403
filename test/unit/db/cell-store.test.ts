// Reads over several cells as one: whatever each cell looked at, every session of a list comes once and in order, and the latest one is the latest of all.
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CellMap } from '../../../src/core/fleet/cells.ts';
import { newId, shardForNumber } from '../../../src/core/ids.ts';
import { engineReadsOver, merged } from '../../../src/db/cell-store.ts';
import { type ListedSession, type ListPage, nextOf } from '../../../src/db/verify/list.ts';

interface Row {
  id: string;
  cell: number;
  matches: boolean;
}

/** As db/verify/list.ts: at most so many rows are looked at for a page, and those that match are given. */
function pageOf(rows: readonly Row[], limit: number, before: string | null, looks: number): ListPage<ListedSession> {
  const after = rows.filter(({ id }) => before === null || id < before);
  const looked = after.slice(0, looks);
  const found = looked.filter(({ matches }) => matches).map(({ id }) => ({ session: { id }, costs: [] }) as never);
  const until = found.length <= limit && looked.length === looks ? (looked.at(-1)?.id ?? null) : null;
  return nextOf<ListedSession>(found.slice(0, limit + 1), limit, until, ({ session }) => session.id);
}

const rows = fc
  .array(fc.record({ cell: fc.nat({ max: 4 }), matches: fc.boolean() }), { maxLength: 60 })
  .map((some) => some.map((row, at): Row => ({ ...row, id: `vrf_${String(999 - at)}` })));

test('every session that matches comes once, the newest first, in pages no longer than asked for', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 12 }), (all, limit, looks) => {
      const found: string[] = [];
      let before: string | null = null;
      for (let pages = 0; pages === 0 || before !== null; pages += 1) {
        const of = (cell: number) =>
          pageOf(
            all.filter((row) => row.cell === cell),
            limit,
            before,
            looks,
          );
        const page: ListPage<ListedSession> = merged([0, 1, 2, 3, 4].map(of), limit);
        expect(page.items.length).toBeLessThanOrEqual(limit);
        if (before !== null && page.next !== null) expect(page.next < before).toBe(true);
        found.push(...page.items.map(({ session }) => session.id));
        before = page.next;
      }
      expect(found).toEqual(all.filter(({ matches }) => matches).map(({ id }) => id));
    }),
  );
});

test.each<[what: string, opened: number[], latest: number | undefined, asked: string[]]>([
  ['the present cell has one of its time', [150, 250, 350], 350, ['b']],
  ['the present cell has one of before alone', [150, 250], 250, ['b', 'c']],
  ['the cell before has none', [50, 150], 150, ['b', 'c']],
  ['they lie in the first cell', [50], 50, ['b', 'c', 'home']],
  ['there are none', [], undefined, ['b', 'c', 'home']],
])('the latest session of a number that left a cell and came back: %s', async (_, opened, latest, wanted) => {
  const all = (cell: string) => [{ first: 0, after: 1024, cell }];
  const map = new CellMap([
    { from: 100, ranges: all('b') },
    { from: 200, ranges: all('c') },
    { from: 300, ranges: all('b') },
  ]);
  const number = '+213551360001';
  const idAt = (nowMs: number) => newId('vrf_', { nowMs, shard: shardForNumber(number), random: randomBytes(10) });
  const ids = new Map(opened.map((at) => [at, idAt(at)]));
  const asked: string[] = [];
  const of = (cell: string) => ({
    latestSessionOf: async () => {
      asked.push(cell);
      return [...ids.values()].findLast((id) => map.ofId(id) === cell) ?? null;
    },
  });
  const reads = engineReadsOver({ map, of: of as never, now: () => 400 });
  const found = await reads.latestSessionOf({ accountId: 'acct_1', mode: 'live', number, purpose: '' });
  expect([found, asked]).toEqual([latest === undefined ? null : ids.get(latest), wanted]);
});
