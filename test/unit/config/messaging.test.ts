// The settings of the messaging app: what must be there, what is filled in, what is warned of.
import { expect, test } from 'vitest';
import { config, errors, tariff, warnings } from './sources.ts';

const messaging = (change: Record<string, unknown> = {}) => ({
  messaging: {
    phone_number_id: '106540352242922',
    access_token: { env: 'APP_TOKEN' },
    app_secret: 'app-secret',
    verify_token: 'verify-me',
    template: { name: 'login_code' },
    tariff: [tariff({ amount: '1.20', charged: 'delivery' })],
    ...change,
  },
});
const env = { APP_TOKEN: 'EAAB-token' };

test('is not there unless configured', () => {
  expect(config({}).messaging).toBeNull();
});

test('fills in what the platform has as its own defaults', () => {
  expect(config(messaging(), env).messaging).toMatchObject({
    ...{ graphBaseUrl: 'https://graph.facebook.com', graphVersion: 'v25.0', ratePerSecond: 80, pairIntervalSeconds: 6 },
    ...{ accessToken: 'EAAB-token', template: { name: 'login_code', languages: { ar: 'ar', fr: 'fr', en: 'en' } } },
  });
});

test.each([
  [{ access_token: undefined }, 'messaging.access_token: is missing: give {"env": "NAME"} or {"file": "/path"}'],
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

test('warns where the token would travel in clear', () => {
  const inClear = messaging({ graph_base_url: 'http://graph.example', access_token: 'token' });
  expect(warnings(inClear)).toEqual([expect.stringMatching(/^messaging\.graph_base_url: sends/)]);
  expect(warnings({ ...inClear, sandbox: true })).toEqual([]);
  expect(warnings(messaging({ access_token: 'token' }))).toEqual([]);
});
