// The export of an account by an administrator: the pages of engine/erasure/export.ts.

import type { ServiceImpl } from '@connectrpc/connect';
import type { AccountExport } from '../../../engine/erasure/export.ts';
import type { AdminService } from '../../../gen/ramz/v1/admin_pb.ts';
import { actorOf } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import { defaultPageSize } from '../fields.ts';

export function exportHandlers(exports: AccountExport): Pick<ServiceImpl<typeof AdminService>, 'exportAccount'> {
  return {
    async exportAccount({ id, pageSize: limit = defaultPageSize, pageToken }, call) {
      const page = await exports.page(id, { from: pageToken || null, limit, actor: actorOf(call) });
      if (!page) throw fail('account_not_found', 'no such account', { field: 'id' });
      if (page === 'invalid_token') {
        const message = 'page_token is not one of an export of this account that you began within the last 7 days';
        throw fail('invalid_page_token', message, { field: 'page_token' });
      }
      return { records: page.records, nextPageToken: page.next ?? '' };
    },
  };
}
