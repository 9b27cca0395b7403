import { expect, test } from 'vitest';
import { OperatorClocks } from '../../../src/telemetry/operator-clocks.ts';

const minute = 60_000;
const see = (differences: number[]) => {
  const clocks = new OperatorClocks();
  return differences.map((each) => clocks.see('alpha', 1_000_000_000 + each * minute, 1_000_000_000));
};

test('five receipts in a row that are off by the same quarters are told once', () => {
  expect(see([-60, -60.9, -60, -59.5, -60, -60])).toEqual([null, null, null, null, -60, null]);
  expect(see([345, 345, 345, 345, 345]).at(-1)).toBe(345);
});

test('a right date in between, another offset, or a receipt that is merely late begins the count again', () => {
  expect(see([-60, -60, -60, -60, -0.5, -60]).at(-1)).toBeNull();
  expect(see([-60, -60, -60, -60, -120, -60]).at(-1)).toBeNull();
  expect(see([-7, -8, -7, -6, -7, -8, -7])).toEqual([null, null, null, null, null, null, null]);
});

test('each operator has its own', () => {
  const clocks = new OperatorClocks();
  for (let n = 0; n < 4; n += 1) clocks.see('alpha', 3_600_000, 0);
  expect([clocks.see('beta', 3_600_000, 0), clocks.see('alpha', 3_600_000, 0)]).toEqual([null, 60]);
});
