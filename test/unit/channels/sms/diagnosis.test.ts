// What the doctor makes of receipts that match no message: the fewest changes under which they would.
import { expect, test } from 'vitest';
import { diagnose, type ReceiptEvidence } from '../../../../src/channels/sms/diagnosis.ts';
import { operatorConfig } from '../../../peers/support/channel.ts';

const number = '+213551234567';
const operator = (message_id: object = {}) =>
  operatorConfig({ id: 'atlas', binds: [{ host: '127.0.0.1', system_id: 'a', password: 'b' }], message_id });
const nothing: ReceiptEvidence = { parked: [], answered: [], words: [], unreadable: 0 };
/** Stored by the rule `same`, as they stand. */
const parked = (...all: string[]) => all.map((id) => ({ providerMessageId: id, number, references: [id] }));
const answers = (...all: string[]) => all.map((id) => ({ providerMessageId: id, number, reference: id }));

test.each([
  ['35391', '8A3F', 'set message_id.rule to "answer_hex_receipt_decimal"', ', hex there and decimal here'],
  ['8a3f', '35391', 'set message_id.rule to "answer_decimal_receipt_hex"', ', decimal there and hex here'],
  ['0007x', '7x', 'set message_id.strip_leading_zeros to true', ''],
  ['ABCX', 'abcx', 'set message_id.case_insensitive to true', ''],
  ['00ABX', 'abx', 'set message_id.strip_leading_zeros to true, set message_id.case_insensitive to true', ''],
])('%s for %s: %s', (reported, answered, advice, relation) => {
  const what = `1 of 2 parked ids equal the id of an answer${relation}`;
  const evidence = { ...nothing, parked: parked(reported, 'another!'), answered: answers(answered) };
  expect(diagnose(operator(), evidence)).toEqual([{ what, advice }]);
});

test('an id to another phone tells nothing, nor does one that is matched as it is', () => {
  const [answer] = answers('8A3F');
  const answered = answer ? [{ ...answer, number: '+213559999999' }] : [];
  expect(diagnose(operator(), { ...nothing, parked: parked('35391'), answered })).toEqual([]);
  expect(diagnose(operator(), { ...nothing, parked: parked('8A3F'), answered: answers('8A3F') })).toEqual([]);
});

test('what was stored by another rule is to be matched again, and nothing else', () => {
  const rule = { rule: 'answer_hex_receipt_decimal' };
  const evidence = { ...nothing, parked: parked('35391', '35392', '12'), answered: answers('8A3F', '8A40') };
  expect(diagnose(operator(rule), evidence)).toEqual([
    {
      what: '2 of 3 parked ids equal the id of an answer, by message_id as it is now',
      advice: 'run "npm run ramz -- operators match atlas"',
    },
  ]);
  const looked = parked('35391', '35392').map((each, at) => ({ ...each, references: [['8A3F', '8A40'][at] ?? ''] }));
  expect(diagnose(operator(rule), { ...evidence, parked: looked })).toEqual([]);
  expect(diagnose(operator(rule), { ...evidence, parked: looked.map((each) => ({ ...each, number: null })) })).toEqual(
    [],
  );
});

test('words, receipts without an id, and what can not be read', () => {
  const nameless = [{ providerMessageId: null, number, references: [] }];
  const words = [
    { word: 'failed', count: 3 },
    { word: '9', count: 1 },
  ];
  expect(
    diagnose(operator(), { ...nothing, parked: nameless, words, unreadable: 2 }).map(({ advice }) => advice),
  ).toEqual([
    'set receipt.pattern',
    'add receipt.meanings.FAILED',
    'add receipt.message_states.9, or receipt.meanings.9 where it is the stat of the text',
    'set receipt.pattern',
  ]);
});

test('a word that is set is not asked for again, and what can be no key asks for a pattern', () => {
  const receipt = {
    meanings: { FAILED: 'UNDELIV', NOSTATUS: 'UNKNOWN', '8': 'UNDELIV' },
    message_states: { '9': 'UNDELIV' },
  };
  const binds = [{ host: '127.0.0.1', system_id: 'a', password: 'b' }];
  const words = ['failed', 'NOSTATUS', '8', '9', 'Not delivered'].map((word) => ({ word, count: 1 }));
  expect(diagnose(operatorConfig({ id: 'atlas', binds, receipt }), { ...nothing, words })).toEqual([
    { what: '1 receipts say Not delivered, which is not known', advice: 'set receipt.pattern' },
  ]);
});
