// The environment variables: names, forms, defaults. An empty variable counts as unset, as container tools set them so.

import { z } from 'zod';
import { defaults } from './defaults.ts';

const d = defaults.environment;

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const portText = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port number')
  .transform(Number)
  .refine((port) => port <= 65_535, 'must be at most 65535');

const secondsText = z
  .string()
  .regex(/^\d{1,3}$/, 'must be a whole number of seconds')
  .transform(Number)
  .refine((seconds) => seconds <= 300, 'must be at most 300');

const booleanText = z
  .enum(['true', 'false', '1', '0'], 'must be true or false')
  .transform((text) => text === 'true' || text === '1');

const keyPrefix = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,31}$/, 'must be 1-32 letters, digits, _ and -, beginning with a letter');

const path = z.string();

export const environmentSchema = z.object({
  HOST: z.string().default(d.HOST).describe('Address both doors listen on.'),
  PORT: portText.default(d.PORT).describe('HTTP port: REST, Connect, gRPC-web. 0 = any free one.'),
  GRPC_PORT: portText.default(d.GRPC_PORT).describe('gRPC port. 0 = any free one.'),
  RAMZ_DATA: path.default(d.RAMZ_DATA).describe('Directory of what the service itself stores.'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must begin with postgres:// or postgresql://')
    .optional()
    .describe('The Postgres to use; unset = an embedded one in `RAMZ_DATA`.'),
  RAMZ_MIGRATE: z
    .enum(['on', 'off'])
    .default(d.RAMZ_MIGRATE)
    .describe(
      '`on`: a start brings the database up to this version. `off`: a start changes nothing, and ends if the database is older: run `npm run migrate` first.',
    ),
  RAMZ_CONFIG: path.optional().describe('Path of the configuration file; unset = every default, and no operator.'),
  RAMZ_KEY_RING: path
    .optional()
    .describe(
      'Path of the key ring, which `npm run --silent ramz -- keys new` makes. It or `RAMZ_KEYS` must be set: there is no start without keys.',
    ),
  RAMZ_KEYS: z.string().optional().describe('The key ring itself, as JSON.'),
  RAMZ_ADMIN_TOKEN: z
    .string()
    .min(16, 'must have at least 16 characters')
    .regex(/^[!-~]+$/, 'must be printable ASCII without spaces: no client could send it otherwise')
    .optional()
    .describe(
      'Bearer token of administrative calls, at least 16 printable characters without spaces; unset = there are none over the wire.',
    ),
  RAMZ_OPEN_REGISTRATION: booleanText
    .default(d.RAMZ_OPEN_REGISTRATION)
    .describe('`true` lets anyone create an account.'),
  API_KEY_LIVE_PREFIX: keyPrefix.default(d.API_KEY_LIVE_PREFIX).describe('How live API keys begin.'),
  API_KEY_TEST_PREFIX: keyPrefix.default(d.API_KEY_TEST_PREFIX).describe('How test API keys begin.'),
  RAMZ_DRAIN_SECONDS: secondsText
    .default(d.RAMZ_DRAIN_SECONDS)
    .describe(
      'After SIGTERM, how long calls are still taken while `/readyz` and gRPC health say that it is stopping: longer than a load balancer takes to notice. 0 to 300.',
    ),
  LOG_LEVEL: z
    .enum(logLevels)
    .default(d.LOG_LEVEL)
    .describe('`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.'),
  HTTP_TLS_CERT: path.optional().describe('Path of the PEM certificate chain of the HTTP door; unset = plain HTTP.'),
  HTTP_TLS_KEY: path.optional().describe('Path of its PEM key.'),
  GRPC_TLS_CERT: path.optional().describe('Path of the PEM certificate chain of the gRPC door; unset = h2c.'),
  GRPC_TLS_KEY: path.optional().describe('Path of its PEM key.'),
});

export type Environment = z.output<typeof environmentSchema>;
