// What a test can make go wrong in an SMSC, and that receipts survive it: sent again until they are answered.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Inbox } from '../../../src/sandbox/inbox.ts';
import { sandboxProfiles } from '../../../src/sandbox/operators.ts';
import { type Smsc, type SmscOptions, startSmsc } from '../../../src/sandbox/smsc/smsc.ts';
import { until } from '../../support/wait.ts';
import { Esme, receiptKey, submitFields } from './esme.ts';

const to = '+213551234567';
const { systemId, password } = sandboxProfiles.atlas;

let inbox: Inbox;
let smsc: Smsc;
let esmes: Esme[];

beforeEach(async () => {
  inbox = new Inbox();
  esmes = [];
  smsc = await start();
});

/** No receipt is sent again because its answer is late, unless a test says when. */
const start = (options: Partial<SmscOptions> = {}) =>
  startSmsc({
    profile: sandboxProfiles.atlas,
    inbox,
    deliverDelayMs: 2,
    receiptTimeoutMs: 120_000,
    receiptWindow: 5,
    ...options,
  });

afterEach(async () => {
  for (const esme of esmes) esme.close();
  await smsc.stop();
});

async function bind(type: 'transceiver' | 'transmitter' | 'receiver' = 'transceiver'): Promise<Esme> {
  const esme = await Esme.bind(smsc.port, { systemId, password, type });
  esmes.push(esme);
  return esme;
}

const ids = (esme: Esme) => esme.delivered.map((pdu) => receiptKey(pdu, 'id'));

test('refuses the next submits as throttled, then takes them again', async () => {
  const esme = await bind();
  smsc.faults.refuseSubmits(2);
  const answers = [await esme.submit(to, 'a'), await esme.submit(to, 'b'), await esme.submit(to, 'c')];
  expect(answers.map(({ command_status }) => command_status)).toEqual([0x58, 0x58, 0]);
  smsc.faults.refuseSubmits(1, 0x14);
  expect((await esme.submit(to, 'd')).command_status).toBe(0x14);
  await until(() => inbox.size > 0, { what: 'the message on the phone' });
  expect(inbox.list().map(({ text }) => text)).toEqual(['c']);
});

test('refuses a sender name until it is accepted again', async () => {
  const esme = await bind();
  smsc.faults.refusedSenders.add('Shop');
  expect((await esme.submit(to, 'a', { source_addr: 'Shop' })).command_status).toBe(0x0a);
  expect((await esme.submit(to, 'a')).command_status).toBe(0);
  smsc.faults.refusedSenders.clear();
  expect((await esme.submit(to, 'a', { source_addr: 'Shop' })).command_status).toBe(0);
});

test('pauses answers and sends them later, in order', async () => {
  const esme = await bind();
  smsc.faults.answersPaused = true;
  const answers = ['a', 'b', 'c'].map((text) => esme.submit(to, text));
  await until(() => smsc.counts.accepted === 3, { what: 'three taken' });
  await esme.request('enquire_link');
  expect(esme.seen.map(({ command }) => command)).not.toContain('submit_sm_resp');
  smsc.resumeAnswers();
  const sequences = (await Promise.all(answers)).map(({ sequence_number }) => sequence_number);
  expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
});

test('doubles answers and receipts', async () => {
  const esme = await bind();
  smsc.faults.answerCopies = 2;
  smsc.faults.receiptCopies = 3;
  await esme.submit(to, 'a');
  await until(() => esme.delivered.length === 3, { what: 'three receipts' });
  expect(new Set(ids(esme)).size).toBe(1);
  expect(esme.seen.filter(({ command }) => command === 'submit_sm_resp')).toHaveLength(2);
});

test('loses an answer: the message is taken and its receipt comes', async () => {
  const esme = await bind();
  smsc.faults.loseAnswers(1);
  const lost = esme.request('submit_sm', submitFields(to, 'a')).catch(() => 'closed');
  await until(() => esme.delivered.length === 1, { what: 'the receipt' });
  expect(esme.seen.map(({ command }) => command)).not.toContain('submit_sm_resp');
  esme.close();
  expect(await lost).toBe('closed');
  expect(inbox.size).toBe(1);
});

test('delays answers: the receipt overtakes', async () => {
  const esme = await bind();
  smsc.faults.answerDelayMs = 60;
  expect((await esme.submit(to, 'a')).command_status).toBe(0);
  expect(esme.seen.map(({ command }) => command).slice(-2)).toEqual(['deliver_sm', 'submit_sm_resp']);
});

test('what was not answered is sent again on the next bind, and nothing that was', async () => {
  const first = await bind();
  await first.submit(to, 'a');
  await until(() => smsc.counts.receipts_answered === 1, { what: 'the first receipt' });
  first.deliveryStatus = null;
  for (const text of ['b', 'c']) await first.submit(to, text);
  await until(() => first.delivered.length === 3, { what: 'two unanswered receipts' });
  first.close();
  await until(() => smsc.counts.binds === 0, { what: 'the bind to be gone' });
  expect(smsc.counts.receipts_pending).toBe(2);
  const second = await bind('receiver');
  await until(() => smsc.counts.receipts_pending === 0, { what: 'the receipts to be answered' });
  expect(ids(second)).toEqual(ids(first).slice(1));
});

test('what is not answered in time, or answered with an error, is sent again', async () => {
  await smsc.stop();
  smsc = await start({ receiptTimeoutMs: 100, receiptRetryMs: 10 });
  const esme = await bind();
  esme.deliveryStatus = null;
  await esme.submit(to, 'a');
  await until(() => esme.delivered.length >= 2, { what: 'the repetition after the timeout' });
  const before = esme.delivered.length;
  esme.deliveryStatus = 0x08;
  await until(() => esme.delivered.length >= before + 2, { what: 'the repetition after an error' });
  esme.deliveryStatus = 0;
  await until(() => smsc.counts.receipts_pending === 0, { what: 'the receipt to be answered' });
  expect(new Set(ids(esme)).size).toBe(1);
});

test('no more than its window of receipts is on the way', async () => {
  const esme = await bind();
  smsc.holdReceipts();
  await Promise.all(Array.from({ length: 12 }, (_, n) => esme.submit(to, `text ${n}`)));
  await until(() => smsc.counts.receipts_pending === 12, { what: 'twelve receipts held' });
  expect(esme.delivered).toEqual([]);
  esme.deliveryStatus = null;
  smsc.releaseReceipts();
  await until(() => esme.delivered.length === 5, { what: 'a window of receipts' });
  await esme.request('enquire_link');
  expect(esme.delivered).toHaveLength(5);
});

test('receipts wait for a receiver where only a transmitter is bound', async () => {
  const transmitter = await bind('transmitter');
  await transmitter.submit(to, 'a');
  await until(() => smsc.counts.receipts_pending === 1, { what: 'a waiting receipt' });
  const receiver = await bind('receiver');
  await until(() => receiver.delivered.length === 1, { what: 'the receipt' });
});

test('an outage: connections end and are refused; afterwards the same port serves, and nothing was forgotten', async () => {
  const esme = await bind();
  smsc.holdReceipts();
  await esme.submit(to, 'a');
  const { port } = smsc;
  await smsc.goDown();
  await until(() => esme.closed, { what: 'the connection to end' });
  await expect(Esme.connect(port)).rejects.toThrow(/ECONNREFUSED/);
  await smsc.reset();
  expect(smsc.port).toBe(port);
  const again = await bind();
  await until(() => again.delivered.length === 1, { what: 'the receipt' });
});

test('refuses binds with what it is told', async () => {
  smsc.faults.bindStatus = 0x0d;
  const esme = await Esme.connect(smsc.port);
  esmes.push(esme);
  expect((await esme.bindAnswer({ systemId, password })).command_status).toBe(0x0d);
});

test('sends receipts on demand, messages from phones, and any octets', async () => {
  const esme = await bind();
  const { message_id } = await esme.submit(to, 'a', { registered_delivery: 1 });
  await until(() => esme.delivered.length === 1, { what: 'the usual receipt' });
  expect(smsc.sendReceipt({ to }, 'EXPIRED', '099')).toBe(true);
  expect(smsc.sendReceipt({ id: message_id }, 'REJECTD')).toBe(true);
  expect(smsc.sendReceipt({ to: '+213550000000' }, 'DELIVRD')).toBe(false);
  smsc.sendMessage(to, 'Ramz', 'STOP');
  await until(() => esme.delivered.length === 4, { what: 'three more' });
  expect(esme.delivered.slice(1, 3).map((pdu) => [receiptKey(pdu, 'stat'), receiptKey(pdu, 'err')])).toEqual([
    ['EXPIRED', '099'],
    ['REJECTD', '000'],
  ]);
  expect(esme.delivered[3]).toMatchObject({
    esm_class: 0,
    source_addr: to.slice(1),
    short_message: { message: 'STOP' },
  });
  smsc.sendRaw(Buffer.from('00000010000000150000000000000abc', 'hex'));
  await until(() => esme.seen.some(({ sequence_number }) => sequence_number === 0xabc), { what: 'the raw octets' });
});
