// The settings of WhatsApp: what must be there, what is filled in, what is warned of.
import { describe, expect, test } from 'vitest';
import { config, errors, messaging, tariff, warnings } from './sources.ts';

const env = { APP_TOKEN: 'EAAB-token' };

test('there are no WhatsApp settings unless they are configured', () => {
  expect(config({}).messaging).toBeNull();
});

test('what the platform has as its own defaults is filled in', () => {
  expect(config(messaging(), env).messaging).toMatchObject({
    graphBaseUrl: 'https://graph.facebook.com',
    graphVersion: 'v25.0',
    ratePerSecond: 80,
    pairIntervalSeconds: 6,
    accessToken: 'EAAB-token',
    template: { name: 'login_code', languages: { ar: 'ar', fr: 'fr', en: 'en' } },
  });
});

test.each([
  [{ access_token: undefined }, 'messaging.access_token: is missing: give {"env": "NAME"} or {"file": "/path"}'],
  [{ access_token: 'EAAB\nEAAC' }, /^messaging\.access_token: must be printable ASCII without spaces/],
  [{ phone_number_id: '+213550000001' }, /^messaging\.phone_number_id: must be the digits/],
  [{ graph_version: '25' }, /^messaging\.graph_version: must be a version/],
  [{ graph_base_url: 'ftp://graph.example' }, /^messaging\.graph_base_url: must be an http or https/],
  [{ template: { name: 'Login Code' } }, /^messaging\.template\.name: must be a-z/],
  [{ template: { name: 'a', languages: { ar: 'arabic' } } }, /^messaging\.template\.languages\.ar: must be a language/],
  [{ tariff: [] }, 'messaging.tariff: must have at least one tariff, or no cost is known'],
  [{ tariff: [tariff(), tariff()] }, /^messaging\.tariff\[1\]/],
])('refuses %j', (change, message) => {
  expect(errors(messaging(change), env)[0]).toMatch(message);
});

test('a URL that the token would travel to in clear is warned of', () => {
  const inClear = messaging({ graph_base_url: 'http://graph.example', access_token: 'token' });
  expect(warnings(inClear)).toEqual([expect.stringMatching(/^messaging\.graph_base_url: sends/)]);
  expect(warnings({ ...inClear, sandbox: true })).toEqual([]);
  expect(warnings(messaging({ access_token: 'token' }))).toEqual([]);
});

describe('embedded signup', () => {
  const signup = (change: Record<string, unknown> = {}) =>
    messaging({
      access_token: 'token',
      signup: { app_id: '700100200300400', config_id: '700100200300499', ...change },
    });

  test('is not offered unless configured; then the SDK and the origins are the platform’s', () => {
    expect(config(messaging({ access_token: 'token' })).messaging?.signup).toBeNull();
    expect(config(signup()).messaging?.signup).toEqual({
      appId: '700100200300400',
      configId: '700100200300499',
      sdkUrl: 'https://connect.facebook.net/en_US/sdk.js',
      dialogUrl: 'https://www.facebook.com',
      extras: {},
      allowedOrigins: ['https://facebook.com'],
    });
  });

  test.each([
    [{ app_id: 'app' }, /^messaging\.signup\.app_id: must be digits/],
    [{ sdk_url: 'javascript:alert(1)' }, /^messaging\.signup\.sdk_url: must be an http or https/],
    [{ sdk_url: 'http://sdk.example/sdk.js' }, /^messaging\.signup\.sdk_url: must be https/],
    [
      { allowed_origins: ['https://facebook.com/'] },
      /^messaging\.signup\.allowed_origins\[0\]: must be an origin alone/,
    ],
    [
      { allowed_origins: ['https://a.example', 'http://b.example'] },
      /^messaging\.signup\.allowed_origins\[1\]: must be https/,
    ],
    [{ dialog_url: 'http://dialog.example' }, /^messaging\.signup\.dialog_url: must be https/],
    [{ extras: { sessionInfoVersion: '3' } }, /^messaging\.signup\.extras: is of version 2/],
    [{ extras: { setup: {} } }, /^messaging\.signup\.extras: is of version 2/],
    [{ allowed_origins: [] }, /^messaging\.signup\.allowed_origins/],
  ])('refuses %j', (change, message) => {
    expect(errors(signup(change))[0]).toMatch(message);
  });

  test('leads businesses to an address of their own reach, by https', () => {
    const at = (public_base_url: string | null) => ({ ...signup(), service: { public_base_url } });
    expect(warnings(signup())).toEqual([
      "service.public_base_url: is missing: a signup's link leads to http://localhost, which is the business's own machine",
    ]);
    expect(errors(at('http://verify.example'))).toEqual([
      'service.public_base_url: must be https beside messaging.signup: an attacker on the way could take over signups',
    ]);
    const good = ['https://verify.example/ramz', 'http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080'];
    for (const url of good) expect(warnings(at(url)), url).toEqual([]);
  });

  test('needs no address of its own in a sandbox, nor where it is not offered', () => {
    expect(warnings({ ...signup(), sandbox: true })).toEqual([]);
    const plain = messaging({ access_token: 'token' });
    expect(warnings({ ...plain, service: { public_base_url: 'http://verify.example' } })).toEqual([]);
  });

  test('a simulator may be http', () => {
    const simulated = signup({ sdk_url: 'http://127.0.0.1:1/sdk.js', allowed_origins: ['http://127.0.0.1:1'] });
    expect(config({ ...simulated, sandbox: true }).messaging?.signup?.allowedOrigins).toEqual(['http://127.0.0.1:1']);
  });
});
