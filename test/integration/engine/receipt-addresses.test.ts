// Receipts whose addresses stand in another form than ours: an id that names exactly one message wins whatever the addresses say, and
// where the operator gave one id to two phones the phone decides. Sending and hearing are two processes, as an operator that answers on
// any bind makes them, and once more the same process.
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { readReport } from '../../../src/channels/sms/report.ts';
import type { Delivery } from '../../../src/smpp/index.ts';
import { hourMs } from '../../../src/time/wall-clock.ts';
import { operatorConfig } from '../../peers/support/channel.ts';
import { testDatabase } from '../../support/database.ts';
import { ScriptedChannel, sendRequest, type TestEngine, testEngine } from '../../support/engine.ts';

const database = await testDatabase();
const operator = operatorConfig({ id: 'atlas', binds: [{ host: '127.0.0.1', system_id: 'a', password: 'b' }] });

/** The operator's id of the next message; the sender itself answers with it. */
let nextId = '';
const sms = new ScriptedChannel();
sms.answer = () => ({
  kind: 'accepted',
  providerMessageId: nextId,
  reference: nextId,
  parts: 1,
  tariff: { currency: 'DZD', amountPerPart: '2.50', charged: 'submit', version: '1', validFrom: 0 },
});
const sender = await testEngine(database, { sms });
const other = await testEngine(database);
const processes: [string, TestEngine][] = [
  ['the process that did not send', other],
  ['the process that sent', sender],
];

interface Addresses {
  source: string;
  sourceTon?: number;
  sourceNpi?: number;
  destination: string;
}

/** What an operator's receipt for that phone may have as its addresses, and still say which phone it is about. */
const told: [string, (digits: string) => Addresses][] = [
  ['international', (to) => ({ source: to, sourceTon: 1, sourceNpi: 1, destination: 'RAMZ' })],
  ['international with a plus', (to) => ({ source: `+${to}`, sourceTon: 1, sourceNpi: 1, destination: 'RAMZ' })],
  ['international with 00', (to) => ({ source: `00${to}`, sourceTon: 1, sourceNpi: 1, destination: 'RAMZ' })],
  ['international, of unknown type', (to) => ({ source: to, destination: 'RAMZ' })],
  [
    'national with its 0',
    (to) => ({ source: to.replace('213', '0'), sourceTon: 2, sourceNpi: 1, destination: 'RAMZ' }),
  ],
  ['national without its 0', (to) => ({ source: to.slice(3), sourceTon: 2, sourceNpi: 1, destination: 'RAMZ' })],
  [
    'national, said to be international',
    (to) => ({ source: to.slice(3), sourceTon: 1, sourceNpi: 1, destination: '' }),
  ],
  ['national, said to be alphanumeric', (to) => ({ source: to.slice(3), sourceTon: 5, destination: '' })],
  ['swapped', (to) => ({ source: 'RAMZ', sourceTon: 5, destination: to })],
  ['swapped, national', (to) => ({ source: 'RAMZ', sourceTon: 5, destination: to.replace('213', '0') })],
  ['swapped, from a short code', (to) => ({ source: '3030', sourceTon: 3, destination: `00${to}` })],
  ['with an empty source', (to) => ({ source: '', destination: to })],
];

/** Those that say no phone. */
const silent: [string, Addresses][] = [
  ['both empty', { source: '', destination: '' }],
  ['both alphanumeric', { source: 'ATLAS', sourceTon: 5, sourceNpi: 0, destination: 'RAMZ' }],
  ['a short code', { source: '3030', sourceTon: 3, sourceNpi: 9, destination: '' }],
  ['digits that are no number', { source: '000000000', destination: '1' }],
];

function carrier(
  id: string,
  { source, sourceTon = 0, sourceNpi = 0, destination }: Addresses,
  err = '000',
  by = operator,
  receivedAt = Date.now(),
) {
  const pdu = {
    command: 'deliver_sm',
    sequence: 1,
    esm_class: 4,
    source_addr_ton: sourceTon,
    source_addr_npi: sourceNpi,
    source_addr: source,
    destination_addr: destination,
    tlvs: [],
    data_coding: 0,
    short_message: Buffer.from(`id:${id} sub:001 dlvrd:001 stat:DELIVRD err:${err} text:`, 'latin1'),
  } as never as Delivery;
  const report = readReport(pdu, by, receivedAt);
  if (report.kind !== 'receipt') throw new Error(report.kind);
  return report.carrier;
}

let ids = 0;
const newId = (): string => `id-${++ids}`;

/** A message that the operator gave that id, and its phone's digits. */
async function submitted(id: string, by = sender) {
  nextId = id;
  const request = sendRequest();
  const result = await by.engine.starter.sendSettled(request);
  if (result.kind !== 'sent') throw new Error(result.kind);
  await by.engine.dispatcher.idle();
  const key = { accountId: request.accountId, id: result.session.id };
  const message = async () => (await other.engine.store.load(key))?.session.messages[0];
  const status = async () => (await message())?.status;
  expect(await status()).toBe('submitted');
  return { to: request.to, digits: request.to.slice(1), status, message };
}

/** The seconds in which a message with the receipt's id and phone may still turn up are over. */
const seconds = () =>
  sql`update parked_receipt set received_at = received_at - interval '4 seconds'`.execute(database.db);

describe.each(processes)('a receipt at %s', (_, hearing) => {
  test.each(told)('its id names one message, its phone is %s: taken in at once', async (_, addresses) => {
    const id = newId();
    const { digits, status } = await submitted(id);
    await hearing.engine.receipts.take(carrier(id, addresses(digits)));
    expect(await status()).toBe('delivered');
  });

  test.each(silent)('its id names one message, its addresses are %s: taken in at once', async (_, addresses) => {
    const id = newId();
    const { status } = await submitted(id);
    await hearing.engine.receipts.take(carrier(id, addresses));
    expect(await status()).toBe('delivered');
  });

  test.each(told)('its id names two phones and its phone is %s: the phone decides', async (_, addresses) => {
    const id = newId();
    const first = await submitted(id);
    const second = await submitted(id);
    const third = await submitted(id);
    await hearing.engine.receipts.take(carrier(id, addresses(second.digits)));
    expect([await first.status(), await second.status(), await third.status()]).toEqual([
      'submitted',
      'delivered',
      'submitted',
    ]);
    await hearing.engine.receipts.take(carrier(id, addresses(first.digits)));
    expect([await first.status(), await third.status()]).toEqual(['delivered', 'submitted']);
  });

  test('its id names two messages to its phone: the newer one', async () => {
    const id = newId();
    const older = await submitted(id);
    nextId = id;
    const again = sendRequest({ to: older.to });
    const result = await sender.engine.starter.sendSettled(again);
    await sender.engine.dispatcher.idle();
    if (result.kind !== 'sent') throw new Error(result.kind);
    await hearing.engine.receipts.take(carrier(id, { source: older.digits, destination: '' }));
    const key = { accountId: again.accountId, id: result.session.id };
    expect((await other.engine.store.load(key))?.session.delivery).toBe('delivered');
    expect(await older.status()).toBe('submitted');
  });

  test('its id names one message, its phone is another one: it waits for that one’s own answer, then the id wins', async () => {
    const id = newId();
    const only = await submitted(id);
    await hearing.engine.receipts.take(carrier(id, { source: '213559999999', destination: 'RAMZ' }));
    expect(await hearing.engine.receipts.retryParked()).toBe(0);
    expect(await only.status()).toBe('submitted');
    await seconds();
    expect(await hearing.engine.receipts.retryParked()).toBe(1);
    expect(await only.status()).toBe('delivered');
  });

  test('an id used again, faster than its answer: the message that is to come is meant, not the one that was', async () => {
    const id = newId();
    const was = await submitted(id);
    const to = sendRequest().to;
    await hearing.engine.receipts.take(carrier(id, { source: to.slice(1), destination: 'RAMZ' }));
    nextId = id;
    const request = sendRequest({ to });
    const result = await sender.engine.starter.sendSettled(request);
    await sender.engine.dispatcher.idle();
    if (result.kind !== 'sent') throw new Error(result.kind);
    await hearing.engine.receipts.retryParked();
    const key = { accountId: request.accountId, id: result.session.id };
    expect((await other.engine.store.load(key))?.session.delivery).toBe('delivered');
    expect(await was.status()).toBe('submitted');
  });

  test('its id names two phones, and its own is neither: it stays parked', async () => {
    const id = newId();
    const both = [await submitted(id), await submitted(id)];
    const parked = await hearing.engine.parking.count();
    await hearing.engine.receipts.take(carrier(id, { source: '213559999999', destination: 'RAMZ' }));
    await seconds();
    expect(await hearing.engine.receipts.retryParked()).toBe(0);
    expect(await hearing.engine.parking.count()).toBe(parked + 1);
    expect(await Promise.all(both.map(({ status }) => status()))).toEqual(['submitted', 'submitted']);
  });
});

test.each([
  ['another phone', '213559999999'],
  ['no phone', ''],
])(
  'an id used again by the process that keeps a receipt of its first use, with %s: it is not the new message’s',
  async (_, source) => {
    const id = newId();
    const parked = await sender.engine.parking.count();
    // Its message is nobody's here, as after a move from another system.
    const before = Date.now() - hourMs / 2;
    await sender.engine.receipts.take(carrier(id, { source, destination: 'RAMZ' }, '000', operator, before));
    const { digits, status, message } = await submitted(id);
    // The first sweep of a process looks at all of them.
    const third = await testEngine(database);
    expect(await third.engine.receipts.retryParked()).toBe(0);
    expect(await status()).toBe('submitted');
    // In line behind whatever the answer has caused.
    await sender.engine.receipts.take(carrier(id, { source: digits, destination: 'RAMZ' }, '001'));
    expect(await message()).toMatchObject({ status: 'delivered', receipts: [expect.stringContaining('001')] });
    expect(await sender.engine.parking.count()).toBe(parked + 1);
  },
);

test('of two messages with its id, a receipt that was parked between them is about the older one', async () => {
  const id = newId();
  const older = await submitted(id);
  await other.engine.parking.park(carrier(id, { source: '', destination: '' }));
  const ahead = await testEngine(database, { sms, now: () => Date.now() + hourMs });
  const younger = await submitted(id, ahead);
  expect(await ahead.engine.receipts.retryParked()).toBe(1);
  expect([await older.status(), await younger.status()]).toEqual(['delivered', 'submitted']);
  expect(ahead.errors).toEqual([]);
});

/** Ids that are hex in the answer and decimal in the receipt: its number read as hex is a later message's id. */
describe.each(processes)('a receipt at %s, whose id is that of two messages in two bases', (_, hearing) => {
  const based = operatorConfig({
    id: 'atlas',
    binds: [{ host: '127.0.0.1', system_id: 'a', password: 'b' }],
    message_id: { rule: 'answer_hex_receipt_decimal' },
  });
  const both = async () => {
    const n = 100_000 + ++ids;
    const meant = await submitted(n.toString(16));
    return { n, meant, later: await submitted(String(n)) };
  };

  test.each(silent)('its addresses are %s: the likeliest reading of it holds', async (_, addresses) => {
    const { n, meant, later } = await both();
    await hearing.engine.receipts.take(carrier(String(n), addresses, '000', based));
    expect([await meant.status(), await later.status()]).toEqual(['delivered', 'submitted']);
  });

  test('the message of another reading went out at the process that hears it: the likeliest reading of it holds', async () => {
    const n = 100_000 + ++ids;
    const meant = await submitted(n.toString(16));
    const second = await testEngine(database, { sms });
    const later = await submitted(String(n), second);
    await second.engine.receipts.take(carrier(String(n), { source: '', destination: '' }, '000', based));
    expect([await meant.status(), await later.status()]).toEqual(['delivered', 'submitted']);
    expect(second.errors).toEqual([]);
  });

  test('its phone is another one: the likeliest reading of it holds', async () => {
    const { n, meant, later } = await both();
    await hearing.engine.receipts.take(
      carrier(String(n), { source: '213559999999', destination: 'RAMZ' }, '000', based),
    );
    await seconds();
    await hearing.engine.receipts.retryParked();
    expect([await meant.status(), await later.status()]).toEqual(['delivered', 'submitted']);
  });

  test('its phone is that of the later message: the phone decides', async () => {
    const { n, meant, later } = await both();
    await hearing.engine.receipts.take(carrier(String(n), { source: later.digits, destination: 'RAMZ' }, '000', based));
    expect([await meant.status(), await later.status()]).toEqual(['submitted', 'delivered']);
  });
});

test('nothing was logged as an error', () => {
  expect([...sender.errors, ...other.errors]).toEqual([]);
});
