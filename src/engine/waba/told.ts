// What clients are told about a link: `waba.connected` and `waba.disconnected`, in the transaction that makes it so.

import { type IdSource, shardForAccount } from '../../core/ids.ts';
import { inside } from '../../db/queryable.ts';
import type { Tx, WabaRow } from '../../db/schema.ts';
import { insertEvent } from '../../db/webhooks/deliveries.ts';
import { accountEventBody } from '../webhooks/request.ts';

/** Due at once: whichever process sweeps next delivers it. `now`: Unix ms. */
export async function tellLink(tx: Tx, ids: IdSource, row: WabaRow, now: number): Promise<void> {
  const { account_id: accountId, waba_id, phone_number_id, reason } = row;
  const type = row.status === 'connected' ? 'waba.connected' : 'waba.disconnected';
  const event = { id: ids('evt_', shardForAccount(accountId)), type, accountId, mode: 'live' as const };
  const body = accountEventBody({ ...event, at: now, data: { waba_id, phone_number_id, reason: reason ?? '' } });
  await insertEvent(inside(tx), { ...event, body, now, lease: null });
}
