// API keys as the contract shows them.

import { create } from '@bufbuild/protobuf';
import type { KeyPrefixes } from '../../../core/accounts/api-key.ts';
import type { ApiKeyRow } from '../../../db/schema.ts';
import { keyHint } from '../../../engine/accounts/keys.ts';
import { type ApiKey, ApiKeySchema } from '../../../gen/ramz/v1/api_key_pb.ts';
import { toTimestamp } from '../time.ts';

/** `key` is the key itself: only in the answer that made it. */
export function toApiKey(row: ApiKeyRow, prefixes: KeyPrefixes, key = ''): ApiKey {
  const times = {
    createdAt: toTimestamp(row.created_at),
    expiresAt: toTimestamp(row.expires_at),
    lastUsedAt: toTimestamp(row.last_used_at),
    revokedAt: toTimestamp(row.revoked_at),
  };
  const { id, mode, name, scopes } = row;
  const createdBy = row.created_by ?? '';
  return create(ApiKeySchema, { id, key, mode, name, scopes, hint: keyHint(prefixes, row), createdBy, ...times });
}
