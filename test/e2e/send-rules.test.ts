// Rules against abuse as a client meets them, over two processes: a setting changed at one holds at the other within a second.
import { expect, test } from 'vitest';
import { testService } from '../support/service.ts';
import { type Client, serviceClient } from '../support/service-client.ts';
import { until } from '../support/wait.ts';
import { windowsThatLast } from '../support/windows.ts';

const service = await testService({ config: { verify: { resend_interval_seconds: 0 } } });
const here = await service.startHere();
const there = await service.startHere();
const admin = serviceClient(here.http, service.adminToken);

let numbers = 0;
/** Of the operator atlas, and of the other one. */
const atlas = () => next('+213551');
const borealis = () => next('+213661');
function next(prefix: string): string {
  numbers += 1;
  return `${prefix}${String(numbers).padStart(6, '0')}`;
}

async function newAccount() {
  const made = await admin.call<{ account: { id: string }; live_key: { key: string }; test_key: { key: string } }>(
    'POST',
    '/v1/accounts',
    { name: 'My Shop' },
  );
  const { account, live_key, test_key } = made.body;
  return {
    id: account.id,
    here: serviceClient(here.http, live_key.key),
    there: serviceClient(there.http, live_key.key),
    test: serviceClient(there.http, test_key.key),
  };
}

const refused = (rule: string, reason: string) => ({
  status: 403,
  body: { error: { code: 'destination_not_allowed', field: 'to', rule, reason } },
});

test('prefixes that an account allows hold in another process, for its mode alone, until they are taken back', async () => {
  const account = await newAccount();
  expect(await account.there.call('POST', '/v1/verify/send', { to: borealis() })).toMatchObject({ status: 200 });
  const allowed_prefixes = ['+21355', '+2135512'];
  expect(await account.here.call('PATCH', '/v1/account', { allowed_prefixes })).toMatchObject({
    status: 200,
    body: { allowed_prefixes },
  });
  const answer = await until(
    async () => {
      const sent = await account.there.call('POST', '/v1/verify/send', { to: borealis() });
      return sent.status !== 200 && sent;
    },
    { what: 'the refusal at the other process' },
  );
  expect(answer).toMatchObject(refused('allowed_prefixes', 'allowed_prefixes'));
  expect(await account.there.call('POST', '/v1/verify/send', { to: atlas() })).toMatchObject({ status: 200 });
  expect(await account.test.call('POST', '/v1/verify/send', { to: borealis() })).toMatchObject({ status: 200 });
  await account.here.call('PATCH', '/v1/account', { name: 'Other' });
  expect(await account.here.call('GET', '/v1/account')).toMatchObject({ body: { allowed_prefixes } });
  await account.here.call('PATCH', '/v1/account', { allowed_prefixes: [] });
  await until(async () => (await account.there.call('POST', '/v1/verify/send', { to: borealis() })).status === 200, {
    what: 'the send that is allowed again',
  });
});

test('a rule that is only watched lets the send pass and notes it, at the opening and at a resend', async () => {
  const account = await newAccount();
  await account.here.call('PATCH', '/v1/account', { allowed_prefixes: ['+21366'] });
  await service.database.db
    .updateTable('account')
    .set({ limits: JSON.stringify({ rules: { allowed_prefixes: 'monitor' } }) })
    .where('id', '=', account.id)
    .execute();
  await account.here.call('PATCH', '/v1/account', { name: 'Watched' });
  const to = atlas();
  const sent = await account.here.call<{ id: string }>('POST', '/v1/verify/send', { to });
  expect(sent.status).toBe(200);
  const notes = async () => {
    const { body } = await account.there.call<{
      timeline: { kind: string; run: number; rule: string; reason: string }[];
    }>('GET', `/v1/verify/sessions/${sent.body.id}`);
    return body.timeline
      .filter(({ kind }) => kind === 'fraud_guard')
      .map(({ run, rule, reason }) => [run, rule, reason]);
  };
  expect(await notes()).toEqual([[1, 'allowed_prefixes', 'allowed_prefixes']]);
  await until(async () => (await account.there.call('POST', '/v1/verify/send', { to })).status === 200, {
    what: 'the resend at the other process',
  });
  expect(await notes()).toEqual([
    [1, 'allowed_prefixes', 'allowed_prefixes'],
    [2, 'allowed_prefixes', 'allowed_prefixes'],
  ]);
});

test("the addresses of a key follow the mode of the account's rule, within a second", async () => {
  const account = await newAccount();
  const key = await newKey(account.here, { restrictions: { addresses: ['192.0.2.0/24'] } });
  const setMode = async (mode: string) => {
    await service.database.db
      .updateTable('account')
      .set({ limits: JSON.stringify({ rules: { key_restriction: mode } }) })
      .where('id', '=', account.id)
      .execute();
    await account.here.call('PATCH', '/v1/account', { name: mode });
  };
  const until200 = (status: number) =>
    until(async () => (await key.there.call('GET', '/v1/account')).status === status, { what: `the answer ${status}` });
  const notes = async () => {
    const sent = await key.there.call<{ id: string }>('POST', '/v1/verify/send', { to: atlas() });
    expect(sent.status).toBe(200);
    const { body } = await account.here.call<{ timeline: { kind: string; rule: string; reason: string }[] }>(
      'GET',
      `/v1/verify/sessions/${sent.body.id}`,
    );
    return body.timeline.filter(({ kind }) => kind === 'fraud_guard').map(({ rule, reason }) => `${rule} ${reason}`);
  };
  expect(await key.there.call('GET', '/v1/account')).toMatchObject({ status: 403 });
  await setMode('monitor');
  await until200(200);
  expect(await notes()).toEqual(['key_restriction address']);
  const dry = await key.there.call('POST', '/v1/limits/dry_run', { to: atlas() });
  expect(dry).toMatchObject({ body: { allowed: true } });
  await setMode('off');
  await until(async () => (await notes()).length === 0, { what: 'the mode off' });
  await setMode('enforce');
  await until200(403);
});

interface Restrictions {
  addresses: string[];
  prefixes: string[];
  sends_per_day?: number;
}

async function newKey(client: Client, body: object) {
  const made = await client.call<{ id: string; key: string; restrictions?: Restrictions }>('POST', '/v1/api_keys', {
    name: 'restricted',
    ...body,
  });
  expect(made.status).toBe(200);
  const { key, id, restrictions } = made.body;
  return { id, restrictions, here: serviceClient(here.http, key), there: serviceClient(there.http, key) };
}

test('a key sends to its prefixes, so many times a day over all processes, its children included', async () => {
  const account = await newAccount();
  await windowsThatLast();
  const restrictions = { addresses: [], prefixes: ['+21355'], sends_per_day: 6 };
  const key = await newKey(account.here, { restrictions });
  expect(key.restrictions).toEqual(restrictions);
  expect(await key.here.call('POST', '/v1/verify/send', { to: borealis() })).toMatchObject({
    status: 403,
    body: { error: { code: 'key_restricted', field: 'to', rule: 'key_restriction', reason: 'prefix' } },
  });
  const child = await newKey(key.here, { restrictions: { sends_per_day: 4 } });
  expect(child.restrictions).toEqual({ ...restrictions, sends_per_day: 4 });
  const clients = [key.here, key.there, child.here, child.there];
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, n) => clients[n % 4]?.call('POST', '/v1/verify/send', { to: atlas() })),
  );
  expect(answers.filter((answer) => answer?.status === 200)).toHaveLength(6);
  expect(answers.find((answer) => answer?.status !== 200)).toMatchObject({
    status: 429,
    body: { error: { code: 'rate_limited', rule: 'key_restriction', reason: 'sends_per_day' } },
  });
  // Another key of the account goes on.
  expect(await account.here.call('POST', '/v1/verify/send', { to: borealis() })).toMatchObject({ status: 200 });
});

test('a key works from its addresses only, at every method, and makes no key that works elsewhere', async () => {
  const account = await newAccount();
  const elsewhere = await newKey(account.here, { restrictions: { addresses: ['192.0.2.0/24'] } });
  const refusal = {
    status: 403,
    body: { error: { code: 'key_restricted', rule: 'key_restriction', reason: 'address' } },
  };
  expect(await elsewhere.here.call('GET', '/v1/account')).toMatchObject(refusal);
  expect(await elsewhere.there.call('POST', '/v1/verify/send', { to: atlas() })).toMatchObject(refusal);
  const local = await newKey(account.here, { restrictions: { addresses: ['127.0.0.0/8', '::1'] } });
  expect(await local.here.call('GET', '/v1/account')).toMatchObject({ status: 200 });
  const wider = { name: 'x', restrictions: { addresses: ['0.0.0.0/0'] } };
  expect(await local.here.call('POST', '/v1/api_keys', wider)).toMatchObject({
    status: 403,
    body: { error: { code: 'restrictions_too_wide', field: 'restrictions.addresses' } },
  });
  expect(
    await local.here.call('POST', '/v1/api_keys', { name: 'x', restrictions: { addresses: ['10.0.0.0/33'] } }),
  ).toMatchObject({ status: 400, body: { error: { code: 'invalid_argument', field: 'restrictions.addresses[0]' } } });
  const listed = await account.here.call<{ api_keys: { id: string; restrictions?: Restrictions }[] }>(
    'GET',
    '/v1/api_keys',
  );
  const of = (id: string) => listed.body.api_keys.find((each) => each.id === id)?.restrictions?.addresses;
  expect(of(elsewhere.id)).toEqual(['192.0.2.0/24']);
  expect(listed.body.api_keys.filter(({ restrictions }) => restrictions === undefined)).toHaveLength(2);
});
