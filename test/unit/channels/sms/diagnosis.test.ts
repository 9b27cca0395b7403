// What the doctor makes of receipts that match no message: the fewest changes under which they would.
import { expect, test } from 'vitest';
import { diagnose, type ReceiptEvidence } from '../../../../src/channels/sms/diagnosis.ts';
import { operatorConfig } from '../../../peers/support/channel.ts';

const number = '+213551234567';
const operator = (message_id: object = {}) =>
  operatorConfig({ id: 'atlas', binds: [{ host: '127.0.0.1', system_id: 'a', password: 'b' }], message_id });
const nothing: ReceiptEvidence = { parked: [], answered: [], words: [], unreadable: 0 };
const ids = (...all: string[]) => all.map((providerMessageId) => ({ providerMessageId, number }));

test.each([
  ['35391', '8A3F', 'set message_id.rule to "answer_hex_receipt_decimal"', ', hex there and decimal here'],
  ['8a3f', '35391', 'set message_id.rule to "answer_decimal_receipt_hex"', ', decimal there and hex here'],
  ['0007x', '7x', 'set message_id.strip_leading_zeros to true', ''],
  ['ABCX', 'abcx', 'set message_id.case_insensitive to true', ''],
  ['00ABX', 'abx', 'set message_id.strip_leading_zeros to true, set message_id.case_insensitive to true', ''],
])('%s for %s: %s', (reported, answered, advice, relation) => {
  const what = `1 of 2 parked ids equal the id of an answer${relation}`;
  const evidence = { ...nothing, parked: ids(reported, 'another!'), answered: ids(answered) };
  expect(diagnose(operator(), evidence)).toEqual([{ what, advice }]);
});

test('an id to another phone tells nothing, nor does one that would match as it is', () => {
  const answered = [{ providerMessageId: '8A3F', number: '+213559999999' }];
  expect(diagnose(operator(), { ...nothing, parked: ids('35391'), answered })).toEqual([]);
  expect(diagnose(operator(), { ...nothing, parked: ids('8A3F'), answered: ids('8A3F') })).toEqual([]);
  const rule = { rule: 'answer_hex_receipt_decimal' };
  expect(diagnose(operator(rule), { ...nothing, parked: ids('35391'), answered: ids('8A3F') })).toEqual([]);
});

test('words, receipts without an id, and what can not be read', () => {
  const parked = [{ providerMessageId: null, number }];
  const words = [
    { word: 'failed', count: 3 },
    { word: '9', count: 1 },
  ];
  expect(diagnose(operator(), { ...nothing, parked, words, unreadable: 2 }).map(({ advice }) => advice)).toEqual([
    'set receipt.pattern',
    'add receipt.meanings.FAILED',
    'add receipt.message_states.9',
    'set receipt.pattern',
  ]);
});
