// The wiring of the webhooks: their databases, settings and limits.

import { homeCell, ofCell } from '../core/fleet/cells.ts';
import { inside } from '../db/queryable.ts';
import type { Fleet } from '../engine/fleet/members.ts';
import { Webhooks } from '../engine/webhooks/webhooks.ts';
import { dayMs } from '../time/wall-clock.ts';
import type { Base } from './base.ts';
import { mapOf } from './cells.ts';

export function wireWebhooks(base: Base, fleets: ReadonlyMap<string, Fleet>): Webhooks {
  const { live, cells, database, ring, ids, now, logger, observe, caches } = base;
  const { webhooks } = live.config;
  return new Webhooks({
    db: database.db,
    lists: database.lists,
    lanes: database.lanes,
    cells: {
      map: mapOf(live),
      each: cells.map(({ name, database: { db, lanes, lists } }) => {
        return { name, lanes, lists, reads: inside(db), fleet: ofCell(fleets, name) };
      }),
    },
    fleet: ofCell(fleets, homeCell),
    ids,
    ring,
    now,
    log: logger,
    caches,
    observer: observe.webhooks,
    lane: { observe: observe.lane },
    allowPrivate: webhooks.allowPrivateTargets,
    timeoutMs: webhooks.timeoutSeconds * 1000,
    maxFailingMs: webhooks.disableAfterDays * dayMs,
    queue: { maxInFlightPerEndpoint: webhooks.concurrencyPerEndpoint },
    settings: live,
  });
}
