// What the messaging platform documents of its callbacks, written down anew from its reference ("messages", "account_update",
// "message_template_status_update"). Strict: a field that is not documented fails.
import { z } from 'zod';

const digits = z.string().regex(/^\d{5,20}$/);

const status = z.strictObject({
  id: z.string().startsWith('wamid.'),
  recipient_id: z.string().regex(/^\d{7,15}$/),
  status: z.enum(['sent', 'delivered', 'read', 'failed', 'played']),
  /** Unix seconds, as text. */
  timestamp: z.string().regex(/^\d{10}$/),
  biz_opaque_callback_data: z.string().max(512).optional(),
  pricing: z
    .strictObject({
      billable: z.boolean().optional(),
      pricing_model: z.enum(['PMP', 'CBP']),
      type: z.enum(['regular', 'free_customer_service', 'free_entry_point']),
      category: z.string(),
    })
    .optional(),
  errors: z
    .array(
      z.strictObject({
        code: z.int(),
        title: z.string(),
        message: z.string(),
        href: z.url(),
        error_data: z.strictObject({ details: z.string() }),
      }),
    )
    .optional(),
});

const values = {
  messages: z.strictObject({
    messaging_product: z.literal('whatsapp'),
    metadata: z.strictObject({ display_phone_number: z.string().regex(/^\d+$/), phone_number_id: digits }),
    statuses: z.array(status).min(1),
  }),
  account_update: z.strictObject({
    event: z.enum(['PARTNER_ADDED', 'PARTNER_APP_UNINSTALLED']),
    waba_info: z.strictObject({ waba_id: digits, owner_business_id: digits, partner_app_id: digits.optional() }),
  }),
  message_template_status_update: z.strictObject({
    event: z.enum(['APPROVED', 'REJECTED', 'PENDING', 'PAUSED', 'DISABLED']),
    message_template_id: z.int(),
    message_template_name: z.string(),
    message_template_language: z.string(),
    reason: z.string().nullable(),
    message_template_category: z.literal('AUTHENTICATION').optional(),
  }),
};

const change = z.discriminatedUnion('field', [
  z.strictObject({ field: z.literal('messages'), value: values.messages }),
  z.strictObject({ field: z.literal('account_update'), value: values.account_update }),
  z.strictObject({ field: z.literal('message_template_status_update'), value: values.message_template_status_update }),
]);

/** `time` (Unix seconds) is not in callbacks about messages. */
export const publishedCallback = z.strictObject({
  object: z.literal('whatsapp_business_account'),
  entry: z.array(z.strictObject({ id: digits, time: z.int().optional(), changes: z.array(change).min(1) })).min(1),
});
