// The salt of a session: part of what its code is derived from, and told nobody.
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { toSendResponse, toSessionMessage, toSessionSummary } from '../../../src/api/handlers/verify/to-proto.ts';
import { deriveCode } from '../../../src/core/verify/code.ts';
import { defaultRules } from '../../../src/core/verify/rules.ts';
import { inside } from '../../../src/db/queryable.ts';
import { listSessions } from '../../../src/db/verify/list.ts';
import { testDatabase } from '../../support/database.ts';
import { codeKey, ids, ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';
import { everySession } from '../../support/session.ts';

const database = await testDatabase();
const other = database.connect();

async function opened() {
  const sms = new ScriptedChannel();
  const first = await testEngine(database, { sms });
  // Another process, which has nothing in memory.
  const second = await testEngine(other, { sms });
  const request = sendRequest();
  const result = await first.engine.starter.sendSettled(request);
  if (result.kind !== 'sent') throw new Error(result.kind);
  await first.engine.dispatcher.idle();
  const { id } = result.session;
  const check = (code: string) =>
    second.engine.checker.check({
      accountId: request.accountId,
      mode: 'live',
      target: { id },
      code,
      idempotency: null,
    });
  return { first, second, request, id, check, session: result.session, sent: sms.sent[0]?.code ?? '' };
}

const saltOf = async (id: string) => {
  const { rows } = await sql<{ salt: Buffer | null }>`select salt from verify_session where id = ${id}`.execute(
    database.db,
  );
  return rows[0]?.salt ?? null;
};

test('key and id alone make no code; with the salt of the row they do, in every process', async () => {
  const { id, sent, check } = await opened();
  const salt = await saltOf(id);
  expect(salt).toHaveLength(16);
  expect(deriveCode(codeKey, id, 6)).not.toBe(sent);
  expect(deriveCode(codeKey, id, 6, salt)).toBe(sent);
  const another = await opened();
  expect(await saltOf(another.id)).not.toEqual(salt);
  expect(await check(sent)).toMatchObject({ checked: { valid: true } });
});

test('a session that was opened before there was a salt still verifies', async () => {
  const { id, check } = await opened();
  await sql`update verify_session set salt = null where id = ${id}`.execute(database.db);
  expect(await check(deriveCode(codeKey, id, 6))).toMatchObject({ checked: { valid: true } });
});

test('the salt is in no answer, list, stream or webhook', async () => {
  const { id, first, second, request, session, sent, check } = await opened();
  await sql`insert into account (id, name, created_at) values (${request.accountId}, 'A', now())`.execute(database.db);
  await sql`insert into webhook_endpoint
    (id, account_id, mode, url, description, event_types, enabled, secret, created_at, updated_at)
    values (${ids('whe_')}, ${request.accountId}, 'live', 'https://shop.example', '', '{}', true, '', now(), now())`.execute(
    database.db,
  );
  const key = { accountId: request.accountId, id };
  const stored = (await second.engine.store.load(key))?.session ?? session;
  expect(await check(sent)).toMatchObject({ checked: { valid: true } });
  await setImmediate();
  const page = { limit: 10, before: null };
  const { items: listed } = await listSessions(inside(database.db), everySession(request.accountId), page);
  const { rows } = await sql<{ body: string }>`
    select body from webhook_delivery where account_id = ${request.accountId}`.execute(database.db);
  expect(rows.length).toBeGreaterThan(0);
  expect(listed[0]?.session).toMatchObject({ id, salt: null });
  const told = JSON.stringify(
    [
      toSendResponse(session, defaultRules, Date.now()),
      toSessionMessage(stored, [], defaultRules, Date.now()),
      rows,
      listed.map((each) => toSessionSummary(each, defaultRules, Date.now())),
      first.webhooks,
      second.webhooks,
      stored.timeline,
    ],
    (_, value) => (typeof value === 'bigint' ? String(value) : value),
  );
  const salt = await saltOf(id);
  for (const form of ['hex', 'base64', 'base64url'] as const) expect(told).not.toContain(salt?.toString(form));
  expect(told).not.toMatch(/salt/i);
});
