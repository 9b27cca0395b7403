// Receipts find their message in whichever cell it is: by the phone, without one, in another form of it, before the answer to the submission.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { isCelled } from '../support/cells.ts';
import { testDatabase } from '../support/database.ts';
import { carrierReceipt, ScriptedChannel, sendRequest, testEngine } from '../support/engine.ts';
import { until } from '../support/wait.ts';

const database = await testDatabase();
if (!isCelled(database)) throw new Error('this suite runs over cells');
const { map } = database;

const sms = new ScriptedChannel();
const sender = await testEngine(database, { sms });
const other = await testEngine(database);

/** A message to a number of each cell. */
async function messages(id?: string) {
  const wanted = new Set(map.names);
  const found: (typeof sms.sent)[number][] = [];
  while (wanted.size > 0) {
    const request = sendRequest();
    if (!wanted.delete(map.ofNumber(request.to, Date.now()))) continue;
    if (id !== undefined) answerWith(id);
    const result = await sender.engine.starter.sendSettled(request);
    await sender.engine.dispatcher.idle();
    const message = sms.sent.at(-1);
    if (result.kind !== 'sent' || message?.sessionId !== result.session.id) throw new Error('not sent');
    found.push(message);
  }
  return found;
}

const answer = sms.answer;
function answerWith(id: string): void {
  sms.answer = async (message) => ({ ...(await answer(message)), providerMessageId: id, reference: id }) as never;
}

const statusOf = async ({ accountId, sessionId }: (typeof sms.sent)[number]) =>
  (await other.engine.store.load({ accountId, id: sessionId }))?.session.messages[0]?.status;
const parked = async () => (await sql`select id from parked_receipt`.execute(database.db)).rows.length;
const later = () =>
  sql`update parked_receipt set received_at = received_at - interval '4 seconds'`.execute(database.db);

test.each([
  ['its phone', (to: string) => to],
  ['no phone', () => null],
])('by the process that did not send: a receipt with %s', async (_, numberOf) => {
  for (const message of await messages()) {
    await other.engine.receipts.take({ ...carrierReceipt(message, 'DELIVRD'), number: numberOf(message.to) });
    expect(await statusOf(message)).toBe('delivered');
  }
  expect(await parked()).toBe(0);
});

test('a receipt with another phone waits, and then is about the only message with its id', async () => {
  const sent = await messages();
  for (const message of sent)
    await other.engine.receipts.take({ ...carrierReceipt(message, 'DELIVRD'), number: `+${message.to.slice(4)}` });
  expect(await parked()).toBe(sent.length);
  await later();
  expect(await other.engine.receipts.retryParked()).toBe(sent.length);
  expect(await Promise.all(sent.map(statusOf))).toEqual(sent.map(() => 'delivered'));
  expect(await parked()).toBe(0);
});

test('an id that messages of two cells have: the phone decides, and with neither phone nothing is guessed', async () => {
  const [one, two] = await messages('same');
  sms.answer = answer;
  if (!one || !two) throw new Error('no messages');
  const receipt = { ...carrierReceipt(one, 'DELIVRD'), references: ['same'] };
  await other.engine.receipts.take({ ...receipt, number: '+213000000000' });
  await later();
  expect(await other.engine.receipts.retryParked()).toBe(0);
  expect([await statusOf(one), await statusOf(two)]).toEqual(['submitted', 'submitted']);
  await sql`delete from parked_receipt`.execute(database.db);

  await other.engine.receipts.take({ ...receipt, number: two.to });
  expect([await statusOf(one), await statusOf(two)]).toEqual(['submitted', 'delivered']);
});

test('a receipt that is faster than the answer to its submission', async () => {
  const waiting: (() => void)[] = [];
  sms.answer = async (message) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return answer(message);
  };
  const request = sendRequest();
  await sender.engine.starter.sendSettled(request);
  await until(() => waiting.length > 0, { what: 'the message to be written' });
  const message = sms.sent.at(-1);
  if (!message) throw new Error('nothing was sent');
  await other.engine.receipts.take({ ...carrierReceipt(message, 'DELIVRD'), number: null });
  expect(await parked()).toBe(1);
  for (const go of waiting) go();
  await sender.engine.dispatcher.idle();
  sms.answer = answer;
  expect(await other.engine.receipts.retryParked()).toBe(1);
  expect(await statusOf(message)).toBe('delivered');
  expect(await parked()).toBe(0);
});
