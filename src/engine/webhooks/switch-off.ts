// Switching a failing endpoint off: the account's other endpoints get an event, and what still waited for this one is given up.

import { inTransaction, raiseChanges } from '../../db/changes.ts';
import { parkDeliveries } from '../../db/webhooks/deliveries.ts';
import { disableEndpoint } from '../../db/webhooks/endpoints.ts';
import { emitAccountEvent } from './account-events.ts';
import type { Job } from './attempts.ts';
import type { WebhooksContext } from './context.ts';
import type { Endpoint } from './held-endpoints.ts';
import { offText } from './outcome.ts';

/** Rows given up at once, and rounds of it; the rest is finished when it comes due. */
const parkLimit = 1_000;
const parkRounds = 100;

/**
 * The deliveries of `endpoint.disabled`, leased to this process. Null when there was nothing to switch off: another attempt was
 * faster, or the address was changed meanwhile.
 */
export async function switchOff(
  context: WebhooksContext,
  { id, accountId, mode, url }: Endpoint,
  reason: 'gone' | 'failing',
  at: number,
): Promise<Job[] | null> {
  const { db, ids, fleet, leaseMs } = context;
  const leaseUntil = at + leaseMs;
  const data = { endpoint_id: id, url, reason, disabled_at: new Date(at).toISOString() };
  const event = { type: 'endpoint.disabled', accountId, mode, at, data };
  const emitted = await inTransaction(db, async (tx) => {
    if (!(await disableEndpoint(tx, { id, url, reason, now: at }))) return null;
    const written = await emitAccountEvent(tx, ids, event, { holder: fleet.holder, leaseUntil });
    await raiseChanges(tx);
    return written;
  });
  if (!emitted) return null;
  context.log.info({ endpoint_id: id, account_id: accountId, reason }, 'webhook endpoint switched off');
  const { id: eventId, body, endpointIds } = emitted;
  return endpointIds.map((endpointId) => ({
    accountId,
    eventId,
    endpointId,
    body,
    attempts: 0,
    leasedAt: at,
    leaseUntil,
  }));
}

/** Marks as failed what still waits for an endpoint that was switched off. */
export async function giveUpWaiting({ lanes }: WebhooksContext, endpointId: string, reason: string): Promise<void> {
  for (let round = 0; round < parkRounds; round += 1) {
    if ((await parkDeliveries(lanes, endpointId, offText(reason), parkLimit)) < parkLimit) return;
  }
}
