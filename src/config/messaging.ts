// WhatsApp by its Cloud API: the platform's own number, its template, its price.
// docs/channels.md lists the setup that a business makes at the platform.

import { z } from 'zod';
import { defaults } from './defaults.ts';
import { type SecretSchema, settings, tariffSchema } from './fields.ts';

const d = defaults.messaging;

const languageCode = z
  .string()
  .regex(/^[a-z]{2,3}(_[A-Z]{2})?$/, 'must be a language of the platform, e.g. "fr" or "en_US"');

const templateSchema = settings({
  name: z
    .string()
    .regex(/^[a-z0-9_]{1,512}$/, 'must be a-z, 0-9 and _ only')
    .describe('Name of the approved authentication template; the same in every language.'),
  languages: settings({
    ar: languageCode.default(d.template.languages.ar).describe('For messages in Arabic.'),
    fr: languageCode.default(d.template.languages.fr).describe('For messages in French.'),
    en: languageCode.default(d.template.languages.en).describe('For messages in English.'),
  })
    .prefault({})
    .describe('Language code under which the template was approved, per language of a message.'),
  deliver_within_seconds: z
    .int()
    .min(30)
    .max(900)
    .nullable()
    .default(null)
    .describe(
      "How long the platform tries to deliver a message; null = as long as WhatsApp's leg of `verify.cascade` lasts, 30 at least. Templates of linked accounts are kept at it; the deployment's own template is compared by `ramz doctor messaging`.",
    ),
});

const signupSchema = settings({
  app_id: z
    .string()
    .regex(/^\d{5,20}$/, 'must be digits')
    .describe('Id of the app at the platform.'),
  config_id: z
    .string()
    .regex(/^\d{5,20}$/, 'must be digits')
    .describe('Id of the app\'s configuration "WhatsApp Embedded Signup" (Facebook Login for Business).'),
  sdk_url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .default(d.signup.sdk_url)
    .describe("The platform's JavaScript SDK; the one foreign script the page loads."),
  dialog_url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .default(d.signup.dialog_url)
    .describe("Where the platform's dialog is that takes the whole page, for browsers that open no window."),
  extras: z
    .record(z.string(), z.unknown())
    .default({})
    .describe(
      '`extras` of the signup: empty for version 4, whose products come with the configuration. For what the platform documents otherwise, e.g. `{"featureType": "whatsapp_business_app_onboarding"}`.',
    ),
  allowed_origins: z
    .array(
      z
        .url({ protocol: /^https?$/, error: 'must be an http or https address' })
        .refine((text) => URL.parse(text)?.origin === text, 'must be an origin alone, e.g. "https://facebook.com"'),
    )
    .min(1)
    .max(10)
    .prefault([...d.signup.allowed_origins])
    .describe(
      'Who the page takes the result of a signup from: an https origin stands for its host and every host under it; an http one, for a simulator, for itself alone.',
    ),
});

export function messagingSchema(secret: SecretSchema) {
  return settings({
    graph_base_url: z
      .url({ protocol: /^https?$/, error: 'must be an http or https address' })
      .default(d.graph_base_url)
      .describe('Where the Graph API is; another one only for a simulator.'),
    graph_version: z
      .string()
      .regex(/^v\d{1,3}\.\d{1,2}$/, 'must be a version of the Graph API, e.g. "v25.0"')
      .default(d.graph_version)
      .describe('Version of the Graph API.'),
    phone_number_id: z
      .string()
      .regex(/^\d{5,20}$/, 'must be the digits of a phone number id, which is not the phone number')
      .describe('Id of the number that messages are sent from, as the platform shows it.'),
    access_token: secret.describe(
      "A system user's token with `whatsapp_business_messaging`, one that does not expire.",
    ),
    app_secret: secret.describe('Secret of the app at the platform: status callbacks are signed with it.'),
    verify_token: secret.describe(
      'A text of your choice, entered at the platform beside the callback address `/v1/callbacks/messaging`.',
    ),
    template: templateSchema.describe('The authentication template.'),
    signup: signupSchema
      .nullable()
      .default(null)
      .describe(
        'Embedded signup, by which businesses link their own account; null = they can only by hand. See docs/own-messaging-account.md.',
      ),
    rate_per_second: z
      .number()
      .positive()
      .max(1000)
      .default(d.rate_per_second)
      .describe(
        "Messages a second, at most, of the deployment's own number, from one process; the platform allows a number 80 unless it was raised. A business's own number has the rate that the platform allows it.",
      ),
    pair_interval_seconds: z
      .number()
      .min(0)
      .max(600)
      .default(d.pair_interval_seconds)
      .describe('Between two messages to the same phone from one process: the platform limits pairs of numbers.'),
    response_timeout_ms: z
      .int()
      .min(1000)
      .max(120_000)
      .default(d.response_timeout_ms)
      .describe('How long an answer is waited for; a message without one is `unknown` (`verify.in_doubt_seconds`).'),
    tariff: z
      .array(tariffSchema)
      .min(1, 'must have at least one tariff, or no cost is known')
      .describe(
        'Rate cards, in any order; a part is a message. Whether one is charged at all, the platform says itself.',
      ),
  });
}
