// The whole configuration file (RAMZ_CONFIG) as one schema, and the types inferred from it, which others compile against. Rules
// between settings are in crosscheck.ts.

import { z } from 'zod';
import { defaults } from './defaults.ts';
import {
  type costTlvSchema,
  networkSchema,
  type SecretSource,
  secretSchema,
  settings,
  type tariffSchema,
} from './fields.ts';
import { messagingSchema } from './messaging.ts';
import { type bindSchema, operatorSchema } from './operator.ts';
import type { ConfigProblem } from './problem.ts';
import type { ServerConfig } from './server.ts';
import { limitsSchema, serviceSchema, verifySchema, webhooksSchema } from './service.ts';
import { type trunkSchema, voiceSchema } from './voice.ts';

export function fileSchema(secrets: SecretSource) {
  return settings({
    $schema: z.string().optional().describe('For your editor; the service does not read it.'),
    sandbox: z
      .boolean()
      .default(defaults.sandbox)
      .describe('true lets live keys send to scenario numbers. Only where every operator is a simulator.'),
    scenario_prefix: z
      .string()
      .regex(/^\+[1-9]\d{0,14}$/, 'must be + and digits, e.g. "+21355"')
      .nullable()
      .default(null)
      .describe('Prefix of the scenario numbers; null = the first prefix of the first operator.'),
    trusted_proxies: z
      .array(networkSchema)
      .default(defaults.trusted_proxies)
      .describe(
        'Addresses and networks (CIDR) of your own proxies: `X-Forwarded-For` is believed from them alone, and their connections are not counted.',
      ),
    service: serviceSchema.prefault({}).describe('Who the service is.'),
    verify: verifySchema.prefault({}).describe('The rules of a verification.'),
    limits: limitsSchema.prefault({}).describe('Limits against abuse.'),
    webhooks: webhooksSchema.prefault({}).describe('Webhook callbacks.'),
    operators: z
      .array(operatorSchema(secretSchema(secrets)))
      .prefault([])
      .describe('Mobile operators; none = no SMS is sent.'),
    messaging: messagingSchema(secretSchema(secrets))
      .nullable()
      .default(null)
      .describe('WhatsApp; null = that leg of a cascade is skipped.'),
    voice: voiceSchema(secretSchema(secrets))
      .nullable()
      .default(null)
      .describe('The voice call; null = that leg of a cascade is skipped.'),
  });
}

/** The file as read: every default filled in, every secret resolved. */
export type FileConfig = z.output<ReturnType<typeof fileSchema>>;

export type ServiceConfig = z.output<typeof serviceSchema>;
export type VerifyConfig = z.output<typeof verifySchema>;
export type LimitsConfig = z.output<typeof limitsSchema>;
export type WebhooksConfig = z.output<typeof webhooksSchema>;
export type OperatorConfig = z.output<ReturnType<typeof operatorSchema>>;
export type BindConfig = z.output<ReturnType<typeof bindSchema>>;
export type MessagingConfig = z.output<ReturnType<typeof messagingSchema>>;
export type VoiceConfig = z.output<ReturnType<typeof voiceSchema>>;
export type TrunkConfig = z.output<ReturnType<typeof trunkSchema>>;
export type TariffConfig = z.output<typeof tariffSchema>;
export type CostTlvConfig = z.output<typeof costTlvSchema>;

export interface Config {
  server: ServerConfig;
  service: ServiceConfig;
  verify: VerifyConfig;
  limits: LimitsConfig;
  /** Addresses and networks in CIDR notation. */
  trustedProxies: string[];
  webhooks: WebhooksConfig;
  operators: OperatorConfig[];
  /** null = WhatsApp is not configured. */
  messaging: MessagingConfig | null;
  /** null = the voice call is not configured. */
  voice: VoiceConfig | null;
  /** True only in the sandbox: scenario numbers may then be used with live keys. */
  sandbox: boolean;
  /** Prefix of the scenario numbers; null where no operator is configured. */
  scenarioPrefix: string | null;
}

/** Warnings do not stop the start: what works, but probably not as meant. */
export type LoadedConfig =
  | { kind: 'ok'; config: Config; warnings: ConfigProblem[] }
  | { kind: 'invalid'; errors: ConfigProblem[] };
