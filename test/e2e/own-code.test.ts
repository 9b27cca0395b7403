// Codes of the caller's own and what it says of its end user, on a running service: the phone gets the code, and neither rows, nor the log at its
// most talkative, nor webhooks, nor the memory of a process whose sessions are over have any of it.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { heapSnapshots } from '../support/heap.ts';
import { testService } from '../support/service.ts';

const service = await testService({
  config: { verify: { allow_custom_code: true, timeout_seconds: { min: 1, max: 900 } } },
});
const { sandbox, database } = service;
const heap = heapSnapshots();
const server = await service.startProcess({
  LOG_LEVEL: 'trace',
  NODE_OPTIONS: heap.options,
});
const { live } = server;

const codes = Array.from({ length: 9 }, (_, n) => String(5_208_617_394 + n * 314_159_265));
const ended: Record<string, string> = {};
/** The end user of the n-th send. */
const clientOf = (n: number) => ({
  ip: n % 2 ? `2001:db8:77:${n + 1}::5ec` : `198.51.100.${200 + n}`,
  user_agent: `Browser/${n} of-the-end-user`,
  device_id: `device-of-the-end-user-${n}`,
});
const secrets = [...codes, ...codes.flatMap((_, n) => Object.values(clientOf(n))), 'of-the-end-user'];

test.each(codes.map((code, n) => [n, code] as const))('code %i: sent, read, ended', async (n, code) => {
  const prefix = ['+21355', '+21366', '+21377'][n % 3];
  const to = `${prefix}81000${String(n).padStart(2, '0')}`;
  const { id } = await live.send(to, { code, language: n % 2 ? 'ar' : 'fr', client: clientOf(n) });
  expect(await sandbox.codeTo(to)).toBe(code);
  const session = await live.sessionWhen(id, 'it to be delivered', ({ delivery }) => delivery === 'delivered');
  for (const secret of secrets) expect(JSON.stringify(session)).not.toContain(secret);
  if (n % 3 === 0) expect(await live.check(id, code)).toMatchObject({ valid: true });
  const outcome = n % 3 === 1 ? 'verified' : 'fraud';
  if (n % 3 > 0) {
    const { status } = await live.call('POST', `/v1/verify/sessions/${id}/report`, { outcome });
    expect(status).toBe(200);
  }
  const events = await sandbox.eventsOf(id, 3);
  for (const secret of secrets) expect(JSON.stringify(events)).not.toContain(secret);
  expect(events.at(-1)?.type).toBe(n % 3 === 2 ? 'session.canceled' : 'session.verified');
  ended[id] = (await live.session(id)).status_reason;
});

test('rows have none of them, and of no session that is over anything that could be one', async () => {
  const { rows } = await sql<{ text: string }>`
    select to_jsonb(t)::text as text from verify_session t union all select to_jsonb(t)::text from message t
    union all select to_jsonb(t)::text from receipt t union all select to_jsonb(t)::text from session_timeline t
    union all select to_jsonb(t)::text from webhook_delivery t union all select to_jsonb(t)::text from idempotency t
    union all select to_jsonb(t)::text from rate_bucket t`.execute(database.db);
  expect(rows.length).toBeGreaterThan(50);
  for (const secret of secrets) for (const { text } of rows) expect(text).not.toContain(secret);
  expect(rows.filter(({ text }) => text.includes('client:device_id:')).length).toBeGreaterThan(9);
  const { rows: left } = await sql<{ sealed_code: string }>`
    select distinct sealed_code from verify_session`.execute(database.db);
  expect(left).toEqual([{ sealed_code: '' }]);
  expect(Object.values(ended).toSorted()).toEqual(['', '', '', '', '', '', ...Array(3).fill('reported_fraud')]);
});

test('the memory of the process has none of them, of a session that is pending neither', async () => {
  const pending = '5550001234';
  const { id } = await live.send('+213558109999', {
    code: pending,
    client_reference: 'reference-in-memory',
    client: clientOf(0),
  });
  await live.sessionWhen(id, 'it to be delivered', ({ delivery }) => delivery === 'delivered');
  const snapshot = await heap.take(server.process);
  // The session is in memory, or nothing was looked at.
  expect(snapshot).toContain('reference-in-memory');
  for (const secret of [...secrets, pending]) expect(snapshot).not.toContain(secret);
});

test('the log has none of them', async () => {
  expect(await server.process.end()).toMatchObject({ code: 0 });
  const log = server.log();
  expect(log.split('\n').length).toBeGreaterThan(50);
  for (const secret of secrets) expect(log).not.toContain(secret);
});
