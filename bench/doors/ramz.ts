// The service's two doors as they are in production, key, limits, validation, metrics and all, before a handler that does
// nothing. A process of its own, so that its CPU time is the doors' alone.

import { readFileSync } from 'node:fs';
import { create } from '@bufbuild/protobuf';
import { createAuthenticator } from '../../src/api/auth/authenticator.ts';
import { startApi } from '../../src/api/server.ts';
import { service } from '../../src/api/waist/invoke.ts';
import { observers } from '../../src/app/base.ts';
import { callLimiter } from '../../src/app/call-limiter.ts';
import { defaultKeyPrefixes } from '../../src/core/accounts/api-key.ts';
import { parseKeyRing } from '../../src/core/secrets/key-ring.ts';
import { createDatabase } from '../../src/db/client.ts';
import type { Schema } from '../../src/db/schema.ts';
import { CheckResponseSchema, VerifyService } from '../../src/gen/ramz/v1/verify_pb.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { answer } from './protocol.ts';

const { DATABASE_URL = '', RAMZ_KEY_RING = '' } = process.env;
const parsed = parseKeyRing(readFileSync(RAMZ_KEY_RING, 'utf8'));
if (parsed.kind === 'invalid') throw new Error(parsed.errors.join('; '));
const database = createDatabase<Schema>(DATABASE_URL, { max: 2, lanes: 1 });
const authenticator = createAuthenticator({
  db: database.db,
  ring: parsed.ring,
  prefixes: defaultKeyPrefixes,
  now: Date.now,
  adminTokenHash: null,
});
setInterval(() => authenticator.refresh(), 500);

const logger = createLogger('warn');
const api = await startApi({
  services: [service(VerifyService, { check: () => create(CheckResponseSchema, answer as object) })],
  authenticator,
  logger,
  observer: observers(createMetrics(), logger, Date.now).call,
  rateLimiter: callLimiter(() => 1_000_000, Date.now),
  http: { host: '127.0.0.1', port: 0 },
  grpc: { host: '127.0.0.1', port: 0, maxConcurrentStreams: 1_000 },
});
process.send?.({ httpPort: api.httpPort, grpcPort: api.grpcPort });
