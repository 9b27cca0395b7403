// Medians, ratios and the table: what is told of the runs.
import { describe, expect, test } from 'vitest';
import { parseArguments } from '../../../bench/arguments.ts';
import { median, quantile, quantileOfClasses, spread } from '../../../bench/measure/statistics.ts';
import { withBlock } from '../../../bench/report/document.ts';
import { figuresOf } from '../../../bench/report/figures.ts';
import { tableOf } from '../../../bench/report/table.ts';

describe('statistics', () => {
  test('median of an odd and an even number of runs', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
  });
  test('quantiles are values that were measured', () => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(quantile(values, 0.5)).toBe(50);
    expect(quantile(values, 0.99)).toBe(99);
    expect(quantile([7], 0.99)).toBe(7);
    expect(quantile([], 0.5)).toBeNaN();
  });
  test('quantiles of counted values are the ends of classes', () => {
    expect(quantileOfClasses([98, 0, 1, 1], 0.5)).toBe(1);
    expect(quantileOfClasses([98, 0, 1, 1], 0.99)).toBe(3);
    expect(quantileOfClasses([98, 0, 1, 1], 1)).toBe(4);
    expect(quantileOfClasses([0, 0], 0.99)).toBeNaN();
  });
  test('spread is a share of the median, and of nothing it is nothing', () => {
    expect(spread([90, 100, 110])).toBeCloseTo(0.2);
    expect(spread([0, 0, 0])).toBe(0);
  });
});

describe('figures', () => {
  test('the ratio is the median of the runs’ own ratios', () => {
    const run = (value: number, reference: number) => ({ key: 'rest', unit: 'µs', value, reference });
    // A machine half as fast in the second run changes both sides and not the ratio.
    expect(figuresOf([run(60, 20), run(120, 40), run(64, 20)])).toEqual({
      rest: { value: 64, unit: 'µs', reference: 20, ratio: 3, spread: 0.0667 },
    });
  });
  test('without a reference there is no ratio', () => {
    expect(figuresOf([{ key: 'memory', unit: 'MiB', value: 100 }])).toEqual({
      memory: { value: 100, unit: 'MiB', reference: null, ratio: null, spread: 0 },
    });
  });
  test('the table tells a missed target', () => {
    const figure = { unit: 'µs', reference: 20, spread: 0 };
    const table = tableOf({ rest: { ...figure, value: 80, ratio: 4 }, grpc: { ...figure, value: 30, ratio: 1.5 } });
    expect(table.split('\n').map((line) => line.includes('missed'))).toEqual([false, true, false]);
  });
});

test('arguments choose benches, lengths and counts', () => {
  const parsed = parseArguments(['rest', '--seconds=2', '--docs']);
  expect(parsed).toMatchObject({ kind: 'ok', value: { benches: ['rest'], seconds: 2, runs: 3, docs: true } });
  expect(parseArguments([])).toMatchObject({ kind: 'ok', value: { profile: false, callSeconds: 60 } });
  const calls = { benches: ['calls'], callSeconds: 5, seconds: 6 };
  expect(parseArguments(['calls', '--call-seconds=5'])).toMatchObject({ kind: 'ok', value: calls });
  const scale = parseArguments(['processes', 'stored', '--rate=50', '--stored=1000', '--submit-rate=60', '--rows=10']);
  expect(scale).toMatchObject({ value: { benches: ['processes', 'stored'], rate: 50, stored: 1000, submitRate: 60 } });
  for (const wrong of ['nothing', '--seconds=0', '--seconds', '--unknown=1']) {
    expect(parseArguments([wrong]).kind).toBe('help');
  }
});

test('figures replace what stood in their place of the document', () => {
  const document = 'a\n<!-- x: -->\nold\n<!-- :x -->\nb\n';
  expect(withBlock(document, 'x', 'new')).toBe('a\n<!-- x: -->\n\n```text\nnew\n```\n\n<!-- :x -->\nb\n');
  expect(() => withBlock(document, 'y', '')).toThrow('no place for y');
});
