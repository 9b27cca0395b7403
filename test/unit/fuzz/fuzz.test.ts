// A short run of the fuzzer (npm run fuzz is the long one): everything in the corpus, then a few hundred fresh inputs each.
// The seed is fixed, so that a failure here is a failure everywhere; the long run takes another one every time.
import { describe, expect, test } from 'vitest';
import { fuzz, shrink } from '../../fuzz/fuzz.ts';
import { mutate } from '../../fuzz/mutate.ts';
import { randomOf } from '../../fuzz/random.ts';
import { hold, type Target } from '../../fuzz/target.ts';
import { targets } from '../../fuzz/targets.ts';

test.each(targets)('$name', async (target) => {
  const { finding } = await fuzz(target, { count: 400, seed: 1 });
  if (finding) {
    const input = await shrink(target, finding);
    throw new Error(`on ${input.toString('hex')}: ${String(finding.error)}`, { cause: finding.error });
  }
});

describe('the fuzzer itself', () => {
  const target = (run: Target['run']): Target => ({
    name: 'none',
    weight: 1,
    seeds: [Buffer.from('seed')],
    dictionary: ['!!'],
    run,
  });

  test('finds what is wrong, makes it small, and finds the same again', async () => {
    const broken = target((input) => hold(!input.includes('!!'), 'two of them'));
    const first = await fuzz(broken, { count: 10_000, seed: 7 });
    const again = await fuzz(broken, { count: 10_000, seed: 7 });
    expect(first.finding?.input).toEqual(again.finding?.input);
    if (!first.finding) throw new Error('nothing found');
    expect((await shrink(broken, first.finding)).toString()).toBe('!!');
  });

  test('mutations of another seed are others', () => {
    const run = (seed: number) =>
      mutate(Buffer.from('a fairly long input'), randomOf(seed), { dictionary: [], others: [] });
    expect(new Set(Array.from({ length: 50 }, (_, seed) => run(seed).toString('hex'))).size).toBeGreaterThan(25);
  });
});
