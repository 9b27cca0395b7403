// The payload against the form the platform publishes (facebook/openapi, business-messaging-api) as written down in test/support.
import { expect, it } from 'vitest';
import { deliverySeconds, templateMessage } from '../../../../src/channels/whatsapp/account.ts';
import { messageRequest } from '../../../support/published-requests.ts';
import { account, message } from './support.ts';

it.each(['ar', 'fr', 'en'] as const)('an authentication template in %s', (language) => {
  const payload = messageRequest.parse(templateMessage(message({ language }), account()));
  expect(payload).toMatchObject({ to: '213550000099', biz_opaque_callback_data: 'msg_1' });
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
