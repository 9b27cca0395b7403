import { expect, test } from 'vitest';
import { decode, encode } from '../../../src/sandbox/smsc/codec.ts';
import { type Alphabet, submittedText } from '../../../src/sandbox/smsc/text.ts';

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
