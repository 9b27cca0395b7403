// The platform's side of a business connecting its own account: dialog, code, token, registration, subscription, templates.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runSandbox, type Sandbox } from '../../../src/sandbox/main.ts';
import { sandboxIdentity as identity } from '../../../src/sandbox/platform/accounts.ts';
import { until } from '../../support/wait.ts';
import { Callback } from './callback.ts';
import { GraphClient } from './graph-client.ts';

let sandbox: Sandbox;
let callback: Callback;
let graph: GraphClient;
let numbers = 0;

beforeAll(async () => {
  callback = await new Callback(identity.appSecret, identity.verifyToken).start();
  sandbox = await runSandbox({ deliverDelayMs: 2, messagingCallbackUrl: callback.url });
  graph = new GraphClient(sandbox.httpUrl, identity);
});

afterAll(async () => {
  await sandbox.stop();
  await callback.stop();
});

beforeEach(() => callback.clear());

async function control(action: Record<string, unknown>): Promise<number> {
  const response = await fetch(`${sandbox.httpUrl}/sandbox/control`, { method: 'POST', body: JSON.stringify(action) });
  return response.status;
}

const dialog = () => `${sandbox.httpUrl}/graph/${identity.version}/dialog/oauth`;

interface Signup {
  code: string;
  data: { waba_id: string; business_id: string; phone_number_id: string };
}

/** A number that no account has yet. */
function nextNumber(): string {
  numbers += 1;
  return `+2135500088${String(numbers).padStart(2, '0')}`;
}

/** What the dialog's page does when a business clicks Finish. */
async function signUp(number: string | null = nextNumber()): Promise<Signup> {
  const body = JSON.stringify({ business: 'Example Shop', number });
  const response = await fetch(dialog(), { method: 'POST', body });
  expect(response.status).toBe(200);
  return (await response.json()) as Signup;
}

const exchange = (over: Record<string, string>) => {
  const query = new URLSearchParams({ client_id: identity.appId, client_secret: identity.appSecret, ...over });
  return new GraphClient(sandbox.httpUrl, identity, null).call('GET', `oauth/access_token?${query}`);
};

async function connected(): Promise<Signup['data'] & { client: GraphClient; token: string }> {
  const { code, data } = await signUp();
  const { body } = await exchange({ code });
  return { ...data, token: body.access_token, client: new GraphClient(sandbox.httpUrl, identity, body.access_token) };
}

test('the whole way: code, token, numbers, subscription, registration, template, message', async () => {
  const { code, data } = await signUp();
  const exchanged = await exchange({ code });
  expect(exchanged.body).toEqual({ access_token: expect.any(String), token_type: 'bearer' });
  const client = new GraphClient(sandbox.httpUrl, identity, exchanged.body.access_token);

  const listed = await client.call('GET', `${data.waba_id}/phone_numbers`);
  expect(listed.body.data).toEqual([
    expect.objectContaining({ id: data.phone_number_id, verified_name: 'Example Shop', status: 'PENDING' }),
  ]);
  const send = () => client.call('POST', `${data.phone_number_id}/messages`, client.request('+213551234567'));
  expect((await send()).body.error.code).toBe(133010);

  expect((await client.call('POST', `${data.waba_id}/subscribed_apps`)).body).toEqual({ success: true });
  const pin = { messaging_product: 'whatsapp', pin: '123456' };
  expect((await client.call('POST', `${data.phone_number_id}/register`, pin)).body).toEqual({ success: true });
  expect((await send()).body.error.code).toBe(132001);

  const template = {
    name: identity.templateName,
    language: 'fr',
    category: 'AUTHENTICATION',
    message_send_ttl_seconds: 600,
    components: [
      { type: 'BODY', add_security_recommendation: true },
      { type: 'FOOTER', code_expiration_minutes: 10 },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
    ],
  };
  const path = `${data.waba_id}/message_templates`;
  const created = await client.call('POST', path, template);
  expect(created.body).toEqual({ id: expect.any(String), status: 'PENDING', category: 'AUTHENTICATION' });
  expect((await client.call('POST', path, template)).body.error).toMatchObject({ code: 100, error_subcode: 2388024 });
  await until(() => callback.changes('message_template_status_update').length > 0, { what: 'the review' });
  expect(callback.changes('message_template_status_update')[0]).toMatchObject({
    entry: data.waba_id,
    value: { event: 'APPROVED', message_template_name: identity.templateName, message_template_language: 'fr' },
  });
  const found = await client.call('GET', `${path}?name=${identity.templateName}`);
  expect(found.body.data).toEqual([expect.objectContaining({ id: created.body.id, status: 'APPROVED' })]);
  expect((await client.call('GET', created.body.id)).body.status).toBe('APPROVED');

  const sent = await send();
  expect(sent.status).toBe(200);
  await until(() => callback.statuses(sent.body.messages[0].id).length === 2, { what: 'its statuses' });
  expect(callback.changes('messages')[0]).toMatchObject({
    entry: data.waba_id,
    value: { metadata: { phone_number_id: data.phone_number_id } },
  });
  expect(sandbox.inbox.list({ to: '+213551234567' })[0]?.from).toBe('Example Shop');
});

describe('the code', () => {
  test('is good once', async () => {
    const { code } = await signUp();
    expect((await exchange({ code })).status).toBe(200);
    expect((await exchange({ code })).body.error).toMatchObject({ code: 100, error_subcode: 36009 });
  });

  test('stays good when the call was wrong in something else', async () => {
    const { code } = await signUp();
    expect((await exchange({ code, client_secret: 'wrong' })).body.error.code).toBe(1);
    expect((await exchange({ code, client_id: '1' })).body.error.code).toBe(101);
    expect((await exchange({ code: 'made up' })).body.error.code).toBe(100);
    expect((await exchange({ code })).status).toBe(200);
  });

  test('may be sent as a form or as JSON too', async () => {
    const address = `${sandbox.httpUrl}/graph/${identity.version}/oauth/access_token`;
    const fields = { client_id: identity.appId, client_secret: identity.appSecret };
    const form = new URLSearchParams({ ...fields, code: (await signUp()).code });
    expect((await fetch(address, { method: 'POST', body: form })).status).toBe(200);
    const json = JSON.stringify({ ...fields, code: (await signUp()).code });
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(address, { method: 'POST', headers, body: json })).status).toBe(200);
  });
});

describe("a business's token", () => {
  test('sees its own account and no other', async () => {
    const one = await connected();
    const other = await connected();
    expect((await one.client.call('GET', `${other.waba_id}/phone_numbers`)).status).toBe(403);
    expect((await one.client.call('GET', other.phone_number_id)).body.error.code).toBe(200);
    expect((await one.client.send('+213551234567')).body.error.code).toBe(200);
    const { body } = await graph.call('GET', `debug_token?input_token=${one.token}`);
    expect(body.data).toMatchObject({
      is_valid: true,
      app_id: identity.appId,
      granular_scopes: expect.arrayContaining([{ scope: 'whatsapp_business_messaging', target_ids: [one.waba_id] }]),
    });
  });

  test('dies when it is revoked, and when the business takes its account back, which the app is told', async () => {
    const one = await connected();
    expect(await control({ action: 'messaging_revoke_tokens', waba_id: one.waba_id })).toBe(204);
    expect((await one.client.call('GET', one.waba_id)).body.error).toMatchObject({ code: 190, error_subcode: 460 });

    const other = await connected();
    expect(await control({ action: 'messaging_uninstall', waba_id: other.waba_id })).toBe(204);
    expect((await other.client.call('GET', other.waba_id)).status).toBe(401);
    const events = () => callback.changes('account_update').map(({ value }) => value);
    await until(() => events().length === 3, { what: 'two accounts shared, one taken back' });
    expect(events()).toContainEqual({
      event: 'PARTNER_APP_UNINSTALLED',
      waba_info: { waba_id: other.waba_id, owner_business_id: other.business_id, partner_app_id: identity.appId },
    });
    expect(await control({ action: 'messaging_uninstall', waba_id: identity.wabaId })).toBe(400);
  });
});

describe('registration', () => {
  test('needs six digits, the same as before, and not too many tries', async () => {
    const { client, phone_number_id: id } = await connected();
    const register = (pin: unknown) => client.call('POST', `${id}/register`, { messaging_product: 'whatsapp', pin });
    expect((await client.call('POST', `${id}/register`, { pin: '123456' })).body.error.code).toBe(100);
    expect((await register(undefined)).body.error.code).toBe(100);
    expect((await register('12345')).body.error.code).toBe(131009);
    expect((await register('123456')).status).toBe(200);
    expect((await register('654321')).body.error.code).toBe(133005);
    expect((await client.call('POST', `${id}/deregister`)).status).toBe(200);
    expect((await client.call('GET', id)).body.status).toBe('DISCONNECTED');
    for (let n = 0; n < 7; n += 1) expect((await register('123456')).status).toBe(200);
    expect((await register('123456')).body.error.code).toBe(133016);
  });
});

describe('callback addresses', () => {
  const app = () => new GraphClient(sandbox.httpUrl, identity, `${identity.appId}|${identity.appSecret}`);
  const order = (over: Record<string, unknown> = {}) => ({
    object: 'whatsapp_business_account',
    callback_url: callback.url,
    verify_token: identity.verifyToken,
    fields: 'messages,account_update,message_template_status_update',
    ...over,
  });
  const path = `${identity.appId}/subscriptions`;

  test('are asked for the challenge, and taken only when it comes back with 200', async () => {
    expect((await app().call('POST', path, order())).body).toEqual({ success: true });
    expect(callback.handshakes.at(-1)?.get('hub.mode')).toBe('subscribe');
    expect((await app().call('POST', path, order({ verify_token: 'wrong' }))).body.error.code).toBe(2200);
    for (const answer of [
      { status: 200, body: 'no' },
      { status: 201, body: '' },
    ]) {
      callback.challengeAnswer = answer;
      expect((await app().call('POST', path, order())).body.error.code).toBe(2200);
    }
    callback.challengeAnswer = null;
    const { body } = await app().call('GET', path);
    expect(body.data).toEqual([expect.objectContaining({ callback_url: callback.url, active: true })]);
  });

  test('are set with the token of the app only, and by the remote control', async () => {
    expect((await graph.call('POST', path, order())).status).toBe(401);
    expect((await app().call('POST', path, order({ callback_url: undefined }))).status).toBe(400);
    expect(await control({ action: 'messaging_callback', url: callback.url, verify_token: 'wrong' })).toBe(400);
    expect(await control({ action: 'messaging_callback', url: callback.url })).toBe(204);
  });

  test('an account may name another address for its messages; without a subscription nothing comes', async () => {
    const elsewhere = await new Callback(identity.appSecret, 'theirs').start();
    try {
      const { client, waba_id, phone_number_id } = await connected();
      await client.call('POST', `${phone_number_id}/register`, { messaging_product: 'whatsapp', pin: '123456' });
      await control({ action: 'messaging_statuses', statuses: ['sent'] });
      const override = { override_callback_uri: elsewhere.url, verify_token: 'theirs' };
      expect((await client.call('POST', `${waba_id}/subscribed_apps`, { ...override, verify_token: '' })).status).toBe(
        400,
      );
      expect((await client.call('POST', `${waba_id}/subscribed_apps`, override)).status).toBe(200);
      const { platform } = sandbox;
      const phone = platform.accounts.phones.get(phone_number_id)!;
      const message = { wamid: 'wamid.1', to: '+213551234567', phone, opaque: undefined, acceptedAt: 0, priced: null };
      expect(await platform.statuses.send(message, 'sent')).toBe(true);
      expect(elsewhere.statuses('wamid.1')).toHaveLength(1);
      expect(callback.statuses('wamid.1')).toHaveLength(0);
      await client.call('DELETE', `${waba_id}/subscribed_apps`);
      expect(await platform.statuses.send(message, 'sent')).toBe(false);
    } finally {
      await elsewhere.stop();
    }
  });
});

describe('the dialog', () => {
  const open = (over: Record<string, string> = {}) => {
    const query = new URLSearchParams({
      client_id: identity.appId,
      config_id: identity.configId,
      response_type: 'code',
      override_default_response_type: 'true',
      origin: 'http://127.0.0.1:8080',
      ...over,
    });
    return fetch(`${dialog()}?${query}`);
  };

  test('opens for its app, and speaks to this machine only', async () => {
    const page = await open();
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(await page.text()).toContain('"http://127.0.0.1:8080"');
  });

  test.each([
    { client_id: '1' },
    { config_id: '1' },
    { response_type: 'token' },
    { override_default_response_type: 'false' },
    { origin: 'https://127.0.0.1.example.com' },
    { origin: '' },
    { origin: '"><script>' },
    // The page goes there by itself: it would run the script as its own, with the sandbox's way to the service.
    { redirect_uri: 'javascript://localhost/%0aalert(1)' },
    { redirect_uri: 'ftp://localhost/' },
  ])('is refused with %o', async (over) => {
    expect((await open(over)).status).toBe(400);
  });

  test('a number again finds its account again; without a number there is none; the own number is taken', async () => {
    const first = await signUp('+213550008899');
    expect((await signUp('+213 55 00 088 99')).data).toEqual(first.data);
    expect((await signUp(null)).data).not.toHaveProperty('phone_number_id');
    for (const body of [
      { business: 'X', number: identity.phoneNumber },
      { business: '', number: null },
      { business: 'X', number: 'none' },
    ]) {
      expect((await fetch(dialog(), { method: 'POST', body: JSON.stringify(body) })).status).toBe(400);
    }
  });

  test('its script is served', async () => {
    const script = await fetch(`${sandbox.httpUrl}/graph/sdk.js`);
    expect(script.headers.get('content-type')).toContain('javascript');
    expect(await script.text()).toContain('window.FB');
  });
});
