// Pages of several cells as one: whatever each cell looked at, every session comes once and in order.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { merged } from '../../../src/db/cell-store.ts';
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
