// The event `account.anomaly`: what an account hears of a stop that begins, or that was lifted.

import { shownToAccount } from '../../core/accounts/actor.ts';
import type { IdSource } from '../../core/ids.ts';
import type { StoredStop } from '../../db/limits/stops.ts';
import { emitAccountEvent } from '../webhooks/account-events.ts';

/** Part of a transaction. */
export const emitAnomaly = (tx: Parameters<typeof emitAccountEvent>[0], ids: IdSource, stop: StoredStop, at: number) =>
  emitAccountEvent(tx, ids, {
    type: 'account.anomaly',
    accountId: stop.accountId,
    mode: 'live',
    at,
    data: anomalyData(stop),
  });

/** `AnomalyEvent` of contract/ramz/v1/webhook.proto. */
const anomalyData = (stop: StoredStop) => ({
  rule: stop.rule,
  reason: stop.reason,
  stop: {
    id: stop.id,
    prefix: stop.prefix,
    rule: stop.rule,
    reason: stop.reason,
    sent: stop.sent,
    verified: stop.verified,
    enforced: stop.enforced,
    started_at: iso(stop.startedAt),
    ends_at: iso(stop.endsAt),
    ...(stop.liftedAt === null ? {} : { lifted_at: iso(stop.liftedAt) }),
    lifted_by: shownToAccount(stop.liftedBy) ?? '',
  },
});

const iso = (at: number): string => new Date(at).toISOString();
