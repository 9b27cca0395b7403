// The projector's search and its clock, played with a projection and a database that only note what they are asked.
import { expect, test } from 'vitest';
import type { Session } from '../../../../src/core/verify/session.ts';
import type { Queryable } from '../../../../src/db/queryable.ts';
import { type Projection, Projector } from '../../../../src/engine/reports/projector.ts';

/** A search finds one row on each of so many pages. */
async function played({ pages = 1, everyMs = 0 } = {}) {
  let now = 1_800_000_000_000;
  const projected: string[] = [];
  const marks: unknown[] = [];
  const asked: string[] = [];
  const since: number[] = [];
  const projection: Projection<string> = {
    name: 'played',
    everyMs,
    rowsOf: () => ['committed'],
    project: async (rows) => void projected.push(...rows),
    repair: async (from, after) => {
      since.push(from);
      asked.push(after);
      const page = Number(after || 1);
      projected.push(`page ${page}`);
      return page < pages ? String(page + 1) : null;
    },
  };
  const db: Queryable = {
    query: async ({ values }) => {
      marks.push(values[2]);
      return { rows: [], rowCount: 0 };
    },
  };
  const fleet = { processId: 'prc_1', mayTakeOver: true };
  const projector = new Projector({ db, fleet, now: () => now, projection });
  await projector.begin();
  return { projector, projected, asked, since, marks, pass: (ms: number) => (now += ms), now: () => now };
}

const committed = { before: null, session: {} as Session };

test('a long search goes on from run to run, behind what is new', async () => {
  const { projector, projected, asked } = await played({ pages: 25 });
  projector.commitUnknown();
  await projector.run();
  expect(asked).toHaveLength(10);
  projector.committed(committed);
  await projector.run();
  expect(projected[10]).toBe('committed');
  await projector.run();
  expect(asked).toEqual(['', ...Array.from({ length: 24 }, (_, at) => String(at + 2))]);
});

test('a search that took longer than anything may still be committed is made once more all the same', async () => {
  const { projector, asked, pass } = await played({ pages: 25 });
  projector.commitUnknown();
  for (let runs = 0; runs < 3; runs += 1) {
    await projector.run();
    pass(20_000);
  }
  await projector.run();
  expect(asked.filter((after) => after === '')).toHaveLength(2);
});

test('a loss during a search begins it again', async () => {
  const { projector, asked } = await played({ pages: 25 });
  projector.commitUnknown();
  await projector.run();
  projector.commitUnknown();
  await projector.run();
  expect(asked.filter((after) => after === '')).toHaveLength(2);
});

test('a clock that is set back moves the mark back with it', async () => {
  const { projector, marks, pass, now } = await played();
  pass(-3_600_000);
  projector.committed(committed);
  await projector.run();
  expect(marks.at(-1)).toBe(now());
});

test.each([
  ['between its two turns', 1],
  ['within its first turn', 25],
])('a clock that is set back %s of a search does not put the second one off, nor spare it', async (_, pages) => {
  const { projector, asked, pass } = await played({ pages });
  projector.commitUnknown();
  await projector.run();
  pass(-3_600_000);
  let waitMs = 0;
  for (let runs = 0; runs < 3; runs += 1) waitMs = await projector.run();
  expect(waitMs).toBeLessThanOrEqual(20_000);
  expect(asked.filter((after) => after === '')).toHaveLength(1);
  pass(20_000);
  await projector.run();
  expect(asked.filter((after) => after === '')).toHaveLength(2);
});

test('what may be committed after a clock was set back is looked for from then on', async () => {
  const { projector, since, pass, now } = await played();
  pass(-3 * 3_600_000);
  projector.commitUnknown();
  await projector.run();
  expect(since).toEqual([now() - 20_000]);
});

test('what is committed within the interval of a projection is projected together', async () => {
  const { projector, projected, pass } = await played({ everyMs: 1_000 });
  projector.committed(committed);
  await projector.run();
  expect(projected).toHaveLength(1);
  projector.committed(committed);
  pass(999);
  await projector.run();
  projector.committed(committed);
  expect(projected).toHaveLength(1);
  pass(1);
  await projector.run();
  expect(projected).toHaveLength(3);
  projector.committed(committed);
  await projector.end();
  expect(projected).toHaveLength(4);
});
