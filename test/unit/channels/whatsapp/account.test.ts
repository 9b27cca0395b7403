// The payload against the form the platform publishes (facebook/openapi, business-messaging-api) as written down in test/support.
import { expect, it } from 'vitest';
import { deliverySeconds, ownAccount, templateMessage } from '../../../../src/channels/whatsapp/account.ts';
import { messageRequest } from '../../../support/published-requests.ts';
import { account, message, ownId } from './support.ts';

const messagingConfig = {
  graphBaseUrl: 'https://graph.example',
  graphVersion: 'v25.0',
  phoneNumberId: '106540352242922',
  accessToken: 'token',
  responseTimeoutMs: 5_000,
  appSecret: 'secret',
  verifyToken: 'verify',
  ratePerSecond: 3,
  pairIntervalSeconds: 6,
  signup: null,
  template: { deliverWithinSeconds: null, name: 'login_code', languages: { ar: 'ar', fr: 'fr', en: 'en' } },
  tariff: [],
};

const unknownHealth = {
  canSend: '',
  problems: [],
  quality: '',
  nameStatus: '',
  messagingLimit: '',
  throughput: '',
  tokenExpiresAt: null,
};

it.each(['ar', 'fr', 'en'] as const)('an authentication template in %s', (language) => {
  const payload = messageRequest.parse(templateMessage(message({ language }), account()));
  expect(payload).toMatchObject({ to: '213550000099', biz_opaque_callback_data: ownId });
  expect(payload.template).toMatchObject({
    name: 'login_code',
    language: { code: { ar: 'ar', fr: 'fr', en: 'en_US' }[language] },
  });
  expect(payload.template.components.map(({ parameters: [{ text: code }] }) => code)).toEqual(['482913', '482913']);
});

it('the platform tries as long as the leg lasts, within its own bounds, or as long as is set', () => {
  const leg = (timeoutSeconds: number) => [
    { channel: 'sms', timeoutSeconds: 800 },
    { channel: 'whatsapp', timeoutSeconds },
  ];
  expect([15, 45, 900].map((seconds) => deliverySeconds(null, leg(seconds)))).toEqual([30, 45, 900]);
  expect(deliverySeconds(null, [])).toBe(30);
  expect(deliverySeconds(600, leg(15))).toBe(600);
});

it.each([
  [null, 80],
  [{ throughput: 'STANDARD' }, 80],
  [{ throughput: 'NOT_APPLICABLE' }, 80],
  [{ throughput: 'HIGH' }, 1_000],
  [{ throughput: 'STANDARD', isOnBusinessApp: true }, 20],
])("a business's own number has the rate that the platform allows it: %j", (told, ratePerSecond) => {
  const health = told && { ...unknownHealth, ...told };
  const number = { phoneNumberId: '300003', token: 'token', displayName: 'Shop', health };
  expect(ownAccount(messagingConfig, number)).toMatchObject({ ratePerSecond, ownerName: 'Shop' });
});
