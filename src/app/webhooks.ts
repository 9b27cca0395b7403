// The room of webhooks put together: delivery, and the endpoints it goes to.

import { shardForAccount } from '../core/ids.ts';
import { withAccountLocked } from '../db/accounts/accounts.ts';
import { inside } from '../db/queryable.ts';
import type { Fleet } from '../engine/fleet/members.ts';
import { EndpointManager } from '../engine/webhooks/manage.ts';
import { Webhooks } from '../engine/webhooks/webhooks.ts';
import type { Base } from './base.ts';

const hourMs = 3_600_000;

export function wireWebhooks({ live, database, ring, ids, now, logger, observe }: Base, fleet: Fleet): Webhooks {
  const { webhooks } = live.config;
  return new Webhooks({
    db: database.lanes,
    fleet,
    ring,
    now,
    log: logger,
    observe: observe.webhooks,
    newEventId: (accountId) => ids('evt_', shardForAccount(accountId)),
    allowPrivate: webhooks.allowPrivateTargets,
    timeoutMs: webhooks.timeoutSeconds * 1000,
    maxFailingMs: webhooks.disableAfterDays * 24 * hourMs,
    queue: { maxInFlightPerEndpoint: webhooks.concurrencyPerEndpoint },
    hosts: {
      atOnce: () => live.config.limits.webhookDeliveriesPerHost,
      perSecond: () => live.config.limits.webhookDeliveriesPerHostPerSecond,
    },
    processes: () => fleet.alive,
  });
}

/** `changed` is called after every change of an endpoint. */
export function wireEndpoints({ live, database, ring, ids, now }: Base, changed: () => void): EndpointManager {
  return new EndpointManager({
    db: inside(database.db),
    ring,
    now,
    changed,
    allowPrivate: live.config.webhooks.allowPrivateTargets,
    mostPerHost: () => live.config.limits.webhookEndpointsPerHost,
    exclusive: (accountId, work) => withAccountLocked(database.db, accountId, work),
    newEndpointId: (accountId) => ids('whe_', shardForAccount(accountId)),
  });
}
