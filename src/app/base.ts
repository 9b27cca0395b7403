// What every part of a process is made with: its connections, its clock, ids, keys, log and metrics. Nothing is opened here;
// the first statement opens the first connection.

import { randomBytes } from 'node:crypto';
import type { Config } from '../config.ts';
import { type IdSource, idSource } from '../core/ids.ts';
import { type KeyRing, parseKeyRing } from '../core/secrets/key-ring.ts';
import { createDatabase, type Database } from '../db/client.ts';
import type { Schema } from '../db/schema.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { Caches } from './caches.ts';
import { LiveSettings } from './live-settings.ts';
import { observers } from './observers.ts';

export interface AppOptions {
  config: Config;
  databaseUrl: string;
  logger: Logger;
  metrics: Metrics;
}

export interface Base {
  live: LiveSettings;
  /** For calls and for what they set off. */
  database: Database<Schema>;
  /**
   * For who a caller is, whether the process is ready, and the leases: none of them may wait in line behind what callers read, and a
   * process whose lease waits is taken for dead, with its messages.
   */
  watch: Database<Schema>;
  ring: KeyRing;
  ids: IdSource;
  /** ms since 1970. */
  now(): number;
  logger: Logger;
  metrics: Metrics;
  observe: ReturnType<typeof observers>;
  /** Everything this process holds of accounts, keys and endpoints. */
  caches: Caches;
  onError(error: unknown, about: object): void;
}

/** @throws when the key ring is not one. */
export function createBase({ config, databaseUrl, logger, metrics }: AppOptions): Base {
  const now = Date.now;
  const parsed = parseKeyRing(config.server.keyRingJson);
  if (parsed.kind === 'invalid') throw new Error(parsed.errors.join('; '));
  const onConnectionLost = (error: Error) => logger.warn({ err: error }, 'database connection lost');
  return {
    live: new LiveSettings(config),
    database: createDatabase<Schema>(databaseUrl, { max: 7, lanes: 6, lists: 3, onConnectionLost }),
    watch: createDatabase<Schema>(databaseUrl, { max: 3, lanes: 2, onConnectionLost }),
    ring: parsed.ring,
    ids: idSource({ now, randomBytes }),
    now,
    logger,
    metrics,
    observe: observers(metrics, now),
    caches: new Caches(),
    onError: (error, about) => logger.error({ err: error, ...about }, 'unexpected error'),
  };
}
