// ApiKeyService: keys of the caller's account. A live key sees both modes, a test key only its own.

import { apiKeyIdPrefix } from '../../../core/accounts/api-key.ts';
import { isId } from '../../../core/ids.ts';
import { listApiKeys, revokeApiKey } from '../../../db/accounts/api-keys.ts';
import { createKey, type KeyMaker } from '../../../engine/accounts/keys.ts';
import { ApiKeyService } from '../../../gen/ramz/v1/api_key_pb.ts';
import type { Mode } from '../../../gen/values.ts';
import { type KeyPrincipal, keyOf } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import { type RegisteredService, service } from '../../waist/invoke.ts';
import { cutPage, nextPageToken, readPage } from '../page.ts';
import { readKeyRequest } from './api-key-request.ts';
import { toApiKey } from './api-key-to-proto.ts';

export interface ApiKeyServiceOptions extends KeyMaker {
  /** Called after every change, so that it holds here at once; elsewhere within a second. */
  changed(): void;
}

export function apiKeyService(options: ApiKeyServiceOptions): RegisteredService {
  const { db, prefixes, now, changed } = options;
  return service(ApiKeyService, {
    async createApiKey(request, context) {
      const caller = keyOf(context);
      const made = await createKey(options, readKeyRequest(request, caller, now()));
      switch (made.kind) {
        case 'created':
          changed();
          return { apiKey: toApiKey(made.issued.row, prefixes, made.issued.key) };
        case 'too_many':
          throw fail('too_many_resources', `an account has at most ${made.most} working keys in each mode`);
        case 'account_suspended':
          throw fail('account_suspended', 'the account is suspended: ask the operator of this service');
        case 'maker_revoked':
          throw fail('revoked_api_key', 'the API key was revoked');
        case 'account_not_found':
          throw new Error(`key ${caller.keyId} belongs to no account`);
      }
    },

    async listApiKeys(request, context) {
      const { accountId, mode } = keyOf(context);
      const list = ['api_keys', accountId, mode, String(request.includeRevoked)];
      const { limit, before } = readPage(request, apiKeyIdPrefix, list);
      const { includeRevoked } = request;
      const rows = await listApiKeys(db, accountId, visible(mode), { limit: limit + 1, before, includeRevoked });
      const { items, next } = cutPage(rows, limit);
      return { apiKeys: items.map((row) => toApiKey(row, prefixes)), nextPageToken: nextPageToken(next, list) };
    },

    async revokeApiKey({ id }, context) {
      const outcome = await revoke(keyOf(context), id);
      switch (outcome.kind) {
        case 'revoked':
          changed();
          return { apiKey: toApiKey(outcome.key, prefixes) };
        case 'not_found':
          throw fail('api_key_not_found', 'no such key in this account and mode');
        case 'last_manage_key':
          throw fail('last_manage_key', 'this is the last live key with the scope manage: create another one first');
      }
    },
  });

  function revoke({ accountId, mode }: KeyPrincipal, id: string) {
    if (!isId(apiKeyIdPrefix, id)) return { kind: 'not_found' as const };
    return revokeApiKey(db, { accountId, id, modes: visible(mode), now: new Date(now()) });
  }
}

const visible = (mode: Mode): readonly Mode[] => (mode === 'live' ? ['live', 'test'] : ['test']);
