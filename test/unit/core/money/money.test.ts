import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addAmounts,
  formatDecimal,
  formatFixed,
  isPrice,
  multiplyAmount,
  parseDecimal,
  parseFixed,
  sameAmount,
} from '../../../../src/core/money/money.ts';

const amount = fc
  .tuple(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), fc.integer({ min: 0, max: 12 }))
  .map(([digits, scale]) => formatDecimal({ digits, scale }));

describe('decimals', () => {
  it('read back as they were written', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 18n) + 1n, max: 10n ** 18n - 1n }),
        fc.integer({ min: 0, max: 12 }),
        (digits, scale) => {
          expect(parseDecimal(formatDecimal({ digits, scale }))).toEqual({ digits, scale });
        },
      ),
    );
  });

  it.each([
    '',
    '.',
    '1.',
    '.5',
    '+1',
    '1e3',
    '1,5',
    ' 1',
    '1\n',
    '0x10',
    'NaN',
    '١',
    '1.1234567890123',
    '1'.repeat(19),
  ])('do not read %j', (text) => {
    expect(parseDecimal(text)).toBeUndefined();
    expect(isPrice(text)).toBe(false);
  });

  it('know a price from a negative amount', () => {
    expect(isPrice('0')).toBe(true);
    expect(isPrice('2.50')).toBe(true);
    expect(isPrice('-2.50')).toBe(false);
  });
});

describe('arithmetic', () => {
  it('is exact where floats are not', () => {
    expect(addAmounts('0.1', '0.2')).toBe('0.3');
    expect(addAmounts('2.50', '0.125')).toBe('2.625');
    expect(multiplyAmount('1.005', 3)).toBe('3.015');
    expect(multiplyAmount('2.50', 0)).toBe('0.00');
    expect(multiplyAmount('900719925474099.3', 3)).toBe('2702159776422297.9');
    expect(addAmounts('-0.05', '0.05')).toBe('0.00');
    expect(formatDecimal({ digits: -5n, scale: 2 })).toBe('-0.05');
  });

  it('goes on beyond what one price may be: a sum of many is greater', () => {
    const price = '9'.repeat(18);
    expect([price, price, '1.5', `-${price}`].reduce(addAmounts, '0')).toBe('1000000000000000000.5');
    expect(sameAmount(addAmounts(price, price), '1999999999999999998')).toBe(true);
    expect(formatFixed(parseFixed(addAmounts(price, '1')))).toBe(`1${'0'.repeat(18)}`);
    expect(isPrice(addAmounts(price, '1'))).toBe(false);
  });

  it('adds commutatively, and n times is n additions', () => {
    fc.assert(
      fc.property(amount, amount, fc.integer({ min: 0, max: 20 }), (a, b, n) => {
        expect(addAmounts(a, b)).toBe(addAmounts(b, a));
        const summed = Array.from({ length: n }, () => a).reduce(addAmounts, '0');
        expect(sameAmount(multiplyAmount(a, n), summed)).toBe(true);
      }),
    );
  });

  it('compares by value', () => {
    expect(sameAmount('2.5', '2.500')).toBe(true);
    expect(sameAmount('2.5', '2.501')).toBe(false);
    expect(sameAmount('-0', '0.0')).toBe(true);
  });

  it('throws on what was never an amount, and on fractions of a part', () => {
    expect(() => addAmounts('1', 'x')).toThrow(RangeError);
    expect(() => multiplyAmount('1', 1.5)).toThrow(RangeError);
  });
});
