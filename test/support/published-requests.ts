// What the messaging platform documents of the calls we make: requests and answers, written down anew from its published schema
// (Graph API, "business messaging") and its guides. Strict: a field that is not documented fails.
import { z } from 'zod';

const digits = z.string().regex(/^\d{5,20}$/);
const language = z.string().regex(/^[a-z]{2,3}(_[A-Z]{2})?$/);
const name = z.string().regex(/^[a-z0-9_]{1,512}$/);
const text = z.strictObject({ type: z.literal('text'), text: z.string().min(1).max(15) });

/** POST /{number}/messages, for an authentication template. */
export const messageRequest = z.strictObject({
  messaging_product: z.literal('whatsapp'),
  recipient_type: z.literal('individual'),
  to: z.string().regex(/^\d{7,15}$/),
  type: z.literal('template'),
  biz_opaque_callback_data: z.string().max(512),
  template: z.strictObject({
    name,
    language: z.strictObject({ policy: z.literal('deterministic'), code: language }),
    components: z.tuple([
      z.strictObject({ type: z.literal('body'), parameters: z.tuple([text]) }),
      z.strictObject({
        type: z.literal('button'),
        sub_type: z.literal('url'),
        index: z.string().regex(/^[0-9]$/),
        parameters: z.tuple([text]),
      }),
    ]),
  }),
});

const messageAnswer = z.strictObject({
  messaging_product: z.literal('whatsapp'),
  contacts: z.array(z.strictObject({ input: z.string(), wa_id: z.string().regex(/^\d+$/) })),
  messages: z.array(
    z.strictObject({
      id: z.string().startsWith('wamid.'),
      message_status: z.enum(['accepted', 'held_for_quality_assessment', 'paused']).optional(),
    }),
  ),
});

const templateRequest = z.strictObject({
  name,
  language,
  category: z.literal('AUTHENTICATION'),
  message_send_ttl_seconds: z.int().min(30).max(900),
  components: z.tuple([
    z.strictObject({ type: z.literal('BODY'), add_security_recommendation: z.boolean() }),
    z.strictObject({ type: z.literal('FOOTER'), code_expiration_minutes: z.int().min(1).max(90) }),
    z.strictObject({
      type: z.literal('BUTTONS'),
      buttons: z.tuple([z.strictObject({ type: z.literal('OTP'), otp_type: z.literal('COPY_CODE') })]),
    }),
  ]),
});

const templateState = z.enum([
  'APPROVED',
  'PENDING',
  'REJECTED',
  'PAUSED',
  'DISABLED',
  'IN_APPEAL',
  'PENDING_DELETION',
]);
const paging = z.strictObject({
  cursors: z.strictObject({ before: z.string(), after: z.string() }).optional(),
  next: z.url().optional(),
  previous: z.url().optional(),
});
const list = (item: z.ZodType) => z.strictObject({ data: z.array(item), paging: paging.optional() });
const availability = z.enum(['AVAILABLE', 'LIMITED', 'BLOCKED']);
const success = z.strictObject({ success: z.literal(true) });
const nothing = z.undefined();

/** A number as it is listed. Of the fields that are asked for, and of those that are not, which may come as well. */
const number = z.strictObject({
  id: digits,
  display_phone_number: z.string(),
  verified_name: z.string(),
  status: z.enum(['CONNECTED', 'PENDING', 'DISCONNECTED', 'UNVERIFIED', 'BANNED', 'FLAGGED', 'MIGRATED', 'DELETED']),
  platform_type: z.enum(['CLOUD_API', 'ON_PREMISE', 'NOT_APPLICABLE']),
  code_verification_status: z.string().optional(),
  quality_rating: z.string().optional(),
  throughput: z.strictObject({ level: z.string() }).optional(),
});

/** Each call by method and the end of its path: its query, its body, its answer when it is done. */
export const calls: Record<string, { query: z.ZodType; body: z.ZodType; answer: z.ZodType }> = {
  'GET oauth/access_token': {
    query: z.strictObject({
      ...{ client_id: digits, client_secret: z.string(), code: z.string() },
      /** That of the dialog, where it took the whole page. */
      redirect_uri: z.url().optional(),
    }),
    body: nothing,
    answer: z.strictObject({
      access_token: z.string(),
      token_type: z.literal('bearer'),
      expires_in: z.int().optional(),
    }),
  },
  'GET debug_token': {
    query: z.strictObject({ input_token: z.string() }),
    body: nothing,
    answer: z.object({ data: z.object({ app_id: digits, is_valid: z.boolean(), expires_at: z.int() }) }),
  },
  'GET phone_numbers': {
    query: z.strictObject({ fields: z.string(), limit: z.coerce.number().max(100) }),
    body: nothing,
    answer: list(number),
  },
  /** "Health status" (June 2026) and "Messaging limits" (May 2026): fields of a number that are asked for by name. */
  'GET {id}': {
    query: z.strictObject({ fields: z.string() }),
    body: nothing,
    answer: z.strictObject({
      id: digits,
      display_phone_number: z.string(),
      verified_name: z.string(),
      health_status: z.strictObject({
        can_send_message: availability,
        entities: z.array(
          z.strictObject({
            entity_type: z.enum(['MESSAGE_TEMPLATE', 'PHONE_NUMBER', 'WABA', 'BUSINESS', 'APP']),
            id: z.string(),
            can_send_message: availability,
            additional_info: z.array(z.string()).optional(),
            errors: z
              .array(
                z.strictObject({
                  error_code: z.int(),
                  error_description: z.string(),
                  possible_solution: z.string(),
                }),
              )
              .optional(),
          }),
        ),
      }),
      quality_rating: z.enum(['GREEN', 'YELLOW', 'RED', 'NA', 'UNKNOWN']),
      name_status: z.enum([
        ...(['APPROVED', 'AVAILABLE_WITHOUT_REVIEW', 'DECLINED', 'EXPIRED', 'PENDING_REVIEW', 'NONE'] as const),
      ]),
      throughput: z.strictObject({ level: z.enum(['STANDARD', 'HIGH', 'NOT_APPLICABLE']) }),
      /** "Onboarding WhatsApp Business app users" (March 2026). */
      is_on_biz_app: z.boolean(),
      whatsapp_business_manager_messaging_limit: z.string().regex(/^TIER_(\d+K?|UNLIMITED)$/),
    }),
  },
  /** "Edit templates". */
  'POST {id}': {
    query: z.strictObject({}),
    body: z.strictObject({ message_send_ttl_seconds: z.int().min(30).max(900) }),
    answer: z.object({ success: z.literal(true) }),
  },
  'POST subscribed_apps': { query: z.strictObject({}), body: nothing, answer: success },
  'DELETE subscribed_apps': { query: z.strictObject({}), body: nothing, answer: success },
  'POST register': {
    query: z.strictObject({}),
    body: z.strictObject({ messaging_product: z.literal('whatsapp'), pin: z.string().regex(/^\d{6}$/) }),
    answer: success,
  },
  'GET message_templates': {
    query: z.strictObject({
      name,
      fields: z.literal('name,language,status,category,message_send_ttl_seconds'),
      limit: z.coerce.number().max(100),
    }),
    body: nothing,
    answer: list(z.object({ id: digits, name, language, status: templateState })),
  },
  'POST message_templates': {
    query: z.strictObject({}),
    body: templateRequest,
    answer: z.strictObject({ id: digits, status: templateState, category: z.literal('AUTHENTICATION') }),
  },
  'POST messages': { query: z.strictObject({}), body: messageRequest, answer: messageAnswer },
};

/** Any refusal. */
export const errorAnswer = z.strictObject({
  error: z.strictObject({
    message: z.string(),
    type: z.string(),
    code: z.int(),
    error_subcode: z.int().optional(),
    error_data: z.strictObject({ messaging_product: z.literal('whatsapp'), details: z.string() }).optional(),
    error_user_title: z.string().optional(),
    error_user_msg: z.string().optional(),
    is_transient: z.boolean().optional(),
    fbtrace_id: z.string(),
  }),
});
