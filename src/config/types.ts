// The types others compile against. Everything read from the file is inferred from its schema; camelCase in code.

import type { z } from 'zod';
import type { bindSchema } from './bind.ts';
import type { logLevels } from './environment.ts';
import type { costTlvSchema, tariffSchema } from './fields.ts';
import type { messagingSchema } from './messaging.ts';
import type { operatorSchema } from './operator.ts';
import type { limitsSchema, serviceSchema, webhooksSchema } from './service.ts';
import type { verifySchema } from './verify.ts';

export type ServiceConfig = z.output<typeof serviceSchema>;
export type VerifyConfig = z.output<typeof verifySchema>;
export type LimitsConfig = z.output<typeof limitsSchema>;
export type WebhooksConfig = z.output<typeof webhooksSchema>;
export type OperatorConfig = z.output<ReturnType<typeof operatorSchema>>;
export type BindConfig = z.output<ReturnType<typeof bindSchema>>;
export type MessagingConfig = z.output<ReturnType<typeof messagingSchema>>;
export type TariffConfig = z.output<typeof tariffSchema>;
export type CostTlvConfig = z.output<typeof costTlvSchema>;

/** Pino's levels. */
export type LogLevel = (typeof logLevels)[number];

/** PEM text of a certificate chain and its key. */
export interface TlsIdentity {
  cert: string;
  key: string;
}

/** What the environment says: where this process listens, stores and gets its secrets. Changing any of it needs a restart. */
export interface ServerConfig {
  host: string;
  /** HTTP: REST, Connect, gRPC-web. 0 = any free port. */
  port: number;
  grpcPort: number;
  /** Directory of what the service itself stores, the embedded database included. */
  dataDirectory: string;
  /** null = the embedded Postgres in `dataDirectory`. */
  databaseUrl: string | null;
  /** Whether a start brings the database up to this version. */
  migrate: boolean;
  /** How long calls are still taken once the process says that it is stopping. */
  drainSeconds: number;
  logLevel: LogLevel;
  /** True = anyone may create an account. */
  openRegistration: boolean;
  /** null = no call passes as administrator. */
  adminToken: string | null;
  liveKeyPrefix: string;
  testKeyPrefix: string;
  /** Text of the key ring (JSON), known to be valid: `parseKeyRing` of core reads it. Text, so that a reload can compare it. */
  keyRingJson: string;
  /** null = plain HTTP. */
  httpTls: TlsIdentity | null;
  /** null = h2c. */
  grpcTls: TlsIdentity | null;
}

export interface Config {
  server: ServerConfig;
  service: ServiceConfig;
  verify: VerifyConfig;
  limits: LimitsConfig;
  /** Addresses and networks in CIDR notation. */
  trustedProxies: string[];
  webhooks: WebhooksConfig;
  operators: OperatorConfig[];
  /** null = the messaging app is not configured. */
  messaging: MessagingConfig | null;
  /** True only in the sandbox: scenario numbers may then be used with live keys. */
  sandbox: boolean;
  /** Prefix of the scenario numbers; null where no operator is configured. */
  scenarioPrefix: string | null;
}

/** One thing wrong, and where: a variable's name or a path in the file, e.g. `operators[0].binds[1].port`. */
export interface ConfigProblem {
  path: string;
  message: string;
}

/** Warnings do not stop the start: what works, but probably not as meant. */
export type LoadedConfig =
  | { kind: 'ok'; config: Config; warnings: ConfigProblem[] }
  | { kind: 'invalid'; errors: ConfigProblem[] };
