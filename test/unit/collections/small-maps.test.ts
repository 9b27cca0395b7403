import { expect, test } from 'vitest';
import { BoundedMap } from '../../../src/collections/small-maps.ts';

test('the oldest entry makes room, and the owner of the map hears of it', () => {
  const evicted: [string, number][] = [];
  const map = new BoundedMap<string, number>(2, (value, key) => evicted.push([key, value]));
  map.set('a', 1).set('b', 2).set('c', 3);
  expect([...map]).toEqual([
    ['b', 2],
    ['c', 3],
  ]);
  expect(evicted).toEqual([['a', 1]]);
});

test('an entry that is set again is the youngest', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4);
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ]);
});

test('a deleted entry is not evicted', () => {
  const evicted: string[] = [];
  const map = new BoundedMap<string, number>(1, (_, key) => evicted.push(key));
  map.set('a', 1);
  map.delete('a');
  map.set('b', 2);
  expect([[...map.keys()], evicted]).toEqual([['b'], []]);
});
