// The rooms of the engine put together for this process: verification and webhooks.

import { randomBytes } from 'node:crypto';
import { storedAnswers } from '../api/handlers/verify/service.ts';
import { inside } from '../db/queryable.ts';
import type { AccountViews } from '../engine/accounts/views.ts';
import type { Reports } from '../engine/context.ts';
import type { Channels } from '../engine/delivery/channels.ts';
import { createEngine } from '../engine/engine.ts';
import type { Fleet } from '../engine/fleet/members.ts';
import { Webhooks } from '../engine/webhooks/webhooks.ts';
import type { Base } from './base.ts';

export interface VerifyParts {
  fleet: Fleet;
  accounts: AccountViews;
  channels: Channels;
  webhooks: Webhooks;
  reports: Reports;
}

export function wireEngine(base: Base, { fleet, accounts, channels, webhooks, reports }: VerifyParts) {
  const { live, database, ring, ids, now, logger, observe } = base;
  return createEngine({
    lanes: database.lanes,
    reads: inside(database.db),
    lists: database.lists,
    now,
    ids,
    randomBytes,
    ring,
    settings: live,
    fleet,
    accounts,
    channels,
    webhooks,
    reports,
    answers: storedAnswers(live),
    log: logger,
    observe: { lane: observe.lane, receipt: observe.receipt },
  });
}

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
