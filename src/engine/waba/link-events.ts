// The events `waba.connected` and `waba.disconnected`, written in the transaction that changes the link.

import type { IdSource } from '../../core/ids.ts';
import type { Tx, WabaRow } from '../../db/schema.ts';
import { emitAccountEvent } from '../webhooks/account-events.ts';

/** `at`: Unix ms. */
export async function emitLink(tx: Tx, ids: IdSource, row: WabaRow, at: number): Promise<void> {
  const { account_id: accountId, waba_id, phone_number_id, reason } = row;
  const type = row.status === 'connected' ? 'waba.connected' : 'waba.disconnected';
  const data = { waba_id, phone_number_id, reason: reason ?? '' };
  await emitAccountEvent(tx, ids, { type, accountId, mode: 'live', at, data });
}
