// The rooms of a verification put together: the engine with what this process is to it.

import { randomBytes } from 'node:crypto';
import { inside } from '../db/queryable.ts';
import type { Accounts } from '../engine/accounts/views.ts';
import type { Channels } from '../engine/delivery/channels.ts';
import { createEngine, type Engine } from '../engine/engine.ts';
import type { Fleet } from '../engine/fleet/members.ts';
import type { Webhooks } from '../engine/webhooks/webhooks.ts';
import type { Base } from './base.ts';

export interface VerifyParts {
  fleet: Fleet;
  accounts: Accounts;
  channels: Channels;
  webhooks: Webhooks;
}

export function wireEngine(base: Base, { fleet, accounts, channels, webhooks }: VerifyParts): Engine {
  const { live, database, ring, ids, now, onError, observe } = base;
  return createEngine({
    db: database.lanes,
    reads: inside(database.db),
    processId: fleet.processId,
    now,
    ids,
    randomBytes,
    accounts,
    channels,
    onError,
    rules: live.rules,
    failureLimit: live.failureLimit,
    sendLimits: live.sendLimits,
    observe: { lane: observe.lane, receipt: observe.receipt },
    codeKey: (id) => {
      const key = ring.byId(id);
      if (!key) throw new Error(`the key ring has lost key ${id}, and codes under way with it`);
      return key.key;
    },
    currentKeyId: () => ring.current('code').id,
    postWebhooks: (deliveries, bodies, session) => webhooks.post(deliveries, bodies, session),
    deliveryLeaseMs: webhooks.leaseMs,
    onLost: () => webhooks.lost(),
    mayTakeOver: () => fleet.mayTakeOver,
  });
}
