// The operations of AdminService on what keeps sends from going out: the stops of accounts, and the lists that hold for all accounts.

import { create } from '@bufbuild/protobuf';
import type { ServiceImpl } from '@connectrpc/connect';
import { isId } from '../../../core/ids.ts';
import { type ListName, listIdPrefix } from '../../../core/limits/lists.ts';
import { stopIdPrefix } from '../../../core/limits/stop.ts';
import type { StoredStop } from '../../../db/limits/stops.ts';
import type { Accounts } from '../../../engine/accounts/accounts.ts';
import type { Stops } from '../../../engine/limits/stops.ts';
import { type AccountStop, AccountStopSchema, type AdminService } from '../../../gen/ramz/v1/admin_pb.ts';
import { actorOf } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import { addedEntry, toEntry } from '../accounts/lists.ts';
import { cutPage, nextPageToken, readPage } from '../fields.ts';
import { toStop } from './limits.ts';

type Handlers = Pick<
  ServiceImpl<typeof AdminService>,
  'listAccountStops' | 'liftAccountStop' | 'createPlatformEntry' | 'listPlatformEntries' | 'deletePlatformEntry'
>;

export interface LimitsAdministration {
  stops: Stops;
  lists: Accounts['lists'];
}

export function limitsAdministrationHandlers({ stops, lists }: LimitsAdministration): Handlers {
  return {
    async listAccountStops(request) {
      const { accountId, active } = request;
      const list = ['account_stops', accountId, String(active)];
      const { limit, before } = readPage(request, stopIdPrefix, list);
      const filter = { accountId: accountId === '' ? null : accountId, activeOnly: active };
      const { items, next } = cutPage(await stops.list(filter, { limit: limit + 1, before }), limit);
      return { stops: items.map(toAccountStop), nextPageToken: nextPageToken(next, list) };
    },

    async liftAccountStop({ id }, call) {
      const lifted = isId(stopIdPrefix, id) ? await stops.lift(id, { accountId: null, actor: actorOf(call) }) : null;
      if (!lifted || lifted.kind === 'stop_not_found') throw fail('stop_not_found', 'no such stop', { field: 'id' });
      return { stop: toAccountStop(lifted.stop) };
    },

    async createPlatformEntry({ list, value, note }, call) {
      const outcome = await lists.add(null, { list: list as ListName, value, note, actor: actorOf(call) });
      return { entry: addedEntry(outcome, (most) => `the lists for all accounts have at most ${most} entries`) };
    },

    async listPlatformEntries(request) {
      const list = (request.list || null) as ListName | null;
      const binding = ['platform_list', list ?? ''];
      const { limit, before } = readPage(request, listIdPrefix, binding);
      const { items, next } = cutPage(await lists.list(null, { list, limit: limit + 1, before }), limit);
      return { entries: items.map(toEntry), nextPageToken: nextPageToken(next, binding) };
    },

    async deletePlatformEntry({ id }, call) {
      const removed = isId(listIdPrefix, id) ? await lists.remove(null, id, actorOf(call)) : null;
      if (!removed) throw fail('list_entry_not_found', 'no such entry on the lists for all accounts', { field: 'id' });
      return {};
    },
  };
}

const toAccountStop = (stop: StoredStop): AccountStop =>
  create(AccountStopSchema, { accountId: stop.accountId, stop: toStop(stop) });
