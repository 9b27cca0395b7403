// A key without the scope `numbers`: it sends and checks by number, and no response at any door shows it a number in full.

import type { DescMethodServerStreaming, DescMethodUnary } from '@bufbuild/protobuf';
import { create, type JsonValue, type MessageInitShape } from '@bufbuild/protobuf';
import { afterAll, expect, test } from 'vitest';
import { VerifyService } from '../../src/gen/ramz/v1/verify_pb.ts';
import { type Caller, callers } from '../support/doors.ts';
import { testService } from '../support/service.ts';
import { serviceClient } from '../support/service-client.ts';

const service = await testService();
const { http, live, app } = await service.startHere();
const doors = callers(app);
afterAll(() => {
  for (const door of doors) door.close();
});
const newKey = async (scopes: string[]) =>
  (await live.call<{ key: string }>('POST', '/v1/api_keys', { name: scopes.join(), scopes })).body.key;
const key = await newKey(['verify', 'read', 'manage']);
const { send, check, getSession, listSessions, watchSession, cancelSession } = VerifyService.method;

const headersOf = (token: string) => ({ authorization: `Bearer ${token}` });
async function ask<M extends DescMethodUnary>(door: Caller, method: M, input: MessageInitShape<M['input']>) {
  const outcome = await door.call(method, create(method.input, input), headersOf(key));
  if (outcome.kind === 'error') throw new Error(`${method.name}: ${outcome.code}, ${outcome.message}`);
  return outcome.json as Record<string, JsonValue>;
}

async function firstOf<M extends DescMethodServerStreaming>(
  door: Caller,
  method: M,
  input: MessageInitShape<M['input']>,
) {
  for await (const outcome of door.stream(method, create(method.input, input), headersOf(key))) return outcome;
  throw new Error('an empty stream');
}

test.each(doors.map((door) => [door.door, door] as const))('over %s', async (name, door) => {
  const to = `+2136642000${String(doors.indexOf(door)).padStart(2, '0')}`;
  const masked = `+2136*****${to.slice(-2)}`;
  const sent = await ask(door, send, { to });
  expect(sent).toMatchObject({ to: masked });
  const id = String(sent.id);
  await live.sessionWhen(id, 'the delivery', ({ delivery }) => delivery === 'delivered');
  const full = await live.call<{ messages: { provider_message_id: string; receipts: { raw: string }[] }[] }>(
    'GET',
    `/v1/verify/sessions/${id}`,
  );
  expect(full.body).toMatchObject({ to });
  expect(full.body.messages[0]?.receipts[0]?.raw).toContain('DELIVRD');
  expect(full.body.messages[0]?.provider_message_id).not.toBe('');

  const wrong = await ask(door, check, { session: { case: 'to', value: to }, code: '000001' });
  expect(wrong).toMatchObject({ id, valid: false });
  const shown = [
    sent,
    wrong,
    await ask(door, getSession, { id }),
    await ask(door, listSessions, {}),
    await firstOf(door, watchSession, { id }),
    await ask(door, cancelSession, { id }),
  ];
  expect(shown[2]).toMatchObject({
    session: { to: masked, messages: [{ provider_message_id: '', receipts: [{ to: masked, raw: '' }] }] },
  });
  expect(shown[4]).toMatchObject({ kind: 'ok', json: { session: { to: masked } } });
  for (const each of shown) expect(JSON.stringify(each), name).not.toContain(to.slice(1));

  // One guess after the other would find out the digits that the mask leaves out.
  expect(await door.call(listSessions, create(listSessions.input, { to }), headersOf(key))).toMatchObject({
    kind: 'error',
    code: 'missing_scope',
    field: 'to',
    metadata: { scope: 'numbers' },
  });
});

test('an answer that is repeated for the Idempotency-Key of another key is masked for this one', async () => {
  const to = '+213664200099';
  const once = { 'idempotency-key': 'one' };
  const first = await live.call<{ id: string; to: string }>('POST', '/v1/verify/send', { to }, once);
  expect(first.body.to).toBe(to);
  const again = await serviceClient(http, key).call<{ id: string; to: string }>(
    'POST',
    '/v1/verify/send',
    { to },
    once,
  );
  expect(again.body).toEqual({ ...first.body, to: '+2136*****99' });
});

test('a key cannot grant the scope that it lacks', async () => {
  const { status, body } = await serviceClient(http, key).call<{ error: object }>('POST', '/v1/api_keys', {
    name: 'more',
    scopes: ['numbers'],
  });
  expect([status, body.error]).toMatchObject([403, { code: 'missing_scope', scope: 'numbers' }]);
});
