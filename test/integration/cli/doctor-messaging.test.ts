// `ramz doctor messaging` against the sandbox's platform: everything in order, and each thing that may be wrong.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Recipients } from '../../../src/channels/whatsapp/preflight.ts';
import { doctor as doctorOf } from '../../../src/cli/doctor.ts';
import { checkMessaging } from '../../../src/cli/doctor-messaging.ts';
import { newKeyRing } from '../../../src/core/secrets/key-ring.ts';
import { testFolder } from '../../support/folder.ts';
import { testSandbox } from '../../support/sandbox.ts';

const folder = testFolder('doctor-messaging');
const sandbox = await testSandbox();
const { platform, messagingIdentity: identity } = sandbox;
afterEach(() => {
  platform.reset();
  for (const template of platform.templates.of(identity.wabaId)) template.ttlSeconds = 30;
});

async function doctor(recipients: Recipients = 12): Promise<{ code: number; said: string[] }> {
  const said: string[] = [];
  const messaging = {
    graphBaseUrl: `${sandbox.httpUrl}/graph`,
    graphVersion: identity.version,
    phoneNumberId: identity.phoneNumberId,
    accessToken: identity.systemToken,
    appSecret: identity.appSecret,
    verifyToken: identity.verifyToken,
    ratePerSecond: 80,
    pairIntervalSeconds: 6,
    responseTimeoutMs: 5_000,
    template: { name: identity.templateName, languages: { ar: 'ar', fr: 'fr', en: 'en' }, deliverWithinSeconds: null },
    tariff: [],
    signup: {
      ...{ appId: identity.appId, configId: identity.configId, sdkUrl: '', dialogUrl: '', extras: {} },
      allowedOrigins: [],
    },
  };
  const cascade = [{ channel: 'whatsapp' as const, timeoutSeconds: 15 }];
  const code = await checkMessaging({ messaging, verify: { cascade } } as never, (line) => said.push(line), recipients);
  return { code, said };
}
const bad = ({ said }: { said: string[] }) => said.filter((line) => line.startsWith('BAD'));

/** The callback address answers the platform's challenge in other tests; here it is only listed. */
const subscribed = (fields: string[], active = true) => {
  const listed = { object: 'whatsapp_business_account', callback_url: 'https://verify.example/', active };
  const body = { data: [{ ...listed, fields: fields.map((name) => ({ name, version: identity.version })) }] };
  platform.subscriptions.ofApp = async () => ({ status: 200, body });
};
const ofWaba = platform.subscriptions.ofWaba.bind(platform.subscriptions);
const reportsTo = (id: string) => {
  const body = { data: [{ whatsapp_business_api_data: { id, name: 'Another', link: '' } }] };
  platform.subscriptions.ofWaba = async () => ({ status: 200, body });
};
const all = [
  ...['messages', 'account_update', 'message_template_status_update', 'message_template_quality_update'],
  ...['phone_number_quality_update', 'phone_number_name_update', 'business_capability_update', 'account_alerts'],
];

test('beside npm start its key ring and configuration need no setting; elsewhere what is missing is named', async () => {
  const run = async (data: string, more: NodeJS.ProcessEnv = {}) => {
    const said: string[] = [];
    const code = await doctorOf(['messaging'], { env: { RAMZ_DATA: data, ...more }, say: (line) => said.push(line) });
    return { code, said };
  };
  expect(await run(folder)).toEqual({ code: 1, said: [expect.stringMatching(/^RAMZ_KEY_RING: is missing/)] });
  writeFileSync(
    join(folder, 'keys.json'),
    newKeyRing((size) => randomBytes(size)),
  );
  writeFileSync(join(folder, 'sandbox.config.json'), '{}');
  const none = 'no WhatsApp is configured: RAMZ_CONFIG has to name the file that the service has';
  expect(await run(folder)).toEqual({ code: 1, said: [none] });
  // Of the sandbox, and for the sandbox's database alone.
  writeFileSync(join(folder, 'sandbox.config.json'), '{"colour": 1}');
  expect(await run(folder)).toEqual({ code: 1, said: ['colour: is not a setting'] });
  const own = { RAMZ_KEYS: newKeyRing((size) => randomBytes(size)) };
  const url = 'postgres://ramz@127.0.0.1:1/ramz';
  writeFileSync(join(folder, 'url'), url);
  for (const database of [{ DATABASE_URL: url }, { DATABASE_URL_FILE: join(folder, 'url') }])
    expect(await run(folder, { ...own, ...database })).toEqual({ code: 1, said: [none] });
});

test('everything in order', async () => {
  subscribed(all);
  const { code, said } = await doctor();
  expect(said.filter((line) => !line.startsWith('ok '))).toEqual([]);
  expect(code).toBe(0);
  expect(said.map((line) => line.slice(5).split(':')[0])).toEqual([
    ...['token', 'number', 'can send', 'quality', 'people in 24 hours'],
    ...['template ramz_code ar', 'template ramz_code fr', 'template ramz_code en', 'callbacks', 'webhook'],
  ]);
});

test.each<[Recipients, number, string]>([
  [1_599, 0, 'ok   people in 24 hours: 1599 of TIER_2K, 2000'],
  [1_600, 1, 'BAD  people in 24 hours: 1600 of TIER_2K, 2000: beyond it'],
  [null, 0, 'ok   people in 24 hours: TIER_2K, 2000; not counted'],
  ['it is away', 1, 'BAD  people in 24 hours: TIER_2K, 2000; not counted: it is away'],
])('%s people were written to', async (recipients, exitCode, words) => {
  subscribed(all);
  const { code, said } = await doctor(recipients);
  expect(said.find((line) => line.includes('people'))).toContain(words);
  expect(code).toBe(exitCode);
});

test.each<[string, () => void, RegExp]>([
  ['the token was withdrawn', () => platform.revokeTokens(undefined), /token: the platform does not accept it/],
  [
    'the token ends',
    () => Object.assign(platform.accounts.tokens.get(identity.systemToken) ?? {}, { expiresAt: 1_800_000_000 }),
    /token: ends 2027-01-15/,
  ],
  [
    'the number is not registered',
    () => Object.assign(platform.accounts.phones.get(identity.phoneNumberId) ?? {}, { status: 'PENDING' }),
    /number: .* is PENDING/,
  ],
  [
    'the account is disabled',
    () => Object.assign(platform.accounts.wabas.get(identity.wabaId) ?? {}, { disabled: true }),
    /can send: BLOCKED: WABA 141000/,
  ],
  [
    'a template is paused',
    () => void platform.decideTemplate({ name: identity.templateName, language: 'fr', status: 'PAUSED' }),
    /template ramz_code fr: is PAUSED/,
  ],
  [
    'a template is delivered for too long',
    () => {
      for (const template of platform.templates.of(identity.wabaId)) template.ttlSeconds = 600;
    },
    /template ramz_code ar: is delivered within 600, in place of 30/,
  ],
  [
    'the token is of another app',
    () => Object.assign(platform.accounts.tokens.get(identity.systemToken) ?? {}, { appId: '700100200300999' }),
    /token: is of the app 700100200300999, in place of 700100200300400/,
  ],
  [
    'no app is subscribed to the account',
    () => Object.assign(platform.accounts.wabas.get(identity.wabaId) ?? {}, { subscription: null }),
    /callbacks: no app subscribed: POST 700100200300402\/subscribed_apps/,
  ],
  [
    'another app alone is subscribed to the account',
    () => reportsTo('700100200300999'),
    /callbacks: 1 other app\(s\) and not this one, 700100200300400, subscribed: POST/,
  ],
  ['the webhook is switched off', () => subscribed(all, false), /webhook: is switched off/],
  ['a field is not subscribed', () => subscribed(['messages']), /webhook: not subscribed: account_update/],
])('%s: said, and the exit code', async (_, prepare, words) => {
  subscribed(all);
  const [token, phone, waba] = [
    { ...platform.accounts.tokens.get(identity.systemToken) },
    { ...platform.accounts.phones.get(identity.phoneNumberId) },
    { ...platform.accounts.wabas.get(identity.wabaId) },
  ];
  prepare();
  const result = await doctor();
  platform.subscriptions.ofWaba = ofWaba;
  const was = { expiresAt: undefined, appId: undefined, ...token };
  Object.assign(platform.accounts.tokens.get(identity.systemToken) ?? {}, was);
  Object.assign(platform.accounts.phones.get(identity.phoneNumberId) ?? {}, phone);
  Object.assign(platform.accounts.wabas.get(identity.wabaId) ?? {}, waba);
  expect(result.code).toBe(1);
  expect(bad(result).join('\n')).toMatch(words);
});
