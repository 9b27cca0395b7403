// A stranger at a service where anyone may register: how many accounts, how many calls, and what it is told.
import { expect, test } from 'vitest';
import { testService } from '../../support/service.ts';

test('a stranger fills neither the accounts nor, with one of them, the database', async () => {
  const limits = { waiting_accounts: 3, registrations_per_address_per_hour: 5, waiting_account_calls_per_hour: 7 };
  const service = await testService({ config: { limits }, errorsExpected: true });
  Object.assign(service.env, { RAMZ_OPEN_REGISTRATION: 'true' });
  const { http, log } = await service.startHere();
  const register = () =>
    fetch(`${http}/v1/accounts`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'Anyone' }),
    });
  const answers = await Promise.all(Array.from({ length: 10 }, register));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(3).fill(200), ...Array(7).fill(429)]);
  const waits = answers.flatMap(({ headers }) => headers.get('retry-after') ?? []);
  // Two were refused because too many accounts wait, five because the address had had its five.
  expect(waits.filter((seconds) => seconds === '3600')).toHaveLength(2);
  expect(waits.filter((seconds) => Number(seconds) <= 720)).toHaveLength(5);
  expect(log().match(/no account can be registered/g)).toHaveLength(1);

  const made = (await answers.find(({ status }) => status === 200)?.json()) as { test_key: { key: string } };
  const call = () => fetch(`${http}/v1/account`, { headers: { Authorization: `Bearer ${made.test_key.key}` } });
  const calls = await Promise.all(Array.from({ length: 10 }, call));
  expect(calls.filter(({ status }) => status === 200)).toHaveLength(7);
  const refused = calls.find(({ status }) => status === 429);
  expect(await refused?.json()).toMatchObject({ error: { code: 'rate_limited' } });
});
