// The whole configuration file (RAMZ_CONFIG) as one schema. Rules between settings are in crosscheck.ts.

import { z } from 'zod';
import { defaults } from './defaults.ts';
import { networkSchema, type SecretSource, secretSchema, settings } from './fields.ts';
import { messagingSchema } from './messaging.ts';
import { operatorSchema } from './operator.ts';
import { limitsSchema, serviceSchema, webhooksSchema } from './service.ts';
import { verifySchema } from './verify.ts';

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
      .describe('The messaging app; null = that leg of a cascade is skipped.'),
  });
}

/** The file as read: every default filled in, every secret resolved. */
export type FileConfig = z.output<ReturnType<typeof fileSchema>>;
