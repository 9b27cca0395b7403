// The rooms of a verification put together: the engine with what this process is to it.

import { randomBytes } from 'node:crypto';
import { storedAnswers } from '../api/handlers/verify/service.ts';
import { inside } from '../db/queryable.ts';
import type { AccountViews } from '../engine/accounts/views.ts';
import type { Channels } from '../engine/delivery/channels.ts';
import { createEngine } from '../engine/engine.ts';
import type { Fleet } from '../engine/fleet/members.ts';
import type { Webhooks } from '../engine/webhooks/webhooks.ts';
import type { Base } from './base.ts';

export interface VerifyParts {
  fleet: Fleet;
  accounts: AccountViews;
  channels: Channels;
  webhooks: Webhooks;
}

export function wireEngine(base: Base, { fleet, accounts, channels, webhooks }: VerifyParts) {
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
    answers: storedAnswers(live),
    log: logger,
    observe: { lane: observe.lane, receipt: observe.receipt },
  });
}
