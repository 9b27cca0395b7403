// ApiKeyService: keys of the caller's account. A live key sees both modes, a test key only its own, and no key grants a new
// one what it lacks itself.

import { create } from '@bufbuild/protobuf';
import { apiKeyIdPrefix } from '../../../core/accounts/api-key.ts';
import { isId } from '../../../core/ids.ts';
import type { Mode } from '../../../core/verify/session.ts';
import type { Accounts, ApiKey as ApiKeyRow, KeyRequest } from '../../../engine/accounts/accounts.ts';
import { type ApiKey, ApiKeySchema, ApiKeyService, type CreateApiKeyRequest } from '../../../gen/ramz/v1/api_key_pb.ts';
import { scopeValues } from '../../../gen/values.ts';
import { actorOf, type KeyPrincipal, keyOf } from '../../waist/context.ts';
import { accountStopped, fail } from '../../waist/errors.ts';
import { type RegisteredService, service } from '../../waist/invoke.ts';
import { cutPage, nextPageToken, readPage, readText, toTimestamp } from '../fields.ts';
import { readExpiry, readScopes } from './grants.ts';
import { readRestrictions, toRestrictions } from './key-restrictions.ts';

export interface ApiKeyServiceOptions {
  keys: Accounts['keys'];
  now(): number;
}

export function apiKeyService({ keys, now }: ApiKeyServiceOptions): RegisteredService {
  return service(ApiKeyService, {
    async createApiKey(request, context) {
      const caller = keyOf(context);
      const made = await keys.create({ ...readKeyRequest(request, caller, now()), actor: actorOf(context) });
      switch (made.kind) {
        case 'created':
          return { apiKey: toApiKey(made.issued.apiKey, made.issued.key) };
        case 'too_many':
          throw fail('too_many_resources', `an account has at most ${made.most} working keys in each mode`);
        case 'account_suspended':
        case 'account_closed':
          throw accountStopped(made.kind);
        case 'maker_revoked':
          throw fail('revoked_api_key', 'the API key was revoked');
        case 'account_not_found':
          throw new Error(`key ${caller.keyId} belongs to no account`);
      }
    },

    async listApiKeys(request, context) {
      const { accountId, mode } = keyOf(context);
      const { includeRevoked } = request;
      const list = ['api_keys', accountId, mode, String(includeRevoked)];
      const { limit, before } = readPage(request, apiKeyIdPrefix, list);
      const rows = await keys.list(accountId, visible(mode), { limit: limit + 1, before, includeRevoked });
      const { items, next } = cutPage(rows, limit);
      return { apiKeys: items.map((row) => toApiKey(row)), nextPageToken: nextPageToken(next, list) };
    },

    async revokeApiKey({ id }, context) {
      const { accountId, mode } = keyOf(context);
      const outcome = isId(apiKeyIdPrefix, id)
        ? await keys.revoke({ accountId, id, modes: visible(mode), actor: actorOf(context) })
        : { kind: 'not_found' as const };
      switch (outcome.kind) {
        case 'revoked':
          return { apiKey: toApiKey(outcome.apiKey) };
        case 'not_found':
          throw fail('api_key_not_found', 'no such key in this account and mode');
        case 'last_manage_key':
          throw fail('last_manage_key', 'this is the last live key with the scope manage: create another one first');
      }
    },
  });
}

const visible = (mode: Mode): readonly Mode[] => (mode === 'live' ? ['live', 'test'] : ['test']);

/** Throws `live_key_required`, `missing_scope`, `expires_too_late`, `restrictions_too_wide` or `invalid_argument`. `now` in Unix ms. */
function readKeyRequest(request: CreateApiKeyRequest, caller: KeyPrincipal, now: number): Omit<KeyRequest, 'actor'> {
  const { accountId, keyId: createdBy } = caller;
  const name = readText(request.name, 'name');
  const mode = request.test === undefined ? caller.mode : request.test ? 'test' : 'live';
  if (mode === 'live' && caller.mode !== 'live') {
    throw fail('live_key_required', 'a test key cannot make a live key', { field: 'test' });
  }
  const maker = { ...caller, who: 'the API key' };
  const scopes = readScopes(request.scopes, maker, scopeValues);
  const restrictions = readRestrictions(request, caller);
  const expiresAt = readExpiry(request.expiresAt, maker, now);
  const person = request.person.trim();
  return { accountId, mode, name, person, scopes, expiresAt, createdBy, restrictions };
}

/** `key` is the key itself: only in the answer that made it. */
export function toApiKey(row: ApiKeyRow, key = ''): ApiKey {
  const { id, mode, name, person, scopes, hint } = row;
  return create(ApiKeySchema, {
    id,
    key,
    test: mode === 'test',
    name,
    person,
    scopes,
    hint,
    createdBy: row.created_by ?? '',
    createdAt: toTimestamp(row.created_at),
    expiresAt: toTimestamp(row.expires_at),
    lastUsedAt: toTimestamp(row.last_used_at),
    revokedAt: toTimestamp(row.revoked_at),
    ...toRestrictions(row.restrictions),
  });
}
