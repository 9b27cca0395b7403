// Receipts that came before their message was known, by the hundreds: what a backlog or an outage leaves behind.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { SendOutcome } from '../../../src/channels/channel.ts';
import { testDatabase } from '../../support/database.ts';
import { carrierReceipt, ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();
const count = 450;

test('all that can be matched are taken in by one sweep, past thousands that are nobody’s', async () => {
  // Receipts nobody will ever know; further down, references of other messages.
  await sql`insert into parked_receipt (id, operator, reference, number, reason, receipt, raw, received_at)
    select 'prk_' || n, 'atlas', 'none' || n, '+21366' || n, 'unmatched',
      jsonb_build_object('references', jsonb_build_array('none' || n)), '', now() - interval '10 seconds'
    from generate_series(1, 3000) n`.execute(database.db);
  const sms = new ScriptedChannel();
  const { promise: go, resolve: answer } = Promise.withResolvers<void>();
  const usual = sms.answer;
  sms.answer = async (message): Promise<SendOutcome> => {
    await go;
    return usual(message);
  };
  const sender = await testEngine(database, { sms });
  const other = await testEngine(database);
  await Promise.all(Array.from({ length: count }, () => sender.engine.starter.sendSettled(sendRequest())));
  await until(() => sms.sent.length === count, { what: 'every message to be written' });
  await sql`insert into operator_reference (operator, reference, message_id, account_id, session_id, number, submitted_at)
    select 'atlas', 'other' || n, id, 'acct', 'vrf', '+21377' || n, now()
    from generate_series(1, 20000) n, (select min(id) as id from message) m`.execute(database.db);
  await Promise.all(sms.sent.map((message) => other.engine.receipts.take(carrierReceipt(message, 'DELIVRD'))));
  expect(await other.engine.parking.count()).toBe(3000 + count);

  answer();
  await sender.engine.dispatcher.idle();
  expect(await other.engine.receipts.retryParked()).toBe(count);
  expect(await other.engine.parking.count()).toBe(3000);
  const { rows } = await sql`select status, count(*)::integer as n from message group by 1`.execute(database.db);
  expect(rows).toEqual([{ status: 'delivered', n: count }]);
});

test('what the database can never store is kept unread, and is no reason to have it sent again', async () => {
  const sms = new ScriptedChannel();
  const { engine, errors } = await testEngine(database, { sms });
  await engine.starter.sendSettled(sendRequest());
  await engine.dispatcher.idle();
  const parked = await engine.parking.count();
  const [message] = sms.sent;
  if (!message) throw new Error('nothing was sent');
  const known = carrierReceipt(message, 'DELIVRD');
  // No index takes one so long, and jsonb takes no half of a character.
  await engine.receipts.take({ ...known, references: [randomBytes(3_000).toString('base64')], number: null });
  await engine.receipts.take({ ...known, receipt: { ...known.receipt, providerStatus: 'x\ud83d' } });
  expect(await engine.parking.count()).toBe(parked + 2);
  const { rows } = await sql<{
    reason: string;
  }>`select reason from parked_receipt where receipt is null`.execute(database.db);
  expect(new Set(rows.map(({ reason }) => reason))).toEqual(new Set(['the database can not store it']));
  expect(errors.splice(0)).toHaveLength(2);
});
