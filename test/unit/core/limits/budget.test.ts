import { describe, expect, it } from 'vitest';
import {
  type BudgetLimits,
  chargesOf,
  limitsOf,
  linesOf,
  nameOf,
  sliceOf,
  windowOfHour,
} from '../../../../src/core/limits/budget.ts';
import { formatFixed, parseFixed } from '../../../../src/core/money/money.ts';

const limits: BudgetLimits = {
  sendsPerHour: 10,
  sendsPerDay: 20,
  spendPerHour: { DZD: '5.5' },
  spendPerDay: { USD: '2' },
};
const keys = [
  { keyId: 'key_1', limits: { spendPerDay: { DZD: '1' } } },
  { keyId: 'key_0', limits: { sendsPerDay: 5 } },
];
const lines = linesOf({ accountId: 'acct_1', limits, keys });
const told = lines.map((line) => `${line.keyId} ${nameOf(line)} ${line.unit} ${formatFixed(line.limit)}`);

describe('budgets of a send', () => {
  it('are those of its account, of its key where that has any, and of the keys it descends from', () => {
    expect(told).toEqual([
      ' sends_per_hour sends 10',
      ' spend_per_hour DZD 5.5',
      ' sends_per_day sends 20',
      ' spend_per_day USD 2',
      'key_1 spend_per_day DZD 1',
      'key_0 sends_per_day sends 5',
    ]);
  });

  it('are charged one send where a call asked for the message, and its cost in its own currency', () => {
    const of = (...args: Parameters<typeof chargesOf> extends [unknown, ...infer Rest] ? Rest : never) =>
      chargesOf(lines, ...args).map(
        ({ line, amount }) => `${line.keyId}${line.unit} ${line.period} ${formatFixed(amount)}`,
      );
    expect(of(1, { amount: '2.50', currency: 'DZD' })).toEqual([
      'sends hour 1',
      'DZD hour 2.5',
      'sends day 1',
      'key_1DZD day 2.5',
      'key_0sends day 1',
    ]);
    expect(of(0, { amount: '0.0212', currency: 'USD' })).toEqual(['USD day 0.0212']);
    expect(of(0, { amount: '1', currency: 'EUR' })).toEqual([]);
    expect(of(0, { amount: '0.00', currency: 'DZD' })).toEqual([]);
    expect(of(1, null)).toEqual(['sends hour 1', 'sends day 1', 'key_0sends day 1']);
  });

  it('are the deployment’s but for what the account has of its own', () => {
    expect(limitsOf(limits, {})).toEqual(limits);
    expect(limitsOf(limits, 'none')).toEqual({});
    expect(
      limitsOf(limits, { sends_per_day: null, sends_per_hour: 7, spend_per_hour: { DZD: null, EUR: '3' } }),
    ).toEqual({ sendsPerHour: 7, spendPerHour: { EUR: '3' }, spendPerDay: { USD: '2' } });
    expect(limitsOf(limits, { spend_per_hour: null })).toEqual({ ...limits, spendPerHour: {} });
  });
});

it('an hour is its own window, or in that of its day', () => {
  expect([windowOfHour('hour', 49), windowOfHour('day', 47), windowOfHour('day', 48)]).toEqual([49, 1, 2]);
});

describe('a slice', () => {
  const slice = (limit: string, unit: string, spent: string) =>
    formatFixed(sliceOf({ limit: parseFixed(limit), unit }, parseFixed(spent)));

  it('is what was spent of late, and at most a hundredth of the budget', () => {
    expect(slice('1000', 'DZD', '2.5')).toBe('2.5');
    expect(slice('1000', 'DZD', '30')).toBe('10');
    expect(slice('1000', 'sends', '30')).toBe('10');
  });

  it('of sends is whole, so that a small budget is taken one by one', () => {
    expect(slice('150', 'sends', '30')).toBe('1');
    expect(slice('99', 'sends', '30')).toBe('0');
    expect(slice('0', 'sends', '30')).toBe('0');
  });
});
