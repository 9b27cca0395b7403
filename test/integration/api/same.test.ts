// One table: the same calls through REST, Connect, gRPC-web and native gRPC give the same answers and the same errors.

import { create, type DescMethodUnary, type Message, type MessageInitShape } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../../../src/api/server.ts';
import { AccountService } from '../../../src/gen/ramz/v1/account_pb.ts';
import { SenderIdService } from '../../../src/gen/ramz/v1/sender_pb.ts';
import { VerifyService } from '../../../src/gen/ramz/v1/verify_pb.ts';
import { autofillOf, checkOf } from '../../support/checks.ts';
import { type Caller, callers } from '../../support/doors.ts';
import { newSeen, startFake } from './fake.ts';

interface Row {
  name: string;
  method: DescMethodUnary;
  input: Message;
  key?: string | null;
  headers?: Record<string, string>;
  /** Members of the answer that must be so. */
  answers?: object;
  error?: { code: string; grpc: Code; field?: string; says?: RegExp };
}

const row = <M extends DescMethodUnary>(
  name: string,
  method: M,
  input: MessageInitShape<M['input']>,
  rest: Omit<Row, 'name' | 'method' | 'input'>,
): Row => ({ name, method, input: create(method.input, input), ...rest });

const { send, check, getSession, listSessions, cancelSession } = VerifyService.method;
const { createAccount, updateAccount, getMeasures } = AccountService.method;
const { decideSenderId } = SenderIdService.method;
const invalid = (field: string, says?: RegExp) => ({
  error: { code: 'invalid_argument', grpc: Code.InvalidArgument, field, ...(says ? { says } : {}) },
});
const unauthenticated = (code: string) => ({ error: { code, grpc: Code.Unauthenticated } });

const table: Row[] = [
  row(
    'send',
    send,
    { to: '+213550000001', purpose: 'login' },
    {
      answers: {
        id: 'vrf_1',
        status: 'pending',
        to: '+213550000001',
        purpose: 'login',
        test: false,
        created_at: '2026-03-01T10:15:30Z',
      },
    },
  ),
  row(
    'send with a cascade',
    send,
    { to: '+213550000001', cascade: [{ channel: 'sms', timeoutSeconds: 20 }, { channel: 'voice' }] },
    {
      answers: { cascade: [{ channel: 'sms', timeout_seconds: 20 }, { channel: 'voice' }] },
    },
  ),
  row('a wrong code is an answer', check, checkOf({ id: 'vrf_1', code: '000000' }), {
    answers: { valid: false, reason: 'incorrect_code', attempts_remaining: 4 },
  }),
  row(
    'get',
    getSession,
    { id: 'vrf_1' },
    { answers: { session: expect.objectContaining({ id: 'vrf_1', test: false }) } },
  ),
  row(
    'an id with odd characters',
    getSession,
    { id: 'a/b c%é' },
    { answers: { session: expect.objectContaining({ id: 'a/b c%é' }) } },
  ),
  row(
    'list with filters',
    listSessions,
    { pageSize: 5, status: 'pending', createdAfter: { seconds: 1772359200n, nanos: 0 } },
    {
      answers: {
        sessions: [expect.objectContaining({ id: 'size=5 status=pending after=1772359200' })],
        next_page_token: '',
      },
    },
  ),
  row(
    'cancel',
    cancelSession,
    { id: 'vrf_1' },
    { answers: { session: expect.objectContaining({ status: 'canceled' }) } },
  ),
  row(
    'an optional field given empty is given',
    updateAccount,
    { defaultSenderId: '' },
    {
      answers: { account: expect.objectContaining({ name: '(same)', default_sender_id: '' }) },
    },
  ),
  row(
    'what is given changes',
    updateAccount,
    { name: 'Shop', cascade: [{ channel: 'sms' }] },
    {
      answers: { account: expect.objectContaining({ id: 'name cascade', name: 'Shop', default_sender_id: '(same)' }) },
    },
  ),
  row(
    'an empty list in the mask changes, what is not in it does not',
    updateAccount,
    { name: 'Shop', updateMask: { paths: ['cascade'] } },
    { answers: { account: expect.objectContaining({ id: 'cascade', name: '(same)', cascade: [] }) } },
  ),
  row(
    'required',
    send,
    {},
    { error: { code: 'invalid_phone_number', grpc: Code.InvalidArgument, field: 'to', says: /required/ } },
  ),
  row('one of a set', send, { to: '+1', channel: 'pigeon' }, invalid('channel', /must be sms, whatsapp or voice/)),
  row('range', send, { to: '+1', codeLength: 11 }, invalid('code_length', /4 to 10/)),
  row('explicit zero is not the default', send, { to: '+1', ttlSeconds: 0 }, invalid('ttl_seconds')),
  row('length', send, { to: '+1', purpose: 'x'.repeat(33) }, invalid('purpose', /at most 32/)),
  row('pattern', send, { to: '+1', senderId: 'Schön' }, invalid('sender_id', /letters, digits/)),
  row(
    'inside a list',
    send,
    { to: '+1', cascade: [{ channel: 'sms' }, { channel: 'voice', timeoutSeconds: 901 }] },
    invalid('cascade[1].timeout_seconds'),
  ),
  row(
    'inside a message',
    send,
    { to: '+1', autofill: autofillOf({ androidAppHash: 'short' }) },
    invalid('autofill.android_app_hash'),
  ),
  row(
    'too many items',
    send,
    { to: '+1', cascade: Array(4).fill({ channel: 'sms' }) },
    invalid('cascade', /at most 3/),
  ),
  row('exactly one: none', check, { code: '123456' }, invalid('id', /exactly one of id or to/)),
  row('NUL', send, { to: '+1', clientReference: 'a\0b' }, invalid('client_reference')),
  row('page size', listSessions, { pageSize: 101 }, invalid('page_size')),
  row('not found', check, checkOf({ id: 'vrf_none', code: '123456' }), {
    error: { code: 'session_not_found', grpc: Code.NotFound, field: 'id' },
  }),
  row('too soon', send, { to: '+429' }, { error: { code: 'resend_too_soon', grpc: Code.ResourceExhausted } }),
  row(
    'a bug tells nothing',
    send,
    { to: '+500' },
    { error: { code: 'internal', grpc: Code.Internal, says: /^internal error$/ } },
  ),
  row('deadline', send, { to: '+504' }, { error: { code: 'deadline_exceeded', grpc: Code.DeadlineExceeded } }),
  row(
    'too large',
    send,
    { to: 'x'.repeat(70_000) },
    { error: { code: 'request_too_large', grpc: Code.ResourceExhausted, says: /is larger than 655\d\d bytes/ } },
  ),
  row('no handler', getMeasures, {}, { error: { code: 'unimplemented', grpc: Code.Unimplemented } }),
  row('no key', send, { to: '+1' }, { key: null, ...unauthenticated('missing_api_key') }),
  row('unknown key', send, { to: '+1' }, { key: 'Bearer nobody', ...unauthenticated('invalid_api_key') }),
  row('malformed key', send, { to: '+1' }, { key: 'Bearer garbled', ...unauthenticated('invalid_api_key') }),
  row('another scheme', send, { to: '+1' }, { key: 'Basic YWxsOg==', ...unauthenticated('invalid_api_key') }),
  row('revoked key', send, { to: '+1' }, { key: 'Bearer gone', ...unauthenticated('revoked_api_key') }),
  row('expired key', send, { to: '+1' }, { key: 'Bearer old', ...unauthenticated('expired_api_key') }),
  row('scheme in lower case', check, checkOf({ id: 'vrf_1', code: '1' }), {
    key: 'bearer all',
    answers: { valid: false },
  }),
  row(
    'scope',
    send,
    { to: '+1' },
    { key: 'Bearer reader', error: { code: 'missing_scope', grpc: Code.PermissionDenied } },
  ),
  row(
    'who may not is not told what is wrong',
    send,
    {},
    { key: 'Bearer reader', error: { code: 'missing_scope', grpc: Code.PermissionDenied } },
  ),
  row(
    'a key is no admin token',
    decideSenderId,
    { id: 'snd_1', operator: 'a', status: 'approved' },
    unauthenticated('invalid_admin_token'),
  ),
  row(
    'admin',
    decideSenderId,
    { id: 'snd_1', operator: 'a', status: 'approved' },
    { key: 'Bearer admin', answers: { sender_id: expect.objectContaining({ id: 'snd_1' }) } },
  ),
  row(
    'registration is closed',
    createAccount,
    { name: 'Shop' },
    { key: null, error: { code: 'registration_closed', grpc: Code.PermissionDenied } },
  ),
  row(
    'registration by the admin',
    createAccount,
    { name: 'Shop' },
    { key: 'Bearer admin', answers: { account: expect.objectContaining({ name: 'Shop' }) } },
  ),
  row(
    'idempotency key too long',
    send,
    { to: '+1' },
    {
      headers: { 'idempotency-key': 'k'.repeat(257) },
      error: { code: 'invalid_idempotency_key', grpc: Code.InvalidArgument },
    },
  ),
];

const seen = newSeen();
let api: Api;
let doors: Caller[];

beforeAll(async () => {
  api = await startFake(seen, { deadlines: { defaultMs: 100 } });
  doors = callers(api);
});
afterAll(async () => {
  for (const door of doors) door.close();
  await api.close(1_000);
});

describe.each(table)('$name', ({ method, input, key = 'Bearer all', headers = {}, answers, error }) => {
  test.each(['rest', 'connect', 'grpc-web', 'grpc'] as const)('%s', async (name) => {
    const door = doors.find((each) => each.door === name) as Caller;
    const sent = { ...headers, ...(key === null ? {} : { authorization: key }) };
    const outcome = await door.call(method, input, sent);
    if (error) {
      expect(outcome).toMatchObject({ kind: 'error', code: error.code });
      if (outcome.kind !== 'error') return;
      expect(outcome.field).toBe(error.field);
      if (name !== 'rest') expect(outcome.grpcCode).toBe(error.grpc);
      if (error.says) expect(outcome.message).toMatch(error.says);
    } else {
      expect(outcome).toMatchObject({ kind: 'ok' });
      expect(outcome.kind === 'ok' && outcome.json).toEqual(expect.objectContaining(answers));
    }
    expect(outcome.requestId).toMatch(/^req_[0-9a-z]{26}$/);
  });
});

test.each([
  ['connect', 'connect-timeout-ms', '2592000000'],
  ['connect', 'connect-timeout-ms', '9999999999'],
  ['grpc-web', 'grpc-timeout', '2592000S'],
  ['grpc-web', 'grpc-timeout', '99999999H'],
  ['grpc', 'grpc-timeout', '2592000S'],
  ['grpc', 'grpc-timeout', '99999999H'],
])('%s: a deadline that no timer can keep, %s: %s, leaves the call its time', async (name, header, value) => {
  const door = doors.find((each) => each.door === name) as Caller;
  const headers = { authorization: 'Bearer all', [header]: value };
  expect(await door.call(send, create(send.input, { to: '+slow' }), headers)).toMatchObject({ kind: 'ok' });
});

// Over REST the keys of the body are the mask, and in JSON a mask has no such path.
test.each(['grpc-web', 'grpc'])(
  '%s: the name of a field to change is cut, and a half of a character with it',
  async (name) => {
    const door = doors.find((each) => each.door === name) as Caller;
    const input = create(updateAccount.input, { updateMask: { paths: [`${'x'.repeat(59)}😀y`] } });
    expect(await door.call(updateAccount, input, { authorization: 'Bearer all' })).toMatchObject({
      code: 'unknown_field',
      field: 'update_mask',
      message: `update_mask: there is no field ${'x'.repeat(59)}\ufffd… to change`,
    });
  },
);

test('the idempotency key reaches the handler through every door', async () => {
  seen.idempotencyKeys.length = 0;
  for (const door of doors) {
    await door.call(send, create(send.input, { to: '+1' }), {
      authorization: 'Bearer all',
      'idempotency-key': door.door,
    });
  }
  expect(seen.idempotencyKeys).toEqual(['rest', 'connect', 'grpc-web', 'grpc']);
});

test('every call is reported once, by method, door and code', async () => {
  seen.reports.length = 0;
  for (const door of doors) {
    await door.call(send, create(send.input, { to: '+1' }), { authorization: 'Bearer all' });
    await door.call(send, create(send.input, {}), { authorization: 'Bearer all' });
  }
  const told = seen.reports.map(({ method, door, code }) => `${method} ${door} ${code}`);
  expect(told).toEqual(
    ['rest', 'connect', 'grpc-web', 'grpc'].flatMap((door) => [
      `ramz.v1.VerifyService/Send ${door} ok`,
      `ramz.v1.VerifyService/Send ${door} invalid_phone_number`,
    ]),
  );
});

test('every call has a line of the log: when it came, from where, by whose key, for what, and how it ended', async () => {
  seen.lines.length = 0;
  for (const door of doors) {
    await door.call(send, create(send.input, { to: '+1' }), { authorization: 'Bearer all' });
    await door.call(send, create(send.input, { to: '+1' }), { authorization: 'Bearer reader' });
  }
  expect(seen.lines).toEqual(
    ['rest', 'connect', 'grpc-web', 'grpc'].flatMap((door) =>
      ['ok', 'missing_scope'].map((code) => ({
        request_id: expect.stringMatching(/^req_/),
        method: 'ramz.v1.VerifyService/Send',
        door,
        client: '127.0.0.1',
        code,
        ms: expect.any(Number),
        account_id: 'acct_1',
        key_id: 'key_1',
      })),
    ),
  );
});

test('the cause of an internal error is logged with the request id, and nowhere else', async () => {
  seen.errors.length = 0;
  const [rest] = doors as [Caller];
  const outcome = await rest.call(send, create(send.input, { to: '+500' }), { authorization: 'Bearer all' });
  expect(JSON.stringify(outcome)).not.toContain('hunter2');
  expect(seen.errors).toHaveLength(1);
  expect(seen.errors[0]?.fields).toMatchObject({ request_id: outcome.requestId, err: new Error('password=hunter2') });
});
