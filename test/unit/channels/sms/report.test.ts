// What an operator's receipt says in our words: what its error code means to people, and what of it is not kept.
import { expect, test } from 'vitest';
import { readReport } from '../../../../src/channels/sms/report.ts';
import type { Delivery } from '../../../../src/smpp/index.ts';
import { operatorConfig } from '../../../peers/support/channel.ts';

const text = (err: string) =>
  `id:1 sub:001 dlvrd:000 submit date:2611211200 done date:2611211201 stat:UNDELIV err:${err} text:`;

const operator = operatorConfig({
  id: 'atlas',
  binds: [{ host: '127.0.0.1', system_id: 'a', password: 'b' }],
  error_codes: { '027': 'phone switched off' },
});

const read = (err: string) => readText(Buffer.from(text(err), 'latin1')).carrier.receipt;

function readText(short_message: Buffer, tlvs: Delivery['tlvs'] = [], esm_class = 4, config = operator) {
  const pdu = {
    command: 'deliver_sm',
    sequence: 1,
    esm_class,
    source_addr: '213551234567',
    tlvs,
    data_coding: 0,
    short_message,
  } as never as Delivery;
  const report = readReport(pdu, config, Date.UTC(2026, 10, 21, 12));
  if (report.kind !== 'receipt') throw new Error(report.kind);
  return report;
}

test("an operator's error code comes with its words, where they are configured", () => {
  expect(read('027')).toMatchObject({ status: 'UNDELIV', errorCode: '027', errorText: 'phone switched off' });
  expect(read('099')).toMatchObject({ errorCode: '099' });
  expect(read('099')).not.toHaveProperty('errorText');
});

test('an id of thousands of characters is none: the phone says which message is meant', () => {
  const id = { tag: 0x1e, value: Buffer.alloc(4_000, 'x') };
  const { carrier, problems } = readText(Buffer.from('stat:DELIVRD err:000'), [id]);
  expect(carrier).toMatchObject({ references: [], number: '+213551234567', accepted: { reference: null } });
  expect(JSON.stringify(carrier)).not.toContain('xxxx');
  expect(problems).toMatchObject([{ kind: 'id' }]);
});

test.each([
  ['a word of its own', `id:1 stat:${'x'.repeat(39)}😀 err:000`],
  ['a long text', `id:1 stat:DELIVRD err:${'x'.repeat(1_024 - 23)}😀`],
])('%s that is cut inside of a character leaves no half of one', (_, utf16) => {
  const { carrier } = readText(Buffer.from(utf16, 'utf16le').swap16());
  // Postgres refuses it in JSON, and the operator would send the receipt again for ever.
  expect(JSON.stringify(carrier)).not.toMatch(/\\ud[89a-f]/);
});

test('an attempt that failed is no end of the message, where notifications of attempts are asked for', () => {
  const asking = { ...operator, registeredDelivery: 17 as 1 | 17 };
  const readAs = (stat: string, esmClass: number, config = asking) =>
    readText(Buffer.from(text('027').replace('UNDELIV', stat)), [], esmClass, config).carrier.receipt;
  expect(readAs('UNDELIV', 0x20)).toMatchObject({ status: 'ENROUTE', providerStatus: 'UNDELIV', errorCode: '027' });
  expect(readAs('RETRYING', 0x20)).toMatchObject({ status: 'ENROUTE', providerStatus: 'RETRYING' });
  expect(readAs('DELIVRD', 0x20)).toMatchObject({ status: 'DELIVRD', providerStatus: null });
  expect(readAs('UNDELIV', 0x04)).toMatchObject({ status: 'UNDELIV' });
  expect(readAs('UNDELIV', 0x20, operator)).toMatchObject({ status: 'UNDELIV' });
});
