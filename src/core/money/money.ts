// Amounts of money: decimal strings in, decimal strings out, BigInt between. Floats are never used, because they cannot hold a tenth.

/** `digits` × 10^-scale. `2.50` is { digits: 250n, scale: 2 }. */
export interface Decimal {
  digits: bigint;
  scale: number;
}

/** At most 18 digits before the point and 12 behind: more is a typing error, not a price. */
const priceText = /^(-?)([0-9]{1,18})(?:\.([0-9]{1,12}))?$/;
/** A sum of prices, however many: carriers may state by mistake what is as great as a price may be. */
const sumText = /^(-?)([0-9]{1,100})(?:\.([0-9]{1,12}))?$/;

/** The amount in `text`, or undefined when it is not one: plain decimal notation, no exponent, no plus, no grouping. */
export const parseDecimal = (text: string): Decimal | undefined => decimalOf(text, priceText);

function decimalOf(text: string, form: RegExp): Decimal | undefined {
  const match = form.exec(text);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = ''] = match;
  return { digits: BigInt(`${sign}${whole}${fraction}`), scale: fraction.length };
}

/** Keeps the scale: { 250n, 2 } → `2.50`. */
export function formatDecimal({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? '-' : '';
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
  return scale === 0 ? sign + text : `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

/** True for a possible price: an amount that is not negative. */
export function isPrice(text: string): boolean {
  const value = parseDecimal(text);
  return value !== undefined && value.digits >= 0n;
}

/** The sum, in the finer of both scales. Throws RangeError for a text that is no amount: input is checked where it comes in. */
export function addAmounts(left: string, right: string): string {
  const [a, b] = aligned(left, right);
  return formatDecimal({ digits: a.digits + b.digits, scale: a.scale });
}

/** `amount` × a whole number, in the amount's own scale: `2.50` × 0 is `0.00`. */
export function multiplyAmount(amount: string, times: number): string {
  if (!Number.isSafeInteger(times)) throw new RangeError('money is multiplied by whole numbers only');
  const { digits, scale } = amountOf(amount);
  return formatDecimal({ digits: digits * BigInt(times), scale });
}

/** Equal in value: `2.5` and `2.50` are. */
export function sameAmount(left: string, right: string): boolean {
  const [a, b] = aligned(left, right);
  return a.digits === b.digits;
}

export function isGreaterAmount(left: string, right: string): boolean {
  const [a, b] = aligned(left, right);
  return a.digits > b.digits;
}

function aligned(left: string, right: string): [Decimal, Decimal] {
  const a = amountOf(left);
  const b = amountOf(right);
  const scale = Math.max(a.scale, b.scale);
  return [rescale(a, scale), rescale(b, scale)];
}

const rescale = ({ digits, scale }: Decimal, to: number): Decimal => ({
  digits: digits * 10n ** BigInt(to - scale),
  scale: to,
});

function amountOf(text: string): Decimal {
  const value = decimalOf(text, sumText);
  if (!value) throw new RangeError('not a decimal amount');
  return value;
}

/** Digits behind the point of a fixed-point amount: those that an amount may have at most. */
const fixedScale = 12;

/** The amount as a whole number of 10^-12, for sums of many. Throws RangeError for a text that is no amount. */
export const parseFixed = (text: string): bigint => rescale(amountOf(text), fixedScale).digits;

/** Without zeros at the end: 2500000000000n → `2.5`. */
export const formatFixed = (amount: bigint): string =>
  formatDecimal({ digits: amount, scale: fixedScale }).replace(/\.?0+$/, '');
