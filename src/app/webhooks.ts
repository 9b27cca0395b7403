// The room of webhooks put together: delivery, and the endpoints it goes to.

import type { Fleet } from '../engine/fleet/members.ts';
import { Webhooks } from '../engine/webhooks/webhooks.ts';
import type { Base } from './base.ts';

const hourMs = 3_600_000;

export function wireWebhooks(base: Base, fleet: Fleet): Webhooks {
  const { live, database, ring, ids, now, logger, observe, caches } = base;
  const { webhooks } = live.config;
  return new Webhooks({
    db: database.db,
    lists: database.lists,
    lanes: database.lanes,
    fleet,
    ids,
    ring,
    now,
    log: logger,
    caches,
    observer: observe.webhooks,
    allowPrivate: webhooks.allowPrivateTargets,
    timeoutMs: webhooks.timeoutSeconds * 1000,
    maxFailingMs: webhooks.disableAfterDays * 24 * hourMs,
    queue: { maxInFlightPerEndpoint: webhooks.concurrencyPerEndpoint },
    settings: live,
  });
}
