// One story through every door of the real service, told to each in the same calls: the answers and the errors must be the
// same, but for what no two sessions share (ids, times, numbers, secrets).

import { create, type DescMethodUnary, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  createConnectTransport as createBrowserConnect,
  createGrpcWebTransport as createBrowserGrpcWeb,
} from '@connectrpc/connect-web';
import { afterAll, expect, test } from 'vitest';
import { AccountService } from '../../src/gen/ramz/v1/account_pb.ts';
import { ApiKeyService } from '../../src/gen/ramz/v1/api_key_pb.ts';
import { VerifyService } from '../../src/gen/ramz/v1/verify_pb.ts';
import { WebhookEndpointService } from '../../src/gen/ramz/v1/webhook_endpoint_pb.ts';
import { callers, type Outcome, overConnect } from '../support/doors.ts';
import { otherEnd } from '../support/other-end.ts';
import { testService } from '../support/service.ts';
import { until } from '../support/wait.ts';

const byId = (value: string) => ({ case: 'id', value }) as const;
const byNumber = (value: string) => ({ case: 'to', value }) as const;

const service = await testService();
const { app, http, test: withTestKey } = await service.startHere();
const native = callers(app);
afterAll(() => {
  for (const door of native) door.close();
});

/** Connect as Node, as a browser, in JSON and in binary: all the ways one could come in. */
const doors = {
  ...Object.fromEntries(native.map((caller) => [caller.door, caller])),
  'connect, binary': overConnect('connect', createBrowserConnect({ baseUrl: http, useBinaryFormat: true })),
  'connect, in a browser': overConnect('connect', createBrowserConnect({ baseUrl: http })),
  'grpc-web, in a browser': overConnect('grpc-web', createBrowserGrpcWeb({ baseUrl: http })),
};
const others = Object.keys(doors).filter((name) => name !== 'rest');

const reader = await withTestKey.call<{ key: string }>('POST', '/v1/api_keys', { name: 'reader', scopes: ['read'] });

const end = timestampFromMs(Math.ceil(Date.now() / 1_000) * 1_000 + 3_600_000);
const brief = await withTestKey.call<{ key: string }>('POST', '/v1/api_keys', {
  name: 'brief',
  expires_at: new Date(Number(end.seconds) * 1_000).toISOString(),
});

/** What the calls of one door go by. */
interface Story {
  to: string;
  id: string;
  otherId: string;
}

type Key = 'test' | 'live' | 'reader' | 'brief' | 'admin' | 'none' | 'unknown' | 'typo';

const keys: Record<Key, string | null> = {
  test: service.testKey,
  live: service.liveKey,
  reader: reader.body.key,
  brief: brief.body.key,
  admin: service.adminToken,
  none: null,
  unknown: 'ramz_live_nobody',
  typo: otherEnd(service.liveKey),
};

interface Step {
  name: string;
  method: DescMethodUnary;
  input(story: Story): Record<string, unknown>;
  key?: Key;
  /** Of the door: two doors' calls are never the same call. */
  idempotencyKey?: string;
  /** Repeated until the answer has these members. */
  until?: Record<string, unknown>;
  answers?: object;
  error?: { code: string; field?: string; metadata?: object; retryAfter?: unknown };
  replayed?: true;
  keep?(json: { id: string }, story: Story): void;
}

const step = <M extends DescMethodUnary>(
  name: string,
  method: M,
  input: (story: Story) => MessageInitShape<M['input']>,
  rest: Omit<Step, 'name' | 'method' | 'input'>,
): Step => ({ name, method, input: input as Step['input'], ...rest });

const { send, check, getSession, listSessions, cancelSession } = VerifyService.method;
const { createAccount, getAccount, getMeasures, updateAccount } = AccountService.method;
const { createApiKey, listApiKeys, revokeApiKey } = ApiKeyService.method;
const { createWebhookEndpoint, listWebhookEndpoints } = WebhookEndpointService.method;
const nobody = 'vrf_00000000000000000000000000';

const later = () => ({ name: 'child', expiresAt: timestampFromMs(Number(end.seconds) * 1_000 + 1_000) });

const login = { purpose: 'login' };
const payment = ({ to }: Story) => ({ to, purpose: 'payment', clientReference: 'order-1' });

const story: Step[] = [
  step('send', send, ({ to }) => ({ to, ...login, cascade: [{ channel: 'sms', timeoutSeconds: 900 }] }), {
    answers: { status: 'pending', delivery: 'sending', channel: 'sms', purpose: 'login', test: true },
    keep: ({ id }, told) => {
      told.id = id;
    },
  }),
  step('send again at once', send, ({ to }) => ({ to, ...login }), {
    error: { code: 'resend_too_soon', metadata: { session_id: expect.any(String) }, retryAfter: expect.any(Number) },
  }),
  step('send with other options', send, ({ to }) => ({ to, ...login, codeLength: 8 }), {
    error: { code: 'session_differs', field: 'code_length', metadata: { session_id: expect.any(String) } },
  }),
  step('send for something else, with a key', send, payment, {
    idempotencyKey: 'a',
    answers: { purpose: 'payment' },
    keep: ({ id }, told) => {
      told.otherId = id;
    },
  }),
  step('the same again is the same answer', send, payment, {
    idempotencyKey: 'a',
    replayed: true,
    keep: ({ id }, told) => expect(id).toBe(told.otherId),
  }),
  step('the same key with another request', send, ({ to }) => ({ to, purpose: 'else' }), {
    idempotencyKey: 'a',
    error: { code: 'idempotency_key_reused' },
  }),
  step('a key that is none', send, ({ to }) => ({ to }), {
    idempotencyKey: 'x'.repeat(300),
    error: { code: 'invalid_idempotency_key' },
  }),
  step('get, once it is delivered', getSession, ({ id }) => ({ id }), {
    until: { session: expect.objectContaining({ delivery: 'delivered' }) },
    answers: { session: expect.objectContaining({ status: 'pending', attempts_remaining: 5, total_cost: [] }) },
  }),
  // Canceled below: a receipt that came in between would be in one door's answer and not in the other's.
  step('get the other one, once it is delivered', getSession, ({ otherId }) => ({ id: otherId }), {
    until: { session: expect.objectContaining({ delivery: 'delivered' }) },
    answers: { session: expect.objectContaining({ status: 'pending', purpose: 'payment' }) },
  }),
  step('a wrong code', check, ({ id }) => ({ session: byId(id), code: '123456' }), {
    answers: { valid: false, reason: 'incorrect_code', attempts_remaining: 4, status: 'pending' },
  }),
  step('what is no code', check, ({ id }) => ({ session: byId(id), code: 'abc' }), {
    error: { code: 'invalid_code', field: 'code' },
  }),
  step(
    'the right code, by number, in Arabic digits',
    check,
    ({ to }) => ({ session: byNumber(to), ...login, code: '٠٠٠-٠٠٠' }),
    {
      answers: { valid: true, reason: '', status: 'verified', test: true },
    },
  ),
  step('the right code again', check, ({ id }) => ({ session: byId(id), code: '000000' }), {
    answers: { valid: false, reason: 'already_verified', status: 'verified' },
  }),
  step('cancel what is over', cancelSession, ({ id }) => ({ id }), { error: { code: 'session_not_pending' } }),
  step('cancel', cancelSession, ({ otherId }) => ({ id: otherId }), {
    answers: { session: expect.objectContaining({ status: 'canceled', status_reason: 'canceled_by_client' }) },
  }),
  step('get what is over', getSession, ({ id }) => ({ id }), {
    answers: { session: expect.objectContaining({ status: 'verified' }) },
  }),
  step('no such session', getSession, () => ({ id: nobody }), { error: { code: 'session_not_found' } }),
  step('check no such session', check, () => ({ session: byId(nobody), code: '123456' }), {
    error: { code: 'session_not_found' },
  }),
  step("the other mode's session", getSession, ({ id }) => ({ id }), {
    key: 'live',
    error: { code: 'session_not_found' },
  }),
  step('list', listSessions, ({ to }) => ({ to, pageSize: 1 }), {
    answers: {
      sessions: [expect.objectContaining({ purpose: 'payment' })],
      next_page_token: expect.stringMatching(/./),
    },
  }),
  step('list with a filter', listSessions, ({ to }) => ({ to, status: 'verified' }), {
    answers: { sessions: [expect.objectContaining({ purpose: 'login' })], next_page_token: '' },
  }),
  step('a page token that is none', listSessions, () => ({ pageToken: 'x' }), {
    error: { code: 'invalid_page_token', field: 'page_token' },
  }),
  step('no number', send, () => ({ to: '12' }), { error: { code: 'invalid_phone_number', field: 'to' } }),
  step('a fixed line', send, () => ({ to: '+21321555555' }), { error: { code: 'invalid_phone_number', field: 'to' } }),
  step('another country', send, () => ({ to: '+33612345678' }), {
    error: { code: 'unsupported_destination', field: 'to' },
  }),
  step('no such channel', send, ({ to }) => ({ to, channel: 'pigeon' }), {
    error: { code: 'invalid_argument', field: 'channel' },
  }),
  step('a cascade that begins elsewhere', send, ({ to }) => ({ to, channel: 'voice', cascade: [{ channel: 'sms' }] }), {
    error: { code: 'invalid_argument', field: 'cascade[0].channel' },
  }),
  step('a leg too long', send, ({ to }) => ({ to, cascade: [{ channel: 'sms', timeoutSeconds: 901 }] }), {
    error: { code: 'invalid_argument', field: 'cascade[0].timeout_seconds' },
  }),
  step('a code too short for this deployment', send, ({ to }) => ({ to, codeLength: 4 }), {
    error: { code: 'invalid_argument', field: 'code_length' },
  }),
  step('a sender name nobody approved', send, ({ to }) => ({ to, senderId: 'Nobody' }), {
    key: 'live',
    error: { code: 'sender_id_not_approved', field: 'sender_id' },
  }),
  step('no channel with that name here', send, ({ to }) => ({ to, channel: 'voice' }), {
    key: 'live',
    error: { code: 'no_route' },
  }),
  step('no key', send, ({ to }) => ({ to }), { key: 'none', error: { code: 'missing_api_key' } }),
  step('no such key', send, ({ to }) => ({ to }), { key: 'unknown', error: { code: 'invalid_api_key' } }),
  step('a key with a typing error', send, ({ to }) => ({ to }), { key: 'typo', error: { code: 'invalid_api_key' } }),
  step('a key without the scope', send, ({ to }) => ({ to }), { key: 'reader', error: { code: 'missing_scope' } }),
  step('that key reads', listApiKeys, () => ({}), {
    key: 'reader',
    answers: { api_keys: expect.arrayContaining([expect.objectContaining({ name: 'reader' })]) },
  }),
  step('a key that would outlive the one that makes it', createApiKey, later, {
    key: 'brief',
    error: { code: 'expires_too_late', field: 'expires_at' },
  }),
  step('no such key to revoke', revokeApiKey, () => ({ id: 'key_none' }), { error: { code: 'api_key_not_found' } }),
  step('account', getAccount, () => ({}), {
    answers: { account: expect.objectContaining({ id: '<acct>', name: 'E2E' }) },
  }),
  step('measures', getMeasures, () => ({}), { key: 'live', answers: {} }),
  step('the account has one name, and it is live', updateAccount, () => ({ name: 'X' }), {
    error: { code: 'live_key_required', field: 'name' },
  }),
  step('an account without the admin token', createAccount, () => ({ name: 'Shop' }), {
    key: 'none',
    error: { code: 'registration_closed' },
  }),
  step('an account', createAccount, () => ({ name: 'Shop' }), {
    key: 'admin',
    answers: { account: expect.objectContaining({ name: 'Shop' }) },
  }),
  step('a webhook endpoint that is no address', createWebhookEndpoint, () => ({ url: 'ftp://shop.example/' }), {
    error: { code: 'invalid_webhook_url', field: 'url' },
  }),
  step('webhook endpoints', listWebhookEndpoints, () => ({}), {
    answers: { webhook_endpoints: [expect.objectContaining({ description: 'e2e', secret: '' })] },
  }),
];

async function tell(name: keyof typeof doors, number: number): Promise<Map<string, Comparable>> {
  const door = doors[name];
  if (!door) throw new Error(name);
  const told: Story = { to: `+21366${1_000_000 + number}`, id: '', otherId: '' };
  const outcomes = new Map<string, Comparable>();
  for (const each of story) {
    const key = keys[each.key ?? 'test'];
    const headers = {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(each.idempotencyKey ? { 'idempotency-key': `${each.idempotencyKey} ${name}` } : {}),
    };
    const call = () => door.call(each.method, create(each.method.input, each.input(told)), headers);
    const wanted = each.until && expect.objectContaining(each.until);
    const outcome = await until(
      async () => {
        const answer = await call();
        return (!wanted || (answer.kind === 'ok' && wanted.asymmetricMatch(answer.json))) && answer;
      },
      { what: each.name },
    );
    if (outcome.kind === 'ok') each.keep?.(outcome.json as { id: string }, told);
    outcomes.set(each.name, comparable(outcome, told));
  }
  return outcomes;
}

type Comparable = Record<string, unknown>;

/**
 * Without what no two sessions share, the status of gRPC, which REST does not have, and when a key was used, which is stored some time
 * later; what is absent is null.
 */
function comparable(outcome: Outcome, { to }: Story): Comparable {
  const all = { field: null, retryAfter: null, ...outcome, grpcCode: null };
  const text = JSON.stringify(all, (_, value: unknown) => value ?? null)
    .replaceAll(to, '<to>')
    .replace(/,"last_used_at":"[^"]+"/g, '')
    .replace(/"retryAfter":\d+/g, '"retryAfter":1')
    .replace(/\b(?:whsec_[A-Za-z0-9+/=]+|ramz_(?:live|test)_[\w…]+)/g, '<secret>')
    .replace(/\b([a-z]{3,4})_[0-9a-z]{26}\b/g, '<$1>')
    .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>')
    .replace(/date:\d+/g, 'date:<time>')
    .replace(/"next_page_token":"[^"]+"/g, '"next_page_token":"<token>"');
  return JSON.parse(text);
}

const told = new Map(
  await Promise.all(
    Object.keys(doors).map(async (name, number) => [name, await tell(name as keyof typeof doors, number)] as const),
  ),
);

test.each(story)('$name', ({ name, answers, error, replayed = false }) => {
  const rest = told.get('rest')?.get(name);
  if (error) expect(rest).toMatchObject({ kind: 'error', field: null, retryAfter: null, ...error });
  else expect(rest).toMatchObject({ kind: 'ok', json: answers ?? {}, replayed });
  expect(rest?.requestId).toBe('<req>');
  for (const door of others) expect(told.get(door)?.get(name), `over ${door}`).toEqual(rest);
});
