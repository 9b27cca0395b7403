// What a live send may name for autofill, on running processes: nothing until it is registered and the operator of the
// service has approved it in the terminal; with a test key everything.
import { expect, test } from 'vitest';
import { startScript } from '../support/process.ts';
import { testService } from '../support/service.ts';
import type { ErrorBody, Sent } from '../support/service-client.ts';
import { until } from '../support/wait.ts';

const service = await testService();
const one = await service.startHere();
const two = await service.startProcess();
const { sandbox } = service;

let last = 0;
const newNumber = () => `+2135540${String(++last).padStart(5, '0')}`;

async function send(client: typeof one.live, autofill: object) {
  const to = newNumber();
  const { status, body } = await client.call<Partial<Sent & ErrorBody>>('POST', '/v1/verify/send', { to, autofill });
  return { to, status, code: body.error?.code, field: body.error?.field, message: body.error?.message };
}

async function account(...words: string[]): Promise<string> {
  const started = startScript('src/main.ts', { args: ['account', ...words], env: service.env });
  expect(await started.exit()).toMatchObject({ code: 0 });
  return started.output();
}

/** Resolves once it is so at both processes. */
const holds = (autofill: object, expected: number) =>
  until(
    async () => {
      const answers = await Promise.all([one.live, two.live].map((client) => send(client, autofill)));
      if (answers.some(({ status }) => status !== expected)) throw new Error(JSON.stringify(answers));
      return answers;
    },
    { what: `${expected} everywhere`, everyMs: 100 },
  );

const web = { web_origin: 'https://Shop.example' };
const app = { android_app_hash: 'FA+9qCX9VSu' };
const refusal = (field: string) => ({ status: 400, code: 'autofill_not_registered', field: `autofill.${field}` });

test('registered, approved, used, taken back', async () => {
  expect(await send(one.live, web)).toMatchObject({
    ...refusal('web_origin'),
    message: expect.stringMatching(/not registered/),
  });
  expect(await send(two.live, app)).toMatchObject(refusal('android_app_hash'));

  const autofill = {
    web_origins: ['shop.example'],
    android_apps: [{ package_name: 'com.example.shop', app_hash: 'FA+9qCX9VSu' }],
  };
  const changed = await one.live.call<{ autofill: object }>('PATCH', '/v1/account', { autofill });
  expect(changed.body.autofill).toEqual({
    web_origins: ['https://shop.example'],
    android_apps: autofill.android_apps,
    states: [
      { value: 'https://shop.example', status: 'pending' },
      { value: 'FA+9qCX9VSu', status: 'pending' },
    ],
  });
  expect(await send(one.live, web)).toMatchObject({
    ...refusal('web_origin'),
    message: expect.stringMatching(/approval/),
  });

  expect(await account('autofill', 'list')).toContain('https://shop.example  pending');
  await account('autofill', 'approve', service.accountId, 'https://shop.example');
  const [sent] = await holds(web, 200);
  expect(await send(one.live, app)).toMatchObject(refusal('android_app_hash'));
  const text = await until(() => sandbox.smsTo(sent?.to ?? '')[0]?.text, { what: 'the SMS' });
  expect(text).toMatch(/\n@shop\.example #\d{6}$/);

  await account('autofill', 'revoke', service.accountId, 'shop.example');
  await holds(web, 400);
});

test('a test key names what it likes', async () => {
  expect(await send(one.test, { web_origin: 'anything.example' })).toMatchObject({ status: 200 });
  expect(await send(two.test, app)).toMatchObject({ status: 200 });
  expect(await send(two.test, { web_origin: 'http://x' })).toMatchObject({ status: 400, code: 'invalid_argument' });
});
