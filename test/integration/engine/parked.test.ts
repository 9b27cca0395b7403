// Receipts that came before their message was known, by the hundreds: what a backlog or an outage leaves behind.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { SendOutcome } from '../../../src/channels/channel.ts';
import { withSchema } from '../../../src/db/schema.ts';
import { Operators } from '../../../src/engine/operators/operators.ts';
import { hourMs } from '../../../src/time/wall-clock.ts';
import { isCelled } from '../../support/cells.ts';
import { testDatabase } from '../../support/database.ts';
import { carrierReceipt, ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();
const count = 450;
/** Of any age and number, other than the engine's count. */
const parkedRows = async () =>
  (await sql<{ id: string }>`select id from parked_receipt`.execute(database.db)).rows.length;

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

test('what was parked under another rule is taken in once it is matched by the right one, behind thousands that are nobody’s', async () => {
  const sms = new ScriptedChannel();
  const { engine } = await testEngine(database, { sms });
  await Promise.all([1, 2].map(() => engine.starter.sendSettled(sendRequest())));
  await engine.dispatcher.idle();
  const [message, another] = sms.sent;
  if (!message || !another) throw new Error('nothing was sent');
  const upper = (id: string) => `P-${id.toUpperCase()}`;
  const report = (to: string, id: string) => {
    const carrier = carrierReceipt(message, 'DELIVRD');
    const receipt = { ...carrier.receipt, providerMessageId: upper(id) };
    return { ...carrier, number: to, references: [upper(id)], receipt };
  };
  const parked = await parkedRows();
  await engine.receipts.take(report(message.to, message.id));
  // The id of another message, to this phone.
  await engine.receipts.take(report(message.to, another.id));
  // From before the message: the operator has used its id again.
  const older = report(message.to, message.id);
  await engine.receipts.take({ ...older, receipt: { ...older.receipt, receivedAt: Date.now() - hourMs } });
  expect(await engine.receipts.retryParked()).toBe(0);
  // They are older than those two.
  await sql`insert into parked_receipt (id, operator, reference, number, reason, receipt, raw, received_at)
    select 'prk_0' || n, 'atlas', 'nobody' || n, '+21366' || n, 'unmatched', jsonb_build_object('references', jsonb_build_array('nobody' || n),
      'receipt', jsonb_build_object('providerMessageId', 'nobody' || n)), '', now() - interval '10 seconds'
    from generate_series(1, 10000) n`.execute(database.db);

  const operators = new Operators({
    db: withSchema(database.db),
    cells: (isCelled(database) ? database.cells.map((cell) => cell.database) : [database]).map(({ db }) =>
      withSchema(db),
    ),
    settings: { config: { operators: [] } },
    log: { info: () => {} },
  });
  const rule = { rule: 'same', stripLeadingZeros: false, caseInsensitive: false } as const;
  const looked = expect.any(Number);
  expect(await operators.match('atlas', rule)).toEqual({ looked, matched: 0 });
  expect(await operators.match('other', { ...rule, caseInsensitive: true })).toEqual({ looked: 0, matched: 0 });
  const matched = await operators.match('atlas', { ...rule, caseInsensitive: true });
  expect(matched).toEqual({ looked, matched: 1 });
  expect(matched.looked).toBeGreaterThan(10_000);
  // Matched already: it only has to be taken in.
  expect(await operators.match('atlas', { ...rule, caseInsensitive: true })).toEqual({ looked, matched: 0 });
  expect(await engine.receipts.retryParked()).toBe(1);
  expect(await parkedRows()).toBe(parked + 2 + 10_000);
  const { rows } = await sql<{ id: string; status: string }>`select id, status from message
    where id in (${message.id}, ${another.id})`.execute(database.db);
  expect(Object.fromEntries(rows.map(({ id, status }) => [id, status]))).toEqual({
    [message.id]: 'delivered',
    [another.id]: 'submitted',
  });
});
