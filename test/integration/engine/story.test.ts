// The main story on a real database: sent, submitted, delivered, checked; and what is stored on the way.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import { carrierReceipt, ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();

async function sent(change = {}) {
  const sms = new ScriptedChannel();
  const { engine, errors, webhooks } = await testEngine(database, { sms });
  const request = sendRequest(change);
  const result = await engine.starter.sendSettled(request);
  if (result.kind !== 'sent') throw new Error(result.kind);
  await until(() => sms.sent.length === 1, { what: 'the message to be sent' });
  await engine.dispatcher.idle();
  const [message] = sms.sent;
  if (!message) throw new Error('nothing was sent');
  return {
    engine,
    errors,
    webhooks,
    sms,
    request,
    message,
    key: { accountId: request.accountId, id: result.session.id },
  };
}

test('a code is sent, delivered and verified', async () => {
  const { engine, errors, message, key, request } = await sent();
  await engine.receipts.take(carrierReceipt(message, 'DELIVRD'));
  const delivered = (await engine.store.load(key))?.session;
  expect(delivered).toMatchObject({ delivery: 'delivered', status: 'pending' });
  expect(delivered?.messages[0]).toMatchObject({ status: 'delivered', cost: { amount: '2.50', final: true } });

  const check = { accountId: request.accountId, mode: 'live' as const, target: { id: key.id }, idempotency: null };
  expect(await engine.checker.check({ ...check, code: message.code })).toMatchObject({
    kind: 'checked',
    checked: { valid: true, reason: null },
  });
  expect(await engine.checker.check({ ...check, code: message.code })).toMatchObject({
    checked: { valid: false, reason: 'already_verified' },
  });
  const stored = (await engine.store.load(key))?.session;
  expect(stored).toMatchObject({ status: 'verified', nextAt: null, eventSequence: 3 });
  expect(stored?.timeline.map(({ kind }) => kind)).toEqual([
    'session_opened',
    'leg_started',
    'message_submitted',
    'receipt_received',
    'delivery_delivered',
    'code_checked',
    'session_verified',
  ]);
  // By itself: times and numbers of phones have any six digits now and then.
  expect(JSON.stringify(stored)).not.toMatch(new RegExp(`(?<![0-9a-f])${message.code}(?![0-9a-f])`));
  expect(errors).toEqual([]);
});

test('what memory holds is what the database holds', async () => {
  const { engine, message, key } = await sent();
  await engine.receipts.take(carrierReceipt(message, 'UNDELIV'));
  expect(await engine.sessions.peek(key)).toEqual((await engine.store.load(key))?.session);
});

test('16 right checks at once: one is valid', async () => {
  const { engine, message, key, request } = await sent();
  const check = { accountId: request.accountId, mode: 'live' as const, target: { id: key.id }, idempotency: null };
  const others = await testEngine(database);
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, n) =>
      (n % 2 ? engine : others.engine).checker.check({ ...check, code: message.code }),
    ),
  );
  expect(answers.filter((answer) => answer.kind === 'checked' && answer.checked.valid)).toHaveLength(1);
});

test('a repeated receipt changes nothing; an unmatched one is parked and found later', async () => {
  const { engine, message, key } = await sent();
  await engine.receipts.take(carrierReceipt(message, 'DELIVRD'));
  const before = await engine.store.load(key);
  const again = carrierReceipt(message, 'DELIVRD');
  again.receipt.operatorTimestamp = before?.session.messages[0]?.finalAt ?? 0;
  await engine.receipts.take(again);
  expect(await engine.store.load(key)).toEqual(before);

  await engine.receipts.take({ ...carrierReceipt(message, 'DELIVRD'), references: ['nobody-knows'] });
  expect(await engine.parking.count()).toBe(1);
  expect(await engine.receipts.retryParked()).toBe(0);
  await sql`update operator_reference set reference = 'nobody-knows' where message_id = ${message.id}`.execute(
    database.db,
  );
  const late = await testEngine(database);
  expect(await late.engine.receipts.retryParked()).toBe(1);
  expect(await engine.parking.count()).toBe(0);
});

test('a second send is a resend of the same session', async () => {
  const { engine, request, key } = await sent();
  const soon = await engine.starter.sendSettled(request);
  expect(soon).toMatchObject({ kind: 'resend_too_soon', session: { id: key.id } });
});

test('twenty sends to one number at once open one session', async () => {
  const sms = new ScriptedChannel();
  const one = await testEngine(database, { sms });
  const two = await testEngine(database, { sms });
  const request = sendRequest();
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, n) => (n % 2 ? one : two).engine.starter.sendSettled(request)),
  );
  expect(results.filter(({ kind }) => kind === 'sent')).toHaveLength(1);
  expect(results.filter(({ kind }) => kind === 'resend_too_soon')).toHaveLength(19);
  await until(() => sms.sent.length === 1, { what: 'the one message' });
});

test('webhooks are this process’s from before the statement that stored them was sent, however late it is answered', async () => {
  const sms = new ScriptedChannel();
  const slow = async (config: { name?: string }) => {
    const result = await database.lanes.query(config as never);
    const answered = Date.now();
    if (config.name?.startsWith('save'))
      await until(() => Date.now() > answered + 50, { what: 'the answer to be late', everyMs: 5 });
    return result;
  };
  const { engine, webhooks } = await testEngine({ ...database, lanes: { query: slow } as never }, { sms });
  const request = sendRequest();
  await sql`insert into account (id, name, created_at) values (${request.accountId}, 'A', now())`.execute(database.db);
  await sql`insert into webhook_endpoint
    (id, account_id, mode, url, description, event_types, enabled, secret, created_at, updated_at)
    values ('whe_lease', ${request.accountId}, 'live', 'https://x.example', '', '{}', true, '', now(), now())`.execute(
    database.db,
  );
  const result = await engine.starter.sendSettled(request);
  if (result.kind !== 'sent') throw new Error(result.kind);
  await engine.dispatcher.idle();
  await engine.checker.cancel({ accountId: request.accountId, mode: 'live', id: result.session.id });
  const { rows } = await sql<{
    created_at: Date;
  }>`select created_at from webhook_delivery where endpoint_id = 'whe_lease'`.execute(database.db);
  expect(rows.length).toBeGreaterThan(0);
  expect(webhooks.map(({ storedAt }) => storedAt)).toEqual(rows.map(({ created_at }) => created_at.getTime()));
});
