// The erasure of a phone number: from an account's data (NumberService), and by an administrator from everything (AdminService).

import type { ServiceImpl } from '@connectrpc/connect';
import { storedNumber } from '../../../core/erasure/number-forms.ts';
import { readNumber } from '../../../core/verify/request.ts';
import { findAccountRow } from '../../../db/accounts/control.ts';
import type { Db } from '../../../db/schema.ts';
import type { Erasure, ErasureRequest, NumberErased } from '../../../engine/erasure/erasure.ts';
import type { AdminService } from '../../../gen/ramz/v1/admin_pb.ts';
import { NumberService } from '../../../gen/ramz/v1/number_pb.ts';
import { actorOf, keyOf } from '../../waist/context.ts';
import { fail, toError } from '../../waist/errors.ts';
import { type RegisteredService, service } from '../../waist/invoke.ts';
import { requireNumbers } from '../fields.ts';

/**
 * For one call: each session is a transaction of its own, and the caller waits. A call ends after 10 s, and the work would go on unseen: the
 * rest of them is for what was begun in time.
 */
const perCall = { limit: 500, timeLimitMs: 6_000 };

/**
 * Erases the number that `to` is, or was when it was stored: countries give lengths up. A text that is valid no longer and of which nothing is
 * stored is a slip, and is refused as a send would refuse it.
 */
async function eraseTyped(erasure: Erasure, to: string, asked: Omit<ErasureRequest, 'number'>): Promise<NumberErased> {
  const read = readNumber(to);
  if (read.kind === 'ok') return erasure.erase({ number: read.e164, ...asked });
  const number = storedNumber(to);
  const erased = number === null ? null : await erasure.eraseStored({ number, ...asked });
  if (!erased) throw toError(read);
  return erased;
}

export function numberService(erasure: Erasure): RegisteredService {
  return service(NumberService, {
    async eraseNumber({ to }, call) {
      const key = keyOf(call);
      requireNumbers(key);
      const { accountId, mode } = key;
      const asked = { scope: { accountId, mode }, actor: actorOf(call), ...perCall };
      const { rows, complete } = await eraseTyped(erasure, to, asked);
      return {
        sessions: rows.verify_session ?? 0,
        receipts: rows.receipt ?? 0,
        webhookDeliveries: rows.webhook_delivery ?? 0,
        storedResponses: rows.idempotency ?? 0,
        complete,
      };
    },
  });
}

/** The operations of AdminService. `db`: home. */
export function erasureHandlers(
  erasure: Erasure,
  db: Db,
): Pick<ServiceImpl<typeof AdminService>, 'eraseNumberEverywhere'> {
  return {
    async eraseNumberEverywhere({ to, accountId }, call) {
      // A slip in the id would be answered with `complete`, as if nothing of the number were left.
      if (accountId !== '' && !(await findAccountRow(db, accountId)))
        throw fail('account_not_found', 'no such account', { field: 'account_id' });
      const scope = accountId === '' ? null : { accountId, mode: null };
      const asked = { scope, actor: actorOf(call), ...perCall };
      const { rows, complete } = await eraseTyped(erasure, to, asked);
      const tables = Object.entries(rows).map(([table, count]) => ({ table, count }));
      return { tables: tables.toSorted((one, other) => (one.table < other.table ? -1 : 1)), complete };
    },
  };
}
