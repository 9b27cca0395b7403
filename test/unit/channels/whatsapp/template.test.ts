// The payload against the form the platform publishes (facebook/openapi, business-messaging-api), written down here anew.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { templateMessage } from '../../../../src/channels/whatsapp/template.ts';
import { account, message } from './support.ts';

const text = z.strictObject({ type: z.literal('text'), text: z.string().min(1).max(15) });
const published = z.strictObject({
  messaging_product: z.literal('whatsapp'),
  recipient_type: z.literal('individual'),
  to: z.string().regex(/^\d{7,15}$/),
  type: z.literal('template'),
  biz_opaque_callback_data: z.string().max(512),
  template: z.strictObject({
    name: z.string().max(512),
    language: z.strictObject({
      policy: z.literal('deterministic'),
      code: z.string().regex(/^[a-z]{2,3}(_[A-Z]{2})?$/),
    }),
    components: z.tuple([
      z.strictObject({ type: z.literal('body'), parameters: z.tuple([text]) }),
      z.strictObject({
        ...{ type: z.literal('button'), sub_type: z.literal('url') },
        ...{ index: z.string().regex(/^[0-9]$/), parameters: z.tuple([text]) },
      }),
    ]),
  }),
});

it.each(['ar', 'fr', 'en'] as const)('an authentication template in %s', (language) => {
  const payload = published.parse(templateMessage(message({ language }), account()));
  expect(payload).toMatchObject({ to: '213550000099', biz_opaque_callback_data: 'msg_1' });
  expect(payload.template).toMatchObject({
    name: 'login_code',
    language: { code: { ar: 'ar', fr: 'fr', en: 'en_US' }[language] },
  });
  expect(payload.template.components.map(({ parameters: [{ text: code }] }) => code)).toEqual(['482913', '482913']);
});
