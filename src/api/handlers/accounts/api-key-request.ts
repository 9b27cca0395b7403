// What a key may ask for in a new key: nothing it lacks itself.

import type { KeyRequest } from '../../../engine/accounts/keys.ts';
import type { CreateApiKeyRequest } from '../../../gen/ramz/v1/api_key_pb.ts';
import { scopeValues } from '../../../gen/values.ts';
import type { KeyPrincipal } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import { readText } from '../text.ts';
import { toMs } from '../time.ts';

/** Throws `live_key_required`, `missing_scope`, `expires_too_late` or `invalid_argument`. `now` in Unix ms. */
export function readKeyRequest(request: CreateApiKeyRequest, caller: KeyPrincipal, now: number): KeyRequest {
  const { accountId, keyId: createdBy } = caller;
  const name = readText(request.name, 'name');
  const mode = request.mode === '' ? caller.mode : request.mode === 'live' ? 'live' : 'test';
  if (mode === 'live' && caller.mode !== 'live') {
    throw fail('live_key_required', 'a test key can not make a live key', { field: 'mode' });
  }
  const expiresAt = readExpiry(request, caller, now);
  return { accountId, mode, name, scopes: readScopes(request, caller), expiresAt, createdBy };
}

/** In the contract's order. */
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
