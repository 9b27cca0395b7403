// The references under which messages of an erased number were filed: a message may have several, and not all can be told from its record.
import { randomBytes, randomInt } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { erasedForm } from '../../../src/core/erasure/number-forms.ts';
import { newKeyRing, parseKeyRing } from '../../../src/core/secrets/key-ring.ts';
import { purgeSessions } from '../../../src/db/erasure/account.ts';
import { Erasure } from '../../../src/engine/erasure/erasure.ts';
import { tester } from '../../support/actor.ts';
import { isCelled } from '../../support/cells.ts';
import { testDatabase } from '../../support/database.ts';
import { carrierReceipt, ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();
const dbs = isCelled(database) ? database.cells.map((cell) => cell.database.plain) : [database.plain];
const parsed = parseKeyRing(newKeyRing((size) => randomBytes(size)));
if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
const erasure = new Erasure({ home: database.plain, cells: dbs }, Date.now, parsed.ring);

const referencesOf = async (sessionId: string) => {
  const found = await Promise.all(
    dbs.map((db) =>
      sql<{ reference: string; number: string }>`select reference, number from operator_reference
        where session_id = ${sessionId} order by reference collate "C"`.execute(db),
    ),
  );
  return found.flatMap(({ rows }) => rows);
};

const ended = (session: string) =>
  Promise.all(dbs.map((db) => sql`update verify_session set status = 'canceled' where id = ${session}`.execute(db)));

/** An SMS whose answer never came, so that its id is not known. */
async function inDoubt() {
  const sms = new ScriptedChannel();
  sms.answer = () => ({ kind: 'unknown', reason: 'timeout' });
  const { engine, fleet } = await testEngine(database, { sms, url: database.url });
  const request = sendRequest();
  const sent = await engine.starter.sendSettled(request);
  if (sent.kind !== 'sent') throw new Error(sent.kind);
  const message = await until(() => sms.sent[0], { what: 'the SMS' });
  await engine.dispatcher.idle();
  return { engine, fleet, to: request.to, key: { accountId: request.accountId, id: sent.session.id }, message };
}

/** A receipt with another form of its id is taken for it by its phone, and the operator's answer comes behind. */
async function answeredLate() {
  const { engine, fleet, to, key, message } = await inDoubt();
  // Decimal, where the answer is hexadecimal: it is filed as the answer would be.
  const providerMessageId = String(randomInt(2 ** 32));
  const reference = Number(providerMessageId).toString(16);
  const accepted = { kind: 'accepted', providerMessageId, reference, parts: 1, tariff: null } as const;
  await engine.receipts.take({ ...carrierReceipt(message, 'ACCEPTD'), references: [reference], accepted });
  for (const db of dbs)
    await sql`update parked_receipt set received_at = received_at - interval '4 seconds'`.execute(db);
  await until(async () => (await engine.receipts.retryParked()) === 1, { what: 'the receipt to be matched' });
  const outcome = { ...accepted, providerMessageId: 'late', reference: 'late' };
  const answer = { accountId: key.accountId, sessionId: key.id, messageId: message.id, operator: 'atlas', outcome };
  await engine.receipts.takeLateAnswer(answer);
  return { fleet, key, to, references: [reference, 'late', `to ${to}`] };
}

/** A WhatsApp message that the business's own number may not send, and that goes out from the deployment's. */
async function sentElsewhere() {
  const whatsapp = Object.assign(new ScriptedChannel('whatsapp'), { echoesMessageId: true });
  const { answer } = whatsapp;
  whatsapp.answer = (message) =>
    whatsapp.sent.length === 1
      ? { kind: 'sender_refused', fallback: 'Info', errorCode: '131031', route: 'whatsapp/info' }
      : answer(message);
  whatsapp.routes = () => ['whatsapp/atlas', 'whatsapp/info'];
  const { engine, fleet } = await testEngine(database, { whatsapp, url: database.url });
  const request = sendRequest({ cascade: [{ channel: 'whatsapp', timeoutMs: 60_000 }] });
  const sent = await engine.starter.sendSettled(request);
  if (sent.kind !== 'sent') throw new Error(sent.kind);
  const key = { accountId: request.accountId, id: sent.session.id };
  await until(() => whatsapp.sent.length === 2, { what: 'the second try' });
  await engine.dispatcher.idle();
  const [, { id = '' } = {}] = whatsapp.sent;
  return { fleet, key, to: request.to, references: [`p-${id}`, `whatsapp/atlas ${id}`, `whatsapp/info ${id}`] };
}

const stories = [
  ['an SMS whose answer came behind its receipt', answeredLate],
  ['a WhatsApp message that went out from another number', sentElsewhere],
] as const;

test.each(stories)('of %s no reference keeps the number', async (_, story) => {
  const { fleet, key, to, references } = await story();
  expect((await referencesOf(key.id)).map(({ reference }) => reference)).toEqual(references);
  await ended(key.id);
  expect((await erasure.erase({ number: to, scope: null, actor: tester })).complete).toBe(true);
  // What finds a late receipt is still there, but for what has the number in it.
  const left = references.filter((reference) => !reference.includes(to));
  expect(await referencesOf(key.id)).toEqual(left.map((reference) => ({ reference, number: erasedForm(to) })));
  await fleet.leave();
});

test.each(stories)('of %s none outlives the account', async (_, story) => {
  const { fleet, key, references } = await story();
  expect(await referencesOf(key.id)).toHaveLength(references.length);
  await ended(key.id);
  for (const db of dbs) await purgeSessions(db, key.accountId, 100);
  expect(await referencesOf(key.id)).toEqual([]);
  await fleet.leave();
});

test('a receipt that comes later for a message whose id was never known is parked with its phone, for the next erasure', async () => {
  const { engine, fleet, to, key, message } = await inDoubt();
  await ended(key.id);
  const erase = () => erasure.erase({ number: to, scope: null, actor: tester });
  expect((await erase()).rows.parked_receipt).toBe(0);
  const reference = `late-${message.id}`;
  await engine.receipts.take({ ...carrierReceipt(message, 'DELIVRD'), references: [reference] });
  const again = await erase();
  expect(again).toMatchObject({ complete: true, rows: { parked_receipt: dbs.length } });
  await fleet.leave();
});
