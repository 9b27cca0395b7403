import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answerKey, type MessageIdRule, receiptKeys } from '../../../../src/core/receipts/message-ids.ts';

const rule = (change: Partial<MessageIdRule> = {}): MessageIdRule => ({
  rule: 'same',
  stripLeadingZeros: false,
  caseInsensitive: false,
  ...change,
});
const hexThenDecimal = rule({ rule: 'answer_hex_receipt_decimal' });
const decimalThenHex = rule({ rule: 'answer_decimal_receipt_hex' });
const matches = (answer: string, receipt: string, by: MessageIdRule) =>
  receiptKeys(receipt, by).includes(answerKey(answer, by)!);

describe('the same id is found again', () => {
  test.each([
    ['4A6F', '4A6F', rule()],
    ['a29f6845-5571', 'a29f6845-5571', rule()],
    ['0042', '42', rule({ stripLeadingZeros: true })],
    ['42', '0042', rule({ stripLeadingZeros: true })],
    ['0', '000', rule({ stripLeadingZeros: true })],
    ['4a6f', '4A6F', rule({ caseInsensitive: true })],
    ['4A6F', '19055', hexThenDecimal],
    ['0E999F21', '244948769', hexThenDecimal],
    ['812F8E1B4F7A0B9B', '9308815202746764187', hexThenDecimal], // beyond 2^53: BigInt
    ['19055', '4A6F', decimalThenHex],
    ['19055', '00004a6f', decimalThenHex],
    ['4A6F', '4A6F', hexThenDecimal], // receipted_message_id in the answer's base
    ['19055', '19055', decimalThenHex],
    ['4A6F\0\0', ' 4A6F ', rule()],
    ['uuid-not-a-number', 'uuid-not-a-number', hexThenDecimal],
  ])('%s answered, %s in the receipt', (answer, receipt, by) => {
    expect(matches(answer, receipt, by)).toBe(true);
  });
});

describe('another id is not', () => {
  test.each([
    ['0042', '42', rule()],
    ['4a6f', '4A6F', rule()],
    ['19055', '4A6F', rule()],
    ['4A6F', '19056', hexThenDecimal],
  ])('%s answered, %s in the receipt', (answer, receipt, by) => {
    expect(matches(answer, receipt, by)).toBe(false);
  });
});

test('any number is found in the other base', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n }), (id) => {
      expect(matches(id.toString(16).toUpperCase(), id.toString(), hexThenDecimal)).toBe(true);
      expect(matches(id.toString(), id.toString(16), decimalThenHex)).toBe(true);
    }),
  );
});

test('the converted form comes first', () => {
  expect(receiptKeys('19055', hexThenDecimal)).toEqual(['4a6f', '19055']);
});

test.each(['', '\0', '  ', 'x'.repeat(256)])('an id that is empty or far too long names nothing: %j', (id) => {
  expect(answerKey(id, rule())).toBeNull();
  expect(receiptKeys(id, hexThenDecimal)).toEqual([]);
});

test('a hostile id is not computed with', () => {
  expect(receiptKeys('9'.repeat(255), hexThenDecimal)).toEqual(['9'.repeat(255)]);
  expect(receiptKeys('9'.repeat(60_000), hexThenDecimal)).toEqual([]);
});
