// Our SMS channel and an SMSC on Perl's Net::SMPP: every way of writing ids, with receipts in every place, before and after
// the answer. What Net::SMPP reads is compared too: its decoder has seen none of our code.
import { describe, expect } from 'vitest';
import { until } from '../../support/wait.ts';
import { CODE, operatorConfig, testChannel } from '../support/channel.ts';
import { credentials, type Habits, perlSmsc, perlTest as test } from '../support/perl-smsc.ts';

const { systemId: system_id, password } = credentials;

async function connected(habits: Habits, settings: Record<string, unknown> = {}, type = 'transceiver') {
  const smsc = await perlSmsc(habits);
  const config = operatorConfig({
    binds: [{ host: '127.0.0.1', port: smsc.port, system_id, password, type }],
    ...settings,
  });
  const channel = testChannel(config);
  await channel.bound();
  return { smsc, ...channel };
}

const idForms = [
  { form: 'hex in both', answer: 'hex', receipt: 'hex', rule: { rule: 'same' } },
  { form: 'hex, then padded decimal', answer: 'hex', receipt: 'padded', rule: { rule: 'answer_hex_receipt_decimal' } },
  { form: 'decimal, then hex', answer: 'decimal', receipt: 'hex', rule: { rule: 'answer_decimal_receipt_hex' } },
] as const;

describe.each(idForms)('ids: $form', ({ answer, receipt, rule }) => {
  for (const carrier of ['text', 'tlvs', 'data_sm', 'payload'] as const) {
    for (const early of [false, true]) {
      test(`receipt in ${carrier}, ${early ? 'before' : 'after'} the answer`, async () => {
        const habits: Habits = { answer, receipt, carrier, early };
        const { smsc, send, receipts, order, errors } = await connected(habits, { message_id: rule });
        const outcome = await send();
        if (outcome?.kind !== 'accepted') throw new Error(`it was ${outcome?.kind}`);
        const [taken] = await until(() => receipts.length === 1 && receipts, { what: 'the receipt' });
        if (early) expect(order).toEqual(['receipt DELIVRD', 'accepted']);

        expect(taken?.references).toContain(outcome.reference);
        expect(taken).toMatchObject({ operator: 'peer', number: '+213551234567' });
        expect(taken?.receipt).toMatchObject({ status: 'DELIVRD', errorCode: carrier === 'tlvs' ? null : '000' });
        if (carrier !== 'tlvs') {
          const { operatorTimestamp, receivedAt } = taken!.receipt;
          expect(Math.abs(receivedAt - operatorTimestamp!)).toBeLessThan(120_000);
          expect(taken?.receipt.raw).toMatch(/ stat:DELIVRD err:000 text:/);
          expect(taken?.receipt.raw).not.toMatch(/text:.*\d/);
        }
        const resp = await smsc.got(carrier === 'data_sm' ? 'data_sm_resp' : 'deliver_sm_resp');
        expect(resp.status).toBe(0);
        expect(errors).toEqual([]);
      });
    }
  }
});

test('an optional parameter in the base of the answer, beside a text in the other', async () => {
  const habits: Habits = { answer: 'hex', receipt: 'decimal', tlv: 'hex', carrier: 'data_sm', early: false };
  const message_id = { rule: 'answer_hex_receipt_decimal' };
  const { send, receipts } = await connected(habits, { message_id });
  const outcome = await send();
  await until(() => receipts.length === 1, { what: 'the receipt' });
  expect(outcome).toMatchObject({ kind: 'accepted' });
  expect(receipts[0]?.references).toContain(outcome?.kind === 'accepted' && outcome.reference);
});

test('a failure with the operator’s own error code', async () => {
  const habits: Habits = { answer: 'hex', receipt: 'hex', carrier: 'text', early: false, stat: 'UNDELIV', err: '21b' };
  const { send, receipts } = await connected(habits);
  await send();
  await until(() => receipts.length === 1, { what: 'the receipt' });
  expect(receipts[0]?.receipt).toMatchObject({ status: 'UNDELIV', errorCode: '21b' });
});

describe('what Net::SMPP reads', () => {
  const habits: Habits = { answer: 'hex', receipt: 'hex', carrier: 'text', early: false };

  test('of a bind, a GSM text, an Arabic text, an unbind', async () => {
    const { smsc, send, channel } = await connected(habits, { default_alphabet: 'latin1' });
    expect(await smsc.got('bind_transceiver')).toMatchObject({
      system_id,
      password,
      system_type: '',
      interface_version: 0x34,
      addr_ton: 0,
      addr_npi: 0,
      address_range: '',
    });
    await send();
    const french = await smsc.got('submit_sm');
    expect(french).toMatchObject({
      service_type: '',
      source_addr_ton: 5,
      source_addr_npi: 0,
      source_addr: 'Ramz',
      dest_addr_ton: 1,
      dest_addr_npi: 1,
      destination_addr: '213551234567',
      esm_class: 0,
      protocol_id: 0,
      registered_delivery: 1,
      data_coding: 0,
      schedule_delivery_time: '',
      priority_flag: 0,
    });
    // Ten minutes, or nine where a millisecond of them is over: whole minutes, rounded down.
    expect(french.validity_period).toMatch(/^00000000(1000|0900)000R$/);
    expect(Buffer.from(String(french.short_message), 'hex').toString('latin1')).toContain(CODE);

    await send({ language: 'ar' });
    const arabic = await smsc.got('submit_sm', 2);
    expect(arabic.data_coding).toBe(8);
    const text = Buffer.from(String(arabic.short_message), 'hex').swap16().toString('utf16le');
    expect(text).toMatch(/[\u0600-\u06ff]/);
    expect(text).toContain(CODE);

    await channel.close();
    await smsc.got('unbind');
    expect(smsc.read('unbind')).toHaveLength(1);
  });

  test('of a pair: submits on one connection, the receipt answered on the other', async () => {
    const { smsc, send, receipts } = await connected(habits, {}, 'transmitter_receiver');
    expect(await send()).toMatchObject({ kind: 'accepted' });
    await until(() => receipts.length === 1, { what: 'the receipt' });
    await smsc.got('deliver_sm_resp');
    expect([smsc.read('bind_transmitter').length, smsc.read('bind_receiver').length]).toEqual([1, 1]);
  });

  test('a wrong password: refused, and the alarm', async () => {
    const smsc = await perlSmsc(habits);
    const binds = [{ host: '127.0.0.1', port: smsc.port, system_id, password: 'guessed' }];
    const { states } = testChannel(operatorConfig({ binds }));
    await until(() => states.at(-1) === 'alarm', { what: 'the alarm' });
  });

  test('two hundred at once, each with its own receipt', async () => {
    const { send, receipts } = await connected(habits, { window: 20 });
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => send()));
    await until(() => receipts.length === 200, { what: 'all receipts' });
    const answered = outcomes.map((outcome) => outcome?.kind === 'accepted' && outcome.reference);
    expect(new Set(answered).size).toBe(200);
    expect(new Set(receipts.flatMap(({ references }) => references))).toEqual(new Set(answered));
  });
});
