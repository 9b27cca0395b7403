// What an operator's receipt says in our words: here, what its error code means to people.
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

function read(err: string) {
  const pdu = {
    command: 'deliver_sm',
    sequence: 1,
    esm_class: 4,
    source_addr: '213551234567',
    tlvs: [],
    data_coding: 0,
    short_message: Buffer.from(text(err), 'latin1'),
  } as never as Delivery;
  const report = readReport(pdu, operator, Date.UTC(2026, 10, 21, 12));
  if (report.kind !== 'receipt') throw new Error(report.kind);
  return report.carrier.receipt;
}

test("an operator's error code comes with its words, where they are configured", () => {
  expect(read('027')).toMatchObject({ status: 'UNDELIV', errorCode: '027', errorText: 'phone switched off' });
  expect(read('099')).toMatchObject({ errorCode: '099' });
  expect(read('099')).not.toHaveProperty('errorText');
});
