// The operations of AdminService on administrators themselves.

import { create } from '@bufbuild/protobuf';
import type { ServiceImpl } from '@connectrpc/connect';
import { administratorIdPrefix } from '../../../core/accounts/administrator.ts';
import { isId } from '../../../core/ids.ts';
import type { Accounts, Administrator as AdministratorRow } from '../../../engine/accounts/accounts.ts';
import { type Administrator, AdministratorSchema, type AdminService } from '../../../gen/ramz/v1/admin_pb.ts';
import { adminScopeValues } from '../../../gen/values.ts';
import { actorOf, administratorOf } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import { cutPage, nextPageToken, readPage, readText, toTimestamp } from '../fields.ts';
import { readExpiry, readScopes } from './grants.ts';

type Handlers = Pick<
  ServiceImpl<typeof AdminService>,
  'createAdministrator' | 'listAdministrators' | 'revokeAdministrator'
>;

export interface AdministratorsOptions {
  administrators: Accounts['administrators'];
  now(): number;
}

export function administratorHandlers({ administrators, now }: AdministratorsOptions): Handlers {
  return {
    async createAdministrator(request, context) {
      const maker = { ...administratorOf(context), who: 'the administrator' };
      const name = readText(request.name, 'name');
      const scopes = readScopes(request.scopes, maker, adminScopeValues);
      const expiresAt = readExpiry(request.expiresAt, maker, now());
      const made = await administrators.create({ name, scopes, expiresAt }, actorOf(context));
      if (made.kind === 'created') return { administrator: toAdministrator(made.administrator, made.token) };
      if (made.kind === 'maker_revoked') throw fail('invalid_admin_token', "the administrator's token was revoked");
      throw fail('too_many_resources', `there are at most ${made.most} working administrators`);
    },

    async listAdministrators(request) {
      const { includeRevoked } = request;
      const list = ['administrators', String(includeRevoked)];
      const { limit, before } = readPage(request, administratorIdPrefix, list);
      const rows = await administrators.list({ limit: limit + 1, before, includeRevoked });
      const { items, next } = cutPage(rows, limit);
      return { administrators: items.map((row) => toAdministrator(row)), nextPageToken: nextPageToken(next, list) };
    },

    async revokeAdministrator({ id }, context) {
      const outcome = isId(administratorIdPrefix, id)
        ? await administrators.revoke(id, actorOf(context))
        : { kind: 'not_found' as const };
      switch (outcome.kind) {
        case 'revoked':
          return { administrator: toAdministrator(outcome.administrator) };
        case 'not_found':
          throw fail('administrator_not_found', 'no such administrator');
        case 'last_administrator':
          throw fail(
            'last_administrator',
            'this is the last administrator with the scope administrators: create another one first, or set RAMZ_ADMIN_TOKEN',
          );
      }
    },
  };
}

/** `token` only in the answer that made it. */
function toAdministrator(row: AdministratorRow, token = ''): Administrator {
  const { id, hint, name, scopes } = row;
  return create(AdministratorSchema, {
    id,
    token,
    hint,
    name,
    scopes,
    createdAt: toTimestamp(row.created_at),
    createdBy: row.created_by,
    expiresAt: toTimestamp(row.expires_at),
    lastUsedAt: toTimestamp(row.last_used_at),
    revokedAt: toTimestamp(row.revoked_at),
  });
}
