// LimitListService: the allow list and the block list of the caller's account and mode.

import { create } from '@bufbuild/protobuf';
import { isId } from '../../../core/ids.ts';
import { type ListName, listIdPrefix } from '../../../core/limits/lists.ts';
import type { Accounts, ListEntry, Listed } from '../../../engine/accounts/accounts.ts';
import {
  LimitListService,
  type ListEntry as ListEntryMessage,
  ListEntrySchema,
} from '../../../gen/ramz/v1/limit_list_pb.ts';
import { actorOf, keyOf } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import { type RegisteredService, service } from '../../waist/invoke.ts';
import { cutPage, nextPageToken, readPage, toTimestamp } from '../fields.ts';

export function limitListService({ lists }: Pick<Accounts, 'lists'>): RegisteredService {
  return service(LimitListService, {
    async createListEntry({ list, value, note }, context) {
      const { accountId, mode } = keyOf(context);
      const entry = { list: list as ListName, value, note, actor: actorOf(context) };
      const outcome = await lists.add({ accountId, mode }, entry);
      return { entry: addedEntry(outcome, (most) => `an account has at most ${most} entries in each mode`) };
    },

    async listListEntries(request, context) {
      const { accountId, mode } = keyOf(context);
      const list = (request.list || null) as ListName | null;
      const binding = ['limit_list', accountId, mode, list ?? ''];
      const { limit, before } = readPage(request, listIdPrefix, binding);
      const rows = await lists.list({ accountId, mode }, { list, limit: limit + 1, before });
      const { items, next } = cutPage(rows, limit);
      return { entries: items.map(toEntry), nextPageToken: nextPageToken(next, binding) };
    },

    async deleteListEntry({ id }, context) {
      const { accountId, mode } = keyOf(context);
      const removed = isId(listIdPrefix, id) ? await lists.remove({ accountId, mode }, id, actorOf(context)) : null;
      if (!removed) throw fail('list_entry_not_found', 'no such entry on the lists of this account and mode');
      return {};
    },
  });
}

const valueRule =
  'value must be a mobile number in international format, or a shorter prefix with an asterisk, e.g. +213551*';

/** The entry, new or not; `tooMany` words the refusal. Throws `invalid_argument`, `unimplemented` or `too_many_resources`. */
export function addedEntry(outcome: Listed, tooMany: (most: number) => string): ListEntryMessage {
  switch (outcome.kind) {
    case 'listed':
      return toEntry(outcome.entry);
    case 'invalid_value':
      throw fail('invalid_argument', valueRule, { field: 'value' });
    case 'no_key':
      throw fail('unimplemented', 'the key ring of this deployment has no lists key: list prefixes only');
    case 'too_many':
      throw fail('too_many_resources', tooMany(outcome.most));
  }
}

export const toEntry = ({ id, list, value, note, createdAt, createdBy }: ListEntry): ListEntryMessage =>
  create(ListEntrySchema, { id, list, value, note, createdBy, createdAt: toTimestamp(createdAt) });
