// A new secret of an API key or of an administrator's token, and what is stored of it.

import { randomBytes } from 'node:crypto';
import { apiKeySecretBytes, hashSecret, newApiKeySecret } from '../../core/accounts/api-key.ts';
import type { KeyRing } from '../../core/secrets/key-ring.ts';

/** `secret` is shown once, inside the key or the token, and stored nowhere; `columns` are. */
export function newSecret(ring: Pick<KeyRing, 'current'>) {
  const secret = newApiKeySecret(randomBytes(apiKeySecretBytes));
  const { id, key } = ring.current('api_key');
  return { secret, columns: { secret_hash: hashSecret(key, secret), hmac_key_id: id } };
}
