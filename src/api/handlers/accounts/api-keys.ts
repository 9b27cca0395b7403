// ApiKeyService: keys of the caller's account. A live key sees both modes, a test key only its own, and no key grants a new
// one what it lacks itself.

import { create } from '@bufbuild/protobuf';
import { apiKeyIdPrefix } from '../../../core/accounts/api-key.ts';
import { isId } from '../../../core/ids.ts';
import type { Mode } from '../../../core/verify/session.ts';
import type { Accounts, ApiKey as ApiKeyRow, KeyRequest } from '../../../engine/accounts/accounts.ts';
import { type ApiKey, ApiKeySchema, ApiKeyService, type CreateApiKeyRequest } from '../../../gen/ramz/v1/api_key_pb.ts';
import { scopeValues } from '../../../gen/values.ts';
import { type KeyPrincipal, keyOf } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import { type RegisteredService, service } from '../../waist/invoke.ts';
import { cutPage, nextPageToken, readPage, readText, toMs, toTimestamp } from '../fields.ts';

export interface ApiKeyServiceOptions {
  keys: Accounts['keys'];
  now(): number;
}

export function apiKeyService({ keys, now }: ApiKeyServiceOptions): RegisteredService {
  return service(ApiKeyService, {
    async createApiKey(request, context) {
      const caller = keyOf(context);
      const made = await keys.create(readKeyRequest(request, caller, now()));
      switch (made.kind) {
        case 'created':
          return { apiKey: toApiKey(made.issued.apiKey, made.issued.key) };
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
        ? await keys.revoke({ accountId, id, modes: visible(mode) })
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

/** Throws `live_key_required`, `missing_scope`, `expires_too_late` or `invalid_argument`. `now` in Unix ms. */
function readKeyRequest(request: CreateApiKeyRequest, caller: KeyPrincipal, now: number): KeyRequest {
  const { accountId, keyId: createdBy } = caller;
  const name = readText(request.name, 'name');
  const mode = request.test === undefined ? caller.mode : request.test ? 'test' : 'live';
  if (mode === 'live' && caller.mode !== 'live') {
    throw fail('live_key_required', 'a test key cannot make a live key', { field: 'test' });
  }
  const expiresAt = readExpiry(request, caller, now);
  return { accountId, mode, name, scopes: readScopes(request, caller), expiresAt, createdBy };
}

/** Scopes in the contract's order. */
function readScopes({ scopes }: CreateApiKeyRequest, caller: KeyPrincipal): readonly string[] {
  const lacking = scopes.find((scope) => !caller.scopes.some((own) => own === scope));
  if (lacking !== undefined) {
    const options = { field: 'scopes', metadata: { scope: lacking } };
    throw fail('missing_scope', `the API key lacks the scope ${lacking}, so it can not grant it`, options);
  }
  const granted: readonly string[] = scopes.length > 0 ? scopes : caller.scopes;
  return scopeValues.filter((scope) => granted.includes(scope));
}

/** Unix ms; null = never. Without a limit of its own, a key that ends would outlive itself in those it made. */
function readExpiry({ expiresAt }: CreateApiKeyRequest, caller: KeyPrincipal, now: number): number | null {
  if (!expiresAt) return caller.expiresAt;
  const at = toMs(expiresAt);
  if (at === undefined || at <= now) {
    throw fail('invalid_argument', 'expires_at must be in the future', { field: 'expires_at' });
  }
  if (caller.expiresAt !== null && at > caller.expiresAt) {
    const latest = new Date(caller.expiresAt).toISOString();
    const message = `the API key expires at ${latest}, so it can not make one that lives longer`;
    throw fail('expires_too_late', message, { field: 'expires_at' });
  }
  return at;
}

/** `key` is the key itself: only in the answer that made it. */
export function toApiKey(row: ApiKeyRow, key = ''): ApiKey {
  const { id, mode, name, scopes, hint } = row;
  return create(ApiKeySchema, {
    id,
    key,
    test: mode === 'test',
    name,
    scopes,
    hint,
    createdBy: row.created_by ?? '',
    createdAt: toTimestamp(row.created_at),
    expiresAt: toTimestamp(row.expires_at),
    lastUsedAt: toTimestamp(row.last_used_at),
    revokedAt: toTimestamp(row.revoked_at),
  });
}
