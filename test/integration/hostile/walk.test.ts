// A walk along the doors with odd requests: keys where none are looked for, other spellings of paths, other verbs, odd filters, masks and numbers.
// Each is refused or means what it says, and none is an error of ours.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { httpRule, methodRules } from '../../../src/api/waist/method-options.ts';
import { allMethods, shortName } from '../../support/methods.ts';
import { testService } from '../../support/service.ts';
import { serviceClient } from '../../support/service-client.ts';
import { validInput } from '../guard/refusals/violations.ts';

const service = await testService();
const { liveKey, testKey, adminToken } = service;
service.configure({ messaging: service.sandbox.messaging, limits: { authentication_failures_per_minute: 100_000 } });
const { http } = await service.startHere();

interface Asked extends RequestInit {
  token?: string;
}
async function ask(path: string, { token, headers, ...init }: Asked = {}) {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`${http}${path}`, { ...init, headers: { ...authorization, ...headers } });
  const text = await response.text();
  return { status: response.status, text, allow: response.headers.get('allow') };
}
const json = { 'content-type': 'application/json' };

test.each([
  ['the query', `/v1/account?access_token=${liveKey}`, {}],
  ['the query, as a header', `/v1/account?authorization=Bearer%20${liveKey}`, {}],
  ['a cookie', '/v1/account', { cookie: `authorization=Bearer ${liveKey}` }],
  ['X-API-Key', '/v1/account', { 'x-api-key': liveKey }],
  ['Proxy-Authorization', '/v1/account', { 'proxy-authorization': `Bearer ${liveKey}` }],
  ['two words', '/v1/account', { authorization: `Bearer ${liveKey}, Bearer ${liveKey}` }],
  ['a tab', '/v1/account', { authorization: `Bearer\t${liveKey}` }],
])('a key in %s is none', async (_, path, headers: Record<string, string>) => {
  const { status, text } = await ask(path, { headers });
  expect([400, 401]).toContain(status);
  expect(text).not.toContain(liveKey);
});

test.each([
  '//v1/admin/accounts',
  '/v1/%61dmin/accounts',
  '/V1/admin/accounts',
  '/v1/admin/accounts/',
  '/v1/admin/accounts;x',
  '/v1/account%2F..%2Fadmin%2Faccounts',
])('%s is no other way to a method', async (path) => {
  for (const token of [testKey, adminToken]) expect((await ask(path, { token })).status).toBe(404);
});

const routes = (await allMethods()).flatMap((method) => {
  const rule = httpRule(method);
  if (!rule?.pattern.case) return [];
  const example = validInput(method.input);
  const path = String(rule.pattern.value).replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(example[name])),
  );
  return [[shortName(method), method, path, rule.pattern.case.toUpperCase()] as const];
});

test.each(routes)('%s by another verb', async (_, method, path, verb) => {
  const options = await ask(path, { method: 'OPTIONS' });
  expect(options).toMatchObject({ status: 204, text: '', allow: expect.stringContaining(verb) });
  expect((await ask(path, { method: 'PROPFIND', token: testKey })).status).toBe(405);
  const override = { ...json, 'x-http-method-override': verb };
  if (verb !== 'PUT') expect((await ask(path, { method: 'PUT', token: testKey, headers: override })).status).toBe(405);
  const head = await ask(path, { method: 'HEAD' });
  expect(head.text).toBe('');
  if (methodRules(method).access !== 'public') expect([401, 403, 405]).toContain(head.status);
});

const filters: [query: string, status: number][] = [
  ['action=%00', 400],
  ['action=%ff', 200],
  ['actor_id=%27%20or%201%3D1--', 200],
  ['target=%25', 200],
  [`action=${'x'.repeat(65)}`, 400],
  ['action=a&action=b', 400],
  ['created_after=9999-12-31T23:59:59Z', 200],
  ['created_before=0001-01-01T00:00:00Z', 200],
  ['created_after=2026-12-01T00:00:00Z&created_before=2026-01-01T00:00:00Z', 200],
  ['created_after=2026-02-30T00:00:00Z', 400],
  ['created_after=', 400],
  ['created_after.seconds=1', 400],
  ['page_size=0', 400],
  ['page_size=1e1', 400],
  ['page_token=%F0%9F%98%80', 400],
];
test.each(filters)('audit events with %s', async (query, status) => {
  for (const [path, token] of [
    ['/v1/audit_events', liveKey],
    ['/v1/admin/audit_events', adminToken],
  ] as const) {
    const answer = await ask(`${path}?${query}`, { token });
    expect(answer.status).toBe(status);
    if (status === 200) expect(JSON.parse(answer.text)).toEqual({ audit_events: [], next_page_token: '' });
  }
});

test('an account does not ask for the events of another', async () => {
  expect(await ask('/v1/audit_events?account_id=acct_1', { token: liveKey })).toMatchObject({ status: 400 });
});

test.each(['%25', '%5C', '_', '%27', '%ED%A0%80'])(
  'accounts whose name has %s: none, as it is text',
  async (search) => {
    const { status, text } = await ask(`/v1/admin/accounts?search=${search}`, { token: adminToken });
    expect([status, JSON.parse(text)]).toEqual([200, { accounts: [], next_page_token: '' }]);
  },
);

test.each([
  ['every field, again and again', 'name,'.repeat(12_000)],
  ['a path that is deep', `${'a.'.repeat(30_000)}a`],
  ['nothing, again and again', ','.repeat(60_000)],
  ['what is no field', 'constructor'],
  ['the prototype', '__proto__'],
  ['the mask itself', 'updateMask'],
])('a mask of %s is refused, and soon', async (_, updateMask) => {
  const before = (await ask('/v1/account', { token: liveKey })).text;
  const body = JSON.stringify({ updateMask });
  const { status } = await ask('/ramz.v1.AccountService/UpdateAccount', {
    method: 'POST',
    token: liveKey,
    headers: json,
    body,
  });
  expect(status).toBe(400);
  expect((await ask('/v1/account', { token: liveKey })).text).toBe(before);
});

test.each(['0550000001', '*', '+213*', '%2B21355000000a', '%2B213550000001%00', '..%2F..%2Faccount'])(
  'the number %s is not erased',
  async (number) => {
    expect((await ask(`/v1/numbers/${number}`, { method: 'DELETE', token: testKey })).status).toBe(400);
  },
);

test('a number that is valid no longer is erased where it is stored, and refused where it is a slip', async () => {
  const send = serviceClient(http, testKey);
  const { id } = await send.send('+213550000003');
  expect((await send.call('POST', `/v1/verify/sessions/${id}/cancel`)).status).toBe(200);
  // Before Benin gave its numbers two digits more.
  const former = '+22997123456';
  await sql`update verify_session set number = ${former} where id = ${id}`.execute(service.database.db);
  const erase = () => ask(`/v1/numbers/${former}`, { method: 'DELETE', token: testKey });
  const { status, text } = await erase();
  expect([status, JSON.parse(text)]).toMatchObject([200, { sessions: 1, complete: true }]);
  const again = await erase();
  expect([again.status, JSON.parse(again.text)]).toMatchObject([400, { error: { code: 'invalid_phone_number' } }]);
});

test('a slip in the number to erase leaves no row in the audit log', async () => {
  const events = async () =>
    (await sql`select id from audit_event where action = 'erase_number'`.execute(service.database.db)).rows.length;
  const before = await events();
  const slip = '+2135501234567';
  const calls: [path: string, Asked][] = [
    [`/v1/numbers/${slip}`, { method: 'DELETE', token: testKey }],
    [`/v1/admin/numbers/${slip}/erase`, { method: 'POST', token: adminToken }],
  ];
  for (const [path, init] of calls) {
    const { status, text } = await ask(path, init);
    expect([status, JSON.parse(text)]).toMatchObject([400, { error: { code: 'invalid_phone_number' } }]);
  }
  expect(await events()).toBe(before);
});

test('the number to erase is the one of the path', async () => {
  const twice = await ask('/v1/numbers/+213550000001?to=%2B213550000002', { method: 'DELETE', token: testKey });
  expect(twice.status).toBe(400);
  const to = '+213550000002';
  const send = serviceClient(http, testKey);
  const { id } = await send.send(to);
  const body = JSON.stringify({ to });
  const other = await ask('/v1/numbers/+213550000001', { method: 'DELETE', token: testKey, headers: json, body });
  expect(other.status).toBe(400);
  expect((await send.session(id)).to).toBe(to);
});
