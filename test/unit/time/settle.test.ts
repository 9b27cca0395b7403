// Work that is waited for together: what comes of it where some of it fails.
import { expect, test } from 'vitest';
import { settleAll, settleAny } from '../../../src/time/settle.ts';

const failed = (what: string) => Promise.reject(new Error(what));

test('all: results come in the order of the work, whichever ends first', async () => {
  const first = Promise.withResolvers<string>();
  const results = settleAll([first.promise, Promise.resolve('second')]);
  first.resolve('first');
  expect(await results).toEqual(['first', 'second']);
});

test('all: a failure is thrown only once everything has ended, and the first of several', async () => {
  const slow = Promise.withResolvers<void>();
  let hasSettled = false;
  const results = settleAll([slow.promise, failed('early'), failed('late')]).finally(() => {
    hasSettled = true;
  });
  const thrown = expect(results).rejects.toThrow('early');
  await new Promise(setImmediate);
  expect(hasSettled).toBe(false);
  slow.resolve();
  await thrown;
});

test('any: what failed is left out', async () => {
  expect(await settleAny([failed('one'), Promise.resolve(2), Promise.resolve(3)])).toEqual([2, 3]);
});

test('any: the first failure is thrown where nothing succeeded, and no work is no failure', async () => {
  await expect(settleAny([failed('one'), failed('two')])).rejects.toThrow('one');
  expect(await settleAny([])).toEqual([]);
});
