// Rules against abuse as a client meets them, over two processes: a setting changed at one holds at the other within a second.
import { expect, test } from 'vitest';
import { testService } from '../support/service.ts';
import { serviceClient } from '../support/service-client.ts';
import { until } from '../support/wait.ts';

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
