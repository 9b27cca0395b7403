// The erasure of a phone number: from an account's data (NumberService), and by an administrator from everything (AdminService).

import type { ServiceImpl } from '@connectrpc/connect';
import { readNumber } from '../../../core/verify/request.ts';
import { findAccountRow } from '../../../db/accounts/control.ts';
import type { Db } from '../../../db/schema.ts';
import type { Erasure } from '../../../engine/erasure/erasure.ts';
import type { AdminService } from '../../../gen/ramz/v1/admin_pb.ts';
import { NumberService } from '../../../gen/ramz/v1/number_pb.ts';
import { actorOf, keyOf } from '../../waist/context.ts';
import { fail, toError } from '../../waist/errors.ts';
import { type RegisteredService, service } from '../../waist/invoke.ts';
import { requireNumbers } from '../fields.ts';

/** Sessions of one call: each is a transaction of its own, and the caller waits. */
const perCall = 500;

export function numberService(erasure: Erasure): RegisteredService {
  return service(NumberService, {
    async eraseNumber({ to }, call) {
      const key = keyOf(call);
      requireNumbers(key);
      const number = readNumber(to);
      if (number.kind === 'refused') throw toError(number);
      const { accountId, mode } = key;
      const { rows, complete } = await erasure.erase({
        number: number.e164,
        scope: { accountId, mode },
        actor: actorOf(call),
        limit: perCall,
      });
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
      const number = readNumber(to);
      if (number.kind === 'refused') throw toError(number);
      // A slip in the id would be answered with `complete`, as if nothing of the number were left.
      if (accountId !== '' && !(await findAccountRow(db, accountId)))
        throw fail('account_not_found', 'no such account', { field: 'account_id' });
      const scope = accountId === '' ? null : { accountId, mode: null };
      const asked = { number: number.e164, scope, actor: actorOf(call), limit: perCall };
      const { rows, complete } = await erasure.erase(asked);
      const tables = Object.entries(rows).map(([table, count]) => ({ table, count }));
      return { tables: tables.toSorted((one, other) => (one.table < other.table ? -1 : 1)), complete };
    },
  };
}
