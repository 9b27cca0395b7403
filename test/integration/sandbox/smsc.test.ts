// The SMSCs over real TCP, asked by npm `smpp`: binds, every SMS scenario, receipts in each operator's style.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { scenarioNumbers } from '../../../src/core/verify/scenarios.ts';
import { systemClock } from '../../../src/sandbox/clock.ts';
import { Inbox } from '../../../src/sandbox/inbox.ts';
import { type SandboxOperatorId, sandboxProfiles } from '../../../src/sandbox/operators.ts';
import { type Smsc, type SmscOptions, startSmsc } from '../../../src/sandbox/smsc/smsc.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { until } from '../../support/wait.ts';
import { type BindAs, Esme, receiptKey, receiptText } from './esme.ts';

const numbers = scenarioNumbers('+21355');
const numberOf: Record<SandboxOperatorId, string> = {
  atlas: '+213551234567',
  sahara: '+213661234567',
  djurdjura: '+213771234567',
};

let inbox: Inbox;
let smscs: Smsc[];
let esmes: Esme[];

beforeEach(() => {
  inbox = new Inbox();
  smscs = [];
  esmes = [];
});

afterEach(async () => {
  for (const esme of esmes) esme.close();
  await Promise.all(smscs.map((smsc) => smsc.stop()));
  expect(smscs.map((smsc) => smsc.counts.binds)).toEqual(smscs.map(() => 0));
});

async function start(id: SandboxOperatorId, options: Partial<SmscOptions> = {}): Promise<Smsc> {
  const smsc = await startSmsc({
    profile: sandboxProfiles[id],
    inbox,
    scenarioPrefix: '+21355',
    deliverDelayMs: 5,
    lateReceiptMs: 60,
    ...options,
  });
  smscs.push(smsc);
  return smsc;
}

function credentials(id: SandboxOperatorId): BindAs {
  const { systemId, password } = sandboxProfiles[id];
  return { systemId, password };
}

async function bind(smsc: Smsc, as: Partial<BindAs> = {}): Promise<Esme> {
  const esme = await Esme.bind(smsc.port, { ...credentials(smsc.id as SandboxOperatorId), ...as });
  esmes.push(esme);
  return esme;
}

async function connect(smsc: Smsc): Promise<Esme> {
  const esme = await Esme.connect(smsc.port);
  esmes.push(esme);
  return esme;
}

const delivered = (esme: Esme, count = 1) =>
  until(() => esme.delivered.length >= count && esme.delivered, { what: `${count} delivered` });

describe('binds', () => {
  test.each([
    { name: 'unknown system_id', as: { systemId: 'somebody', password: 'atlas-pw' }, answer: 0x0d },
    { name: 'wrong password', as: { systemId: 'ramz-atlas', password: 'guess' }, answer: 0x0e },
  ])('$name is refused', async ({ as, answer }) => {
    const smsc = await start('atlas');
    const esme = await connect(smsc);
    expect((await esme.bindAnswer(as)).command_status).toBe(answer);
    expect((await esme.submit(numberOf.atlas, 'x')).command_status).toBe(0x04);
    expect(smsc.counts.binds).toBe(0);
  });

  test('says its name and version, refuses a second bind on one connection and binds beyond its limit', async () => {
    const smsc = await start('atlas', { maxBinds: 1 });
    const esme = await connect(smsc);
    const answer = await esme.bindAnswer(credentials('atlas'));
    expect(answer).toMatchObject({ command_status: 0, system_id: 'Atlas', sc_interface_version: 0x34 });
    expect((await esme.bindAnswer(credentials('atlas'))).command_status).toBe(0x05);
    const other = await connect(smsc);
    expect((await other.bindAnswer(credentials('atlas'))).command_status).toBe(0x05);
    expect(smsc.counts).toMatchObject({ binds: 1, peak_binds: 1 });
  });

  test('a pair: the transmitter submits, the receiver gets the receipt and must not submit', async () => {
    const smsc = await start('sahara');
    const receiver = await bind(smsc, { type: 'receiver' });
    const transmitter = await bind(smsc, { type: 'transmitter' });
    expect((await receiver.submit(numberOf.sahara, 'x')).command_status).toBe(0x04);
    expect((await transmitter.submit(numberOf.sahara, 'x')).command_status).toBe(0);
    await delivered(receiver);
    expect(transmitter.delivered).toEqual([]);
  });

  test('answers enquire_link and unbind, then hangs up', async () => {
    const smsc = await start('atlas');
    const esme = await bind(smsc);
    expect((await esme.request('enquire_link')).command).toBe('enquire_link_resp');
    expect((await esme.request('unbind')).command).toBe('unbind_resp');
    await until(() => esme.closed, { what: 'the connection to close' });
    expect(smsc.counts.binds).toBe(0);
  });

  test('asks a silent client whether it is there, and drops one that does not answer', async () => {
    const clock = new ManualClock();
    const smsc = await start('atlas', { enquireLinkMs: 30_000, clock });
    const esme = await bind(smsc);
    const questions = () => esme.seen.filter(({ command }) => command === 'enquire_link').length;
    for (const nth of [1, 2, 3]) {
      clock.advance(30_000);
      await until(() => questions() === nth, { what: 'enquire_link' });
      await esme.request('enquire_link'); // Its answer says that ours has arrived.
    }
    esme.session.removeAllListeners('pdu');
    clock.advance(30_000);
    clock.advance(30_000);
    await until(() => esme.closed, { what: 'the silent client to be dropped' });
  });

  test('an SMSC that stood still asks before it drops', async () => {
    const clock = new ManualClock();
    const smsc = await start('atlas', { enquireLinkMs: 30_000, clock });
    const esme = await bind(smsc);
    clock.advance(3_600_000);
    await until(() => esme.seen.some(({ command }) => command === 'enquire_link'), { what: 'enquire_link' });
    expect((await esme.request('enquire_link')).command).toBe('enquire_link_resp');
  });
});

describe('what is wrong on the wire', () => {
  test('an impossible length: generic_nack and the end of the connection', async () => {
    const smsc = await start('atlas');
    const esme = await bind(smsc);
    esme.session.socket.write(Buffer.from('00000004', 'hex'));
    await until(() => esme.closed, { what: 'the connection to close' });
    expect(esme.seen.at(-1)).toMatchObject({ command: 'generic_nack', command_status: 0x02 });
  });

  test('an unknown command and a broken body are refused, and the connection lives', async () => {
    const smsc = await start('atlas');
    const esme = await bind(smsc);
    esme.session.socket.write(Buffer.from('00000010000001ff0000000000000009', 'hex'));
    // message_state, one octet, at the very end with nothing behind its length.
    esme.session.socket.write(Buffer.from('0000001400000015000000000000000a04270001', 'hex'));
    const nacks = () => esme.seen.filter(({ command }) => command === 'generic_nack');
    await until(() => nacks().length === 2, { what: 'two generic_nack' });
    expect(nacks().map((pdu) => [pdu.sequence_number, pdu.command_status])).toEqual([
      [9, 0x03],
      [10, 0x08],
    ]);
    expect((await esme.request('enquire_link')).command_status).toBe(0);
  });

  test.each([
    { name: 'a number of another operator', to: numberOf.sahara, fields: {}, answer: 0x0b },
    { name: 'a national number', to: '+0551234567', fields: {}, answer: 0x0b },
    { name: 'no type of number', to: numberOf.atlas, fields: { dest_addr_ton: 0 }, answer: 0x0b },
    { name: 'a sender name of 12', to: numberOf.atlas, fields: { source_addr: 'TwelveLetter' }, answer: 0x0a },
    { name: 'letters in a numeric sender', to: numberOf.atlas, fields: { source_addr_ton: 1 }, answer: 0x0a },
    { name: 'an empty text', to: numberOf.atlas, fields: { short_message: '' }, answer: 0x01 },
    { name: '161 characters', to: numberOf.atlas, fields: { short_message: 'a'.repeat(161) }, answer: 0x01 },
    {
      name: '161 characters, of which one has two septets,',
      to: numberOf.djurdjura,
      fields: { short_message: Buffer.from(`[${'é'.repeat(159)}`, 'latin1') },
      answer: 0x01,
    },
    {
      name: '71 characters of UCS-2',
      to: numberOf.atlas,
      fields: { data_coding: 8, short_message: 'ر'.repeat(71) },
      answer: 0x01,
    },
    { name: 'a malformed validity', to: numberOf.atlas, fields: { validity_period: '0000000005000000' }, answer: 0x62 },
    {
      name: 'an unknown coding',
      to: numberOf.atlas,
      fields: { data_coding: 5, short_message: Buffer.from('a') },
      answer: 0x45,
    },
  ])('$name is refused', async ({ to, fields, answer }) => {
    const smsc = await start(to === numberOf.djurdjura ? 'djurdjura' : 'atlas');
    const esme = await bind(smsc);
    expect((await esme.submit(to, 'Code 123456', fields)).command_status).toBe(answer);
    expect(inbox.size).toBe(0);
    expect(smsc.counts).toMatchObject({ accepted: 0, refused: 1 });
  });

  test('Djurdjura takes as many characters of Latin-1 as the network carries: 160', async () => {
    const esme = await bind(await start('djurdjura'));
    const text = 'é'.repeat(160);
    const { command_status } = await esme.submit(numberOf.djurdjura, '', {
      short_message: Buffer.from(text, 'latin1'),
    });
    expect(command_status).toBe(0);
  });

  test('Djurdjura takes an absolute validity_period only', async () => {
    const esme = await bind(await start('djurdjura'));
    const relative = await esme.submit(numberOf.djurdjura, 'x', { validity_period: '000000000500000R' });
    expect(relative.command_status).toBe(0x62);
    const absolute = await esme.submit(numberOf.djurdjura, 'x', { validity_period: new Date(Date.now() + 600_000) });
    expect(absolute.command_status).toBe(0);
  });
});

describe('scenarios', () => {
  test.each(['sms_delivered', 'sms_late'] as const)('%s: a DELIVRD receipt after the answer', async (name) => {
    const esme = await bind(await start('atlas'));
    const answer = await esme.submit(numbers[name], 'Code 123456');
    expect(answer.command_status).toBe(0);
    const [receipt] = await delivered(esme);
    expect(receiptKey(receipt!, 'stat')).toBe('DELIVRD');
    expect(inbox.list({ to: numbers[name] })).toHaveLength(1);
  });

  test('sms_late: not before its time', async () => {
    const due: { delayMs: number; run: () => void }[] = [];
    const clock = {
      now: () => systemClock.now(),
      after: (delayMs: number, run: () => void) => {
        due.push({ delayMs, run });
        return () => {};
      },
    };
    const esme = await bind(await start('atlas', { clock, lateReceiptMs: 777, deliverDelayMs: 5 }));
    await esme.submit(numbers.sms_late, 'Code 123456');
    expect(due.map(({ delayMs }) => delayMs)).not.toContain(5);
    expect(inbox.size).toBe(0);
    due.find(({ delayMs }) => delayMs === 777)!.run();
    await delivered(esme);
    expect(inbox.list({ to: numbers.sms_late })).toHaveLength(1);
  });

  test('the phone has a message when its receipt says so, and never one that the operator reports as undelivered', async () => {
    const clock = new ManualClock();
    const smsc = await start('atlas', { clock, deliverDelayMs: 500 });
    const esme = await bind(smsc);
    const told = async () => {
      await until(() => esme.delivered.length > 0, { what: 'a receipt' });
      return receiptKey(esme.delivered.pop()!, 'stat');
    };
    await esme.submit(numberOf.atlas, 'Code 123456');
    clock.advance(499);
    expect(inbox.size).toBe(0);
    clock.advance(1);
    expect(inbox.list()).toMatchObject([{ to: numberOf.atlas, received_at: new Date(clock.now()).toISOString() }]);
    expect(await told()).toBe('DELIVRD');

    // Whatever is ordered by hand: a negative receipt keeps it off the phone, a second positive one brings no second copy.
    inbox.clear();
    const lost = await esme.submit(numberOf.atlas, 'Code 654321');
    expect(smsc.sendReceipt({ id: String(lost.message_id) }, 'EXPIRED')).toBe(true);
    clock.advance(60_000);
    expect(await told()).toBe('EXPIRED');
    expect(inbox.size).toBe(0);
    for (const copies of [1, 1]) {
      smsc.sendReceipt({ id: String(lost.message_id) }, 'DELIVRD');
      expect(await told()).toBe('DELIVRD');
      expect(inbox.size).toBe(copies);
    }
  });

  test.each(['sms_silent', 'app_unreachable', 'voice_busy', 'voice_no_answer', 'voice_hangs_up'] as const)(
    '%s: taken and delivered, and no receipt',
    async (name) => {
      const smsc = await start('atlas');
      const esme = await bind(smsc);
      expect((await esme.submit(numbers[name], 'Code 123456')).command_status).toBe(0);
      // A receipt for a later message would have come after this one's.
      await esme.submit(numberOf.atlas, 'Code 654321');
      await delivered(esme);
      expect(esme.delivered.map(({ source_addr }) => `+${source_addr}`)).toEqual([numberOf.atlas]);
      expect(smsc.counts.receipts).toBe(1);
      expect(inbox.list({ to: numbers[name] })).toHaveLength(1);
    },
  );

  test('sms_rejected: refused for good, nothing in the inbox', async () => {
    const esme = await bind(await start('atlas'));
    expect((await esme.submit(numbers.sms_rejected, 'Code 123456')).command_status).toBe(0x0b);
    expect(inbox.size).toBe(0);
  });

  test('sms_undelivered: UNDELIV with its error', async () => {
    const esme = await bind(await start('atlas'));
    await esme.submit(numbers.sms_undelivered, 'Code 123456');
    const [receipt] = await delivered(esme);
    expect([receiptKey(receipt!, 'stat'), receiptKey(receipt!, 'err'), receiptKey(receipt!, 'dlvrd')]).toEqual([
      'UNDELIV',
      '001',
      '000',
    ]);
    expect(inbox.size).toBe(0);
  });

  test('sms_throttled: every first submit is throttled, every second taken', async () => {
    const esme = await bind(await start('atlas'));
    const answers: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      answers.push((await esme.submit(numbers.sms_throttled, 'Code 123456')).command_status);
    }
    expect(answers).toEqual([0x58, 0, 0x58, 0]);
    await delivered(esme, 2);
  });

  test('sms_early_receipt: the receipt is there before the answer', async () => {
    const esme = await bind(await start('atlas'));
    const answer = await esme.submit(numbers.sms_early_receipt, 'Code 123456');
    expect(answer.command_status).toBe(0);
    const order = esme.seen.map(({ command }) => command).filter((command) => command !== 'bind_transceiver_resp');
    expect(order).toEqual(['deliver_sm', 'submit_sm_resp']);
    expect(BigInt(receiptKey(esme.delivered[0]!, 'id')!)).toBe(BigInt(`0x${answer.message_id}`));
  });
});

describe('receipts in each operator’s style', () => {
  const at = Date.UTC(2026, 6, 14, 22, 30, 45); // 23:30:45 in Algiers.
  const clock = { now: () => at, after: systemClock.after };

  test('Atlas: hex in the answer, padded decimal in the receipt; 10-digit local dates; echoes the code', async () => {
    const esme = await bind(await start('atlas', { clock }));
    const answer = await esme.submit(numberOf.atlas, 'Votre code: 123456, ne le donnez à personne');
    const [receipt] = await delivered(esme);
    expect(answer.message_id).toMatch(/^[0-9A-F]+$/);
    expect(receipt).toMatchObject({
      command: 'deliver_sm',
      esm_class: 4,
      source_addr: '213551234567',
      destination_addr: 'Ramz',
    });
    expect(receiptText(receipt!)).toBe(
      `id:${BigInt(`0x${answer.message_id}`).toString().padStart(20, '0')} sub:001 dlvrd:001 submit date:2607142330 ` +
        'done date:2607142330 stat:DELIVRD err:000 text:Votre code: 123456, ',
    );
    expect(receipt).not.toHaveProperty('receipted_message_id');
    expect(receipt).not.toHaveProperty('sandbox_cost');
  });

  test('Atlas echoes the octets of an Arabic text as they are', async () => {
    const esme = await bind(await start('atlas'));
    await esme.submit(numberOf.atlas, 'رمزك 123456', { data_coding: 8 });
    const [receipt] = await delivered(esme);
    expect(receiptText(receipt!).split('text:')[1]).toHaveLength(20);
    expect(inbox.list()[0]!.text).toBe('رمزك 123456');
  });

  test('Sahara: TLVs with state, error and price; dates in UTC with seconds; id in the other case', async () => {
    const esme = await bind(await start('sahara', { clock, scenarioPrefix: '+21366' }));
    const answer = await esme.submit(numberOf.sahara, 'Code 123456');
    const [receipt] = await delivered(esme);
    expect(receipt).toMatchObject({
      command: 'deliver_sm',
      receipted_message_id: answer.message_id.toLowerCase(),
      message_state: 2,
      network_error_code: Buffer.from([3, 0, 0]),
      sandbox_cost: '4.1875',
    });
    expect(receiptKey(receipt!, 'done date')).toBe('260714223045');
    await esme.submit(scenarioNumbers('+21366').sms_undelivered, 'Code 123456');
    expect((await delivered(esme, 2))[1]).toMatchObject({
      message_state: 5,
      network_error_code: Buffer.from([3, 0, 27]),
      sandbox_cost: '0.00',
    });
  });

  test('Djurdjura: decimal, then hex; message_payload and data_sm by turns; no sub, letters in err; Latin-1', async () => {
    const esme = await bind(await start('djurdjura', { clock, scenarioPrefix: '+21377' }));
    const text = Buffer.from('Code reçu à vérifier: 12', 'latin1');
    const first = await esme.submit(numberOf.djurdjura, '', { short_message: text });
    const second = await esme.submit(scenarioNumbers('+21377').sms_undelivered, 'Code 123456');
    const receipts = await delivered(esme, 2);
    expect(receipts.map(({ command }) => command)).toEqual(['deliver_sm', 'data_sm']);
    expect(receiptText(receipts[0]!)).toBe(
      `id:${BigInt(first.message_id).toString(16)} submit date:202607142330 done date:202607142330 ` +
        'stat:DELIVRD err:0000 Text:Code re?u ? v?rifier',
    );
    expect(receiptKey(receipts[1]!, 'id')).toBe(BigInt(second.message_id).toString(16));
    expect(receiptKey(receipts[1]!, 'err')).toBe('a1f');
    expect(inbox.list({ to: numberOf.djurdjura })[0]!.text).toBe('Code reçu à vérifier: 12');
  });

  test.each([
    { registered: 0, to: numberOf.atlas, stats: [] },
    { registered: 1, to: numberOf.atlas, stats: ['DELIVRD'] },
    { registered: 2, to: numberOf.atlas, stats: [] },
    { registered: 2, to: numbers.sms_undelivered, stats: ['UNDELIV'] },
    { registered: 17, to: numberOf.atlas, stats: ['ENROUTE', 'DELIVRD'] },
  ])('registered_delivery $registered to $to: $stats', async ({ registered, to, stats }) => {
    const esme = await bind(await start('atlas'));
    await esme.submit(to, 'x', { registered_delivery: registered });
    await esme.submit('+213559999999', 'last');
    const last = () => esme.delivered.some(({ source_addr }) => source_addr === '213559999999');
    await until(last, { what: 'the last receipt' });
    const told = esme.delivered.filter(({ source_addr }) => `+${source_addr}` === to);
    expect(told.map((pdu) => receiptKey(pdu, 'stat'))).toEqual(stats);
  });
});

describe('query_sm and cancel_sm', () => {
  test('a message under way is cancelled, and a receipt says so; a delivered one is not', async () => {
    const smsc = await start('atlas', { lateReceiptMs: 60_000 });
    const esme = await bind(smsc);
    const { message_id } = await esme.submit(numbers.sms_late, 'Code 123456');
    expect(await esme.request('query_sm', { message_id })).toMatchObject({ message_state: 1 });
    expect((await esme.request('cancel_sm', { message_id })).command_status).toBe(0);
    const [receipt] = await delivered(esme);
    expect(receiptKey(receipt!, 'stat')).toBe('DELETED');
    expect(await esme.request('query_sm', { message_id })).toMatchObject({ message_state: 4 });
    expect(inbox.size).toBe(0);
    expect((await esme.request('cancel_sm', { message_id })).command_status).toBe(0x11);
    expect((await esme.request('cancel_sm', { message_id: 'nothing' })).command_status).toBe(0x0c);
    const silent = await esme.submit(numbers.sms_silent, 'Code 123456'); // On the phone, although nobody says so.
    expect((await esme.request('cancel_sm', { message_id: silent.message_id })).command_status).toBe(0x11);
    expect((await esme.request('query_sm', { message_id: 'nothing' })).command_status).toBe(0x67);
  });
});
