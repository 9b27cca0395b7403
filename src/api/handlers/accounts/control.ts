// The operations of AdminService on what belongs to an account: its limits, its numbers, its keys, its autofill.

import { create } from '@bufbuild/protobuf';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import { apiKeyIdPrefix } from '../../../core/accounts/api-key.ts';
import { isId } from '../../../core/ids.ts';
import { readNumber } from '../../../core/verify/request.ts';
import type { Mode } from '../../../core/verify/session.ts';
import * as control from '../../../db/accounts/control.ts';
import type { Cells } from '../../../db/cell-keys.ts';
import type { AccountAutofillRow, Db } from '../../../db/schema.ts';
import type { Accounts } from '../../../engine/accounts/accounts.ts';
import { type AdminService, ManagedAutofillSchema } from '../../../gen/ramz/v1/admin_pb.ts';
import { actorOf } from '../../waist/context.ts';
import { fail, toError } from '../../waist/errors.ts';
import { cutPage, nextPageToken, readPage, toTimestamp } from '../fields.ts';
import { readLimitsChange } from './account-limits.ts';
import { toApiKey } from './api-keys.ts';
import { toManaged } from './managed.ts';

type Handlers = Pick<
  ServiceImpl<typeof AdminService>,
  | 'updateAccountLimits'
  | 'unlockNumber'
  | 'listAccountKeys'
  | 'revokeAccountKey'
  | 'revokeAllAccountKeys'
  | 'decideAutofill'
>;

export interface ControlOptions {
  accounts: Accounts;
  /** Home. */
  db: Db;
  /** All databases that sessions are in. */
  cells: Omit<Cells<Db>, 'now'>;
  /** What this process holds of accounts. */
  caches: { clear(accountId?: string): void };
  now(): number;
}

const modes: readonly Mode[] = ['live', 'test'];

export function controlHandlers({ accounts, db, cells, caches, now }: ControlOptions): Handlers {
  const decision = (id: string, context: HandlerContext): control.Decision => ({
    id,
    now: new Date(now()),
    actor: actorOf(context),
  });
  const exists = async (id: string) => {
    if (!(await control.findAccountRow(db, id))) throw accountNotFound();
  };

  return {
    async updateAccountLimits(request, context) {
      const { id } = request;
      const change = readLimitsChange(request);
      await control.changeLimits(db, decision(id, context), { reset: false, change });
      caches.clear(id);
      const row = await accounts.control.find(id);
      if (!row) throw accountNotFound();
      return { account: toManaged(row) };
    },

    async unlockNumber({ id, to, test }, context) {
      const number = readNumber(to);
      if (number.kind === 'refused') throw toError(number);
      await exists(id);
      const chosen = test === undefined ? modes : [test ? ('test' as const) : ('live' as const)];
      const asked = { ...decision(id, context), number: number.e164, modes: chosen };
      const { forgotten, failed } = await control.unlockNumber({ home: db, cells }, asked);
      // Asked once more, it forgets what is left.
      if (failed[0]) throw failed[0].error;
      return { unlocked: forgotten.map(({ mode, failuresInRow }) => ({ test: mode === 'test', failuresInRow })) };
    },

    async listAccountKeys(request) {
      const { id: accountId, includeRevoked } = request;
      await exists(accountId);
      const list = ['account_keys', accountId, String(includeRevoked)];
      const { limit, before } = readPage(request, apiKeyIdPrefix, list);
      const rows = await accounts.keys.list(accountId, modes, { limit: limit + 1, before, includeRevoked });
      const { items, next } = cutPage(rows, limit);
      return { apiKeys: items.map((row) => toApiKey(row)), nextPageToken: nextPageToken(next, list) };
    },

    async revokeAccountKey({ id, force }, context) {
      const asked = { accountId: null, id, modes, force, actor: actorOf(context) };
      const outcome = isId(apiKeyIdPrefix, id) ? await accounts.keys.revoke(asked) : { kind: 'not_found' as const };
      switch (outcome.kind) {
        case 'revoked':
          return { apiKey: toApiKey(outcome.apiKey) };
        case 'not_found':
          throw fail('api_key_not_found', 'no such key');
        case 'last_manage_key':
          throw fail(
            'last_manage_key',
            "this is the account's last live key with the scope manage: revoke it with force",
          );
      }
    },

    async revokeAllAccountKeys({ id }, context) {
      const revoked = await accounts.keys.revokeAll(id, actorOf(context));
      if (!revoked) throw accountNotFound();
      return { apiKeys: revoked.map((row) => toApiKey(row)) };
    },

    async decideAutofill({ id: accountId, value, approved }, context) {
      await exists(accountId);
      const rows = await accounts.control.decideAutofill({ accountId, value, approved }, actorOf(context));
      if (rows.length === 0)
        throw fail('autofill_not_registered', 'the account has not registered it', { field: 'value' });
      return { autofill: rows.map(toManagedAutofill) };
    },
  };
}

const accountNotFound = () => fail('account_not_found', 'no such account', { field: 'id' });

const toManagedAutofill = ({ value, package_name, approved, created_at }: AccountAutofillRow) =>
  create(ManagedAutofillSchema, {
    value,
    packageName: package_name ?? '',
    status: approved ? 'approved' : 'pending',
    createdAt: toTimestamp(created_at),
  });
