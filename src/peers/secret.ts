// The pre-shared keys of the peer port, derived from the key ring. A holder of the ring is a process of this deployment; a key is named
// by the ring's own id of it, so that processes find the one they share while the ring rotates.

import { hkdfSync } from 'node:crypto';
import type { KeyRing } from '../core/secrets/key-ring.ts';

/** Sets these keys apart from everything else that is made of the ring: codes, hashes of requests. */
const label = 'ramz peer port 1';
const keyOctets = 32;
/** RFC 4279 section 5.1: an identity is text. */
const identityPrefix = 'ramz-peer ';

/** ECDHE beside the pre-shared key (RFC 8442, RFC 7905): what was recorded stays closed when a ring is lost later. No certificates. */
export const cipher = 'ECDHE-PSK-CHACHA20-POLY1305';

export interface PeerSecret {
  identity: string;
  psk: Buffer;
}

/** The secrets that a process offers when it calls, the current key's first. */
export function offeredSecrets(ring: KeyRing): PeerSecret[] {
  const current = ring.current('code');
  const others = ring.all('code').filter(({ id }) => id !== current.id);
  return [current, ...others].map((key) => ({ identity: identityPrefix + key.id, psk: derive(key) }));
}

/** The secret that a caller names; null where the ring has no such key. Any key of the ring will do: the other's may be ahead or behind. */
export function secretOf(ring: KeyRing, identity: string): Buffer | null {
  if (!identity.startsWith(identityPrefix)) return null;
  const key = ring.byId(identity.slice(identityPrefix.length));
  return key?.purpose === 'code' ? derive(key) : null;
}

const derive = ({ key }: ReturnType<KeyRing['current']>): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', label, keyOctets));
