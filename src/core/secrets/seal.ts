// Secrets at rest: AES-256-GCM under a key of the ring, written as `<key id>.<base64 of iv, ciphertext and tag>`.

import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { KeyPurpose, KeyRing } from './key-ring.ts';

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** Purposes whose keys are for encryption; the others sign. */
export type SealPurpose = Extract<KeyPurpose, 'webhook_secret' | 'waba_secret'>;

/**
 * Encrypts under the purpose's current key.
 * @param aad what the secret belongs to (e.g. the endpoint's id): a sealed text copied to another row doesn't open there.
 * @param iv 12 random bytes, never used twice.
 */
export function seal(ring: KeyRing, purpose: SealPurpose, plaintext: string, aad: string, iv: Uint8Array): string {
  if (iv.length !== ivBytes) throw new RangeError('an AES-GCM iv is 12 bytes');
  const { id, key } = ring.current(purpose);
  const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(aad, 'utf8'));
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  return `${id}.${Buffer.concat([iv, ciphertext, cipher.getAuthTag()]).toString('base64')}`;
}

/** Whether it was sealed with the key that is current now: after a rotation what was not is sealed anew. */
export const isSealedAnew = (ring: KeyRing, purpose: SealPurpose, sealed: string): boolean =>
  sealed.startsWith(`${ring.current(purpose).id}.`);

export type Opened =
  | { kind: 'ok'; plaintext: string }
  | { kind: 'unreadable'; reason: 'malformed' | 'unknown_key' | 'not_authentic' };

/** Decrypts with whichever key of that purpose sealed it. */
export function open(ring: KeyRing, purpose: SealPurpose, sealed: string, aad: string): Opened {
  const dot = sealed.indexOf('.');
  const bytes = Buffer.from(sealed.slice(dot + 1), 'base64');
  if (dot < 1 || bytes.length < ivBytes + tagBytes) return { kind: 'unreadable', reason: 'malformed' };
  const key = ring.byId(sealed.slice(0, dot));
  if (key?.purpose !== purpose) return { kind: 'unreadable', reason: 'unknown_key' };
  const decipher = createDecipheriv(algorithm, key.key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(aad, 'utf8'));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const ciphertext = bytes.subarray(ivBytes, -tagBytes);
    return { kind: 'ok', plaintext: Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8') };
  } catch {
    return { kind: 'unreadable', reason: 'not_authentic' };
  }
}
