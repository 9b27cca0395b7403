// The code of a session, derived where it is needed and kept nowhere.

import type { KeyRing } from '../../core/secrets/key-ring.ts';
import { deriveCode } from '../../core/verify/code.ts';
import type { Session } from '../../core/verify/session.ts';

/** A test key's code is n zeros (contract, "Keys"). @throws when the ring has lost the key that the session's code is derived with. */
export function codeOf({ mode, id, keyId, codeLength, salt }: Session, ring: KeyRing): string {
  if (mode === 'test') return '0'.repeat(codeLength);
  const key = ring.byId(keyId);
  if (!key) throw new Error(`the key ring has lost key ${keyId}, and codes under way with it`);
  return deriveCode(key.key, id, codeLength, salt === null ? null : Buffer.from(salt, 'hex'));
}
