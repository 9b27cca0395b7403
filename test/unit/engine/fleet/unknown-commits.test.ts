// What a statement without an answer may have stored is looked for until a search has found all of it, however long the database is away.
import { expect, test } from 'vitest';
import { UnknownCommits } from '../../../../src/engine/fleet/unknown-commits.ts';

function lost() {
  const clock = { now: 1_000_000 };
  const database = { isAway: false, found: 0 };
  const commits = new UnknownCommits({ now: () => clock.now });
  const search = () =>
    commits.search(async () => {
      if (database.isAway) throw new Error('away');
      database.found += 1;
    });
  commits.add();
  return { clock, database, commits, search };
}

test('searches go on once a second until one that began when nothing can be committed any more', async () => {
  const { clock, database, commits, search } = lost();
  await search();
  await search();
  expect(database.found).toBe(1);
  clock.now += 19_999;
  await search();
  expect([database.found, commits.isOpen]).toEqual([2, true]);
  clock.now += 1_000;
  await search();
  expect([database.found, commits.isOpen]).toEqual([3, false]);
  clock.now += 1_000;
  await search();
  expect(database.found).toBe(3);
});

test('nobody searches for a while, for example without a lease: the search is made afterwards', async () => {
  const { clock, database, commits, search } = lost();
  clock.now += 25_000;
  expect(commits.isOpen).toBe(true);
  await search();
  expect([database.found, commits.isOpen]).toEqual([1, false]);
});

test('a search that fails is made again, and what it asks may be committed later than was thought', async () => {
  const { clock, database, commits, search } = lost();
  database.isAway = true;
  for (const ms of [0, 12_500, 12_500]) {
    clock.now += ms;
    await expect(search()).rejects.toThrow('away');
    expect(commits.isOpen).toBe(true);
  }
  database.isAway = false;
  clock.now += 250;
  await search();
  expect([database.found, commits.isOpen]).toEqual([1, true]);
  clock.now += 20_000;
  await search();
  expect([database.found, commits.isOpen]).toEqual([2, false]);
});

test('a commit that becomes unknown during the last search is searched for in turn', async () => {
  const { clock, commits } = lost();
  clock.now += 20_000;
  await commits.search(async () => commits.add());
  expect(commits.isOpen).toBe(true);
});
