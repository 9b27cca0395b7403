// Events about an account and no session: the envelope, and the one way to emit one. The event is written in the transaction
// of what it reports, so that the two commit together.

import { type IdSource, shardForAccount } from '../../core/ids.ts';
import type { Mode } from '../../core/verify/session.ts';
import { apiVersion } from '../../core/webhooks/event-body.ts';
import type { Tx } from '../../db/schema.ts';
import { insertEvent } from '../../db/webhooks/deliveries.ts';

export interface AccountEvent {
  type: string;
  accountId: string;
  mode: Mode;
  /** Unix ms. */
  at: number;
  /** The message that contract/ramz/v1/webhook.proto declares for the type. */
  data: object;
}

export interface EmittedEvent {
  id: string;
  body: string;
  /** Endpoints that want the event. */
  endpointIds: string[];
}

/**
 * Stores one delivery for each endpoint of the account and mode that wants the event, for the process that is `holder` to post. Without
 * a holder the deliveries are due at once: the transaction raises the change counter `accounts`, upon which every process looks for them.
 */
export async function emitAccountEvent(
  tx: Tx,
  ids: IdSource,
  event: AccountEvent,
  holder: string | null = null,
): Promise<EmittedEvent> {
  const { type, accountId, mode, at } = event;
  const id = ids('evt_', shardForAccount(accountId));
  const body = accountEventBody(id, event);
  const endpointIds = await insertEvent(tx, { id, type, accountId, mode, body, now: at, holder });
  return { id, body, endpointIds };
}

/** The body of an event about no session: its sequence is 0. */
export function accountEventBody(id: string, { type, accountId, mode, at, data }: AccountEvent): string {
  return JSON.stringify({
    id,
    type,
    api_version: apiVersion,
    account_id: accountId,
    test: mode === 'test',
    session_sequence: 0,
    timestamp: new Date(at).toISOString(),
    data,
  });
}
