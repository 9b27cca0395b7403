// What an Idempotency-Key remembers of its request. Keyed, because the request of a check holds a code: a plain hash of one
// in a million codes is as good as the code.

import { createHmac } from 'node:crypto';
import type { KeyRing } from '../../../core/secrets/key-ring.ts';

export interface RequestHasher {
  hash(canonicalRequest: string): Buffer;
  /** Whether a stored hash is of this request, even where the key it was made with is no longer the current one. */
  matches(stored: Buffer, canonicalRequest: string): boolean;
}

/** Hashes are `<key id>.` and 32 bytes, so that the ring may rotate while they are kept. */
export function requestHasher(ring: KeyRing): RequestHasher {
  const hashWith = ({ id, key }: ReturnType<KeyRing['current']>, canonicalRequest: string): Buffer =>
    Buffer.concat([
      Buffer.from(`${id}.`),
      // The prefix keeps these apart from the codes the same keys derive, whose input begins with a session's id.
      createHmac('sha256', key).update('idempotency\n').update(canonicalRequest).digest(),
    ]);
  return {
    hash: (canonicalRequest) => hashWith(ring.current('code'), canonicalRequest),
    matches(stored, canonicalRequest) {
      const key = ring.byId(stored.subarray(0, Math.max(0, stored.indexOf('.'))).toString('latin1'));
      return key?.purpose === 'code' && hashWith(key, canonicalRequest).equals(stored);
    },
  };
}
