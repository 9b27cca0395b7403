// The operations of AdminService on accounts.

import { create } from '@bufbuild/protobuf';
import type { ServiceImpl } from '@connectrpc/connect';
import { isId } from '../../../core/ids.ts';
import type {
  AccountStatus,
  Accounts,
  Changed,
  ManagedAccount as ManagedRow,
} from '../../../engine/accounts/accounts.ts';
import { type AdminService, type ManagedAccount, ManagedAccountSchema } from '../../../gen/ramz/v1/admin_pb.ts';
import { actorOf } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import { nextPageToken, readPage, toTimestamp } from '../fields.ts';
import { toManagedLimits } from './account-limits.ts';

type Handlers = Pick<
  ServiceImpl<typeof AdminService>,
  | 'listAccounts'
  | 'findAccount'
  | 'approveAccount'
  | 'suspendAccount'
  | 'resumeAccount'
  | 'closeAccount'
  | 'reopenAccount'
>;

const idPrefix = 'acct_';

type Outcome = Awaited<ReturnType<Accounts['control']['approve' | 'suspend' | 'resume' | 'close' | 'reopen']>>['kind'];

/**
 * What a closed account refuses, by the outcome; null = no refusal, as where it has been done already. Every outcome is listed, so that the
 * compiler asks for a new one.
 */
const refusals: Readonly<Record<Outcome, string | null>> = {
  approved: null,
  suspended: null,
  resumed: null,
  not_suspended: null,
  closed: null,
  reopened: null,
  not_closed: null,
  account_not_found: null,
  account_closed: 'reopen it first',
  purging: 'its data is being deleted, so it cannot be reopened',
};

export function accountHandlers({ control }: { control: Accounts['control'] }): Handlers {
  const found = (row: ManagedRow | null) => {
    if (!row) throw fail('account_not_found', 'no such account', { field: 'id' });
    return { account: toManaged(row) };
  };
  const changed = async (id: string, change: () => Promise<Changed<{ kind: Outcome }>>) => {
    if (!isId(idPrefix, id)) return found(null);
    const { kind, account } = await change();
    const why = refusals[kind];
    if (why !== null) throw fail('account_closed', `the account is closed: ${why}`, { field: 'id' });
    return found(account);
  };
  return {
    async listAccounts(request) {
      const { search, status } = request;
      const list = ['accounts', search, status];
      const { limit, before } = readPage(request, idPrefix, list);
      const filter = { search, status: status === '' ? null : (status as AccountStatus) };
      const { items, next } = await control.list(filter, { limit, before });
      return { accounts: items.map(toManaged), nextPageToken: nextPageToken(next, list) };
    },
    findAccount: async ({ id }) => found(isId(idPrefix, id) ? await control.find(id) : null),
    approveAccount: ({ id }, call) => changed(id, () => control.approve(id, actorOf(call))),
    suspendAccount: ({ id, reason }, call) =>
      changed(id, () => control.suspend(id, reason.trim() || null, actorOf(call))),
    resumeAccount: ({ id }, call) => changed(id, () => control.resume(id, actorOf(call))),
    closeAccount: ({ id, reason }, call) => changed(id, () => control.close(id, reason.trim() || null, actorOf(call))),
    reopenAccount: ({ id }, call) => changed(id, () => control.reopen(id, actorOf(call))),
  };
}

export function toManaged(row: ManagedRow): ManagedAccount {
  return create(ManagedAccountSchema, {
    id: row.id,
    name: row.name,
    status: row.status,
    createdAt: toTimestamp(row.created_at),
    approvedAt: toTimestamp(row.approved_at),
    suspendedAt: toTimestamp(row.suspended_at),
    suspendedReason: row.suspended_reason ?? '',
    closedAt: toTimestamp(row.closed_at),
    closedReason: row.closed_reason ?? '',
    purgeAt: toTimestamp(row.purge_at),
    smsFirstSendAt: toTimestamp(row.sms_first_send_at),
    limits: toManagedLimits(row.limits),
  });
}
