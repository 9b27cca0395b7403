// How the SMSC reads a submit_sm: the text in it, and its validity_period.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decode, encode } from '../../../../src/sandbox/smsc/codec.ts';
import { type Alphabet, readValidity, submittedText } from '../../../../src/sandbox/smsc/submit.ts';

/** Through the codec and back, as it comes from a client. */
function read(fields: Record<string, unknown>, alphabet: Alphabet = 'gsm7'): string | null {
  const decoded = decode(encode('submit_sm', { source_addr: 'Ramz', destination_addr: '1', ...fields }));
  if (decoded.kind === 'malformed') throw new Error('malformed');
  return submittedText(decoded.pdu, alphabet).text;
}

test.each([
  {
    name: 'GSM with its extension',
    fields: { data_coding: 0, short_message: Buffer.from('001b65051b28', 'hex') },
    text: '@€é{',
  },
  { name: 'ASCII', fields: { data_coding: 1, short_message: Buffer.from('a@_') }, text: 'a@_' },
  { name: 'Latin-1', fields: { data_coding: 3, short_message: Buffer.from('é@', 'latin1') }, text: 'é@' },
  {
    name: 'UCS-2',
    fields: { data_coding: 8, short_message: Buffer.from('06310645063200200031', 'hex') },
    text: 'رمز 1',
  },
  { name: 'binary', fields: { data_coding: 4, short_message: Buffer.from('ff') }, text: null },
  {
    name: 'a part with its header',
    fields: { esm_class: 0x40, data_coding: 8, short_message: Buffer.from('0500030102010631', 'hex') },
    text: 'ر',
  },
  { name: 'message_payload', fields: { data_coding: 8, message_payload: Buffer.from('0631', 'hex') }, text: 'ر' },
])('reads $name', ({ fields, text }) => {
  expect(read(fields)).toBe(text);
});

test('data_coding 0 is what the SMSC says it is', () => {
  const fields = { data_coding: 0, short_message: Buffer.from('reçu', 'latin1') };
  expect(read(fields, 'latin1')).toBe('reçu');
  expect(read(fields, 'gsm7')).not.toBe('reçu');
});

const both = ['relative', 'absolute'] as const;
const now = Date.UTC(2026, 6, 14, 12);

test.each([
  { raw: '', expected: { kind: 'none' } },
  { raw: '000000001000000R', expected: { kind: 'until', at: now + 600_000 } },
  { raw: '000001000000000R', expected: { kind: 'until', at: now + 86_400_000 } },
  { raw: '260714121000000+', expected: { kind: 'until', at: now + 600_000 } },
  { raw: '260714131000004+', expected: { kind: 'until', at: now + 600_000 } },
  { raw: '260714111000004-', expected: { kind: 'until', at: now + 600_000 } },
  { raw: '000000000000000R', expected: { kind: 'invalid' } },
  { raw: '260714115900000+', expected: { kind: 'invalid' } },
  { raw: '261314121000000+', expected: { kind: 'invalid' } },
  { raw: '300', expected: { kind: 'invalid' } },
  { raw: '000000001000', expected: { kind: 'invalid' } },
  { raw: '000000001000000', expected: { kind: 'invalid' } },
])('$raw → $expected', ({ raw, expected }) => {
  expect(readValidity(raw, both, now)).toEqual(expected);
});

test('refuses a form the SMSC does not take', () => {
  expect(readValidity('000000001000000R', ['absolute'], now)).toEqual({ kind: 'invalid' });
  expect(readValidity('260714121000000+', ['relative'], now)).toEqual({ kind: 'invalid' });
});

test('whatever it is given, the answer is one of three, and never in the past', () => {
  const raws = fc.oneof(fc.string({ maxLength: 17 }), fc.stringMatching(/^\d{15}[R+-]$/));
  fc.assert(
    fc.property(raws, (raw) => {
      const validity = readValidity(raw, both, now);
      if (validity.kind === 'until') expect(validity.at).toBeGreaterThan(now);
      else expect(['none', 'invalid']).toContain(validity.kind);
    }),
  );
});
