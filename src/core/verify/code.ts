// The one-time code: its derivation, and the reading and comparison of typed digits. A code is derived when it is needed and never
// stored, so that a copy of the database reveals none. One that the caller has brought can't be derived: it is stored sealed, until its
// session is over.

import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { typedSeparators } from '../phone.ts';
import { type KeyRing, open, seal } from '../secrets/key-ring.ts';
import type { Session } from './session.ts';

export type HmacKey = KeyObject | Uint8Array;

const twoTo64 = 2n ** 64n;

/** Random bytes in a session's row. */
export const saltBytes = 16;

/**
 * The code of a session: the first 64 bits, big-endian, of HMAC-SHA-256(key, session id ‖ salt ‖ counter), modulo 10^length.
 * The salt is in the session's row alone, the key in the ring alone: neither makes a code without the other.
 * The counter is a big-endian uint32 from 0; it goes up when the 64 bits fall into the last, incomplete stretch of 10^length,
 * which would favour low codes. Id and salt are of fixed length, so id, salt and counter can't run into each other.
 *
 * @param length 4-10 digits; the contract's default is 6, and 4 or 5 only where the deployment allows them.
 * @param salt `saltBytes` random bytes, or null for a session opened before there were any: then the input is id ‖ counter.
 * @returns exactly `length` ASCII digits, leading zeros kept.
 */
export function deriveCode(key: HmacKey, sessionId: string, length: number, salt: Uint8Array | null = null): string {
  if (!Number.isInteger(length) || length < 4 || length > 10) throw new RangeError('a code has 4-10 digits');
  for (let counter = 0; counter < 1000; counter += 1) {
    const code = codeFromBits(firstBits(key, sessionId, salt, counter), length);
    if (code !== undefined) return code;
  }
  throw new Error('no code after 1000 tries: HMAC is broken'); // one try in 10^9 misses, at worst
}

/** Random bytes with which a code is sealed. */
export const sealBytes = 12;

/** The caller's own code as it is stored; it opens in its own session only. `iv`: `sealBytes` random bytes. */
export const sealedCode = (ring: KeyRing, sessionId: string, code: string, iv: Uint8Array): string =>
  seal(ring, 'custom_code', code, sessionId, iv);

/** In place of the caller's code once its session is over. */
export const forgottenCode = '';

/** Whether the digits are the session's code. The caller's own is not known any more once the session is over: nothing equals it. */
export const isCodeOf = (session: Session, digits: string, ring: KeyRing): boolean =>
  session.sealedCode !== forgottenCode && codesEqual(digits, codeOf(session, ring));

/**
 * The code of a session. A test key's code is n zeros (contract, "Keys"), unless its caller has brought one.
 * @throws when the ring has lost the key that the session's code is derived with or sealed under, and when a caller's code is forgotten.
 */
export function codeOf({ mode, id, keyId, codeLength, salt, sealedCode: sealed }: Session, ring: KeyRing): string {
  if (sealed !== null) {
    const opened = open(ring, 'custom_code', sealed, id);
    if (opened.kind === 'ok') return opened.plaintext;
    throw new Error(`the code that the caller of ${id} has brought can not be read: ${opened.reason}`);
  }
  if (mode === 'test') return '0'.repeat(codeLength);
  const key = ring.byId(keyId);
  if (!key) throw new Error(`the key ring has lost key ${keyId}, and codes under way with it`);
  return deriveCode(key.key, id, codeLength, salt === null ? null : Buffer.from(salt, 'hex'));
}

/** The code in 64 random bits, or undefined where they would favour low codes. It is exported so that this edge can be tested. */
export function codeFromBits(bits: bigint, length: number): string | undefined {
  const codes = 10n ** BigInt(length);
  if (bits >= (twoTo64 / codes) * codes) return undefined;
  return (bits % codes).toString().padStart(length, '0');
}

function firstBits(key: HmacKey, sessionId: string, salt: Uint8Array | null, counter: number): bigint {
  const counterBytes = Buffer.alloc(4);
  counterBytes.writeUInt32BE(counter);
  const hmac = createHmac('sha256', key).update(sessionId, 'utf8');
  if (salt) hmac.update(salt);
  return hmac.update(counterBytes).digest().readBigUInt64BE(0);
}

export type NormalisedCode = { kind: 'ok'; digits: string } | { kind: 'malformed' };

/** More than a person types around ten digits; longer input is not looked at. */
const maxInputLength = 64;

/**
 * The typed text as plain digits. Arabic-Indic (U+0660) and Persian (U+06F0) digits are read, separators dropped.
 * `malformed` when the rest is not `length` digits: that costs no try.
 */
export function normaliseCode(input: string, length: number): NormalisedCode {
  if (input.length > maxInputLength) return { kind: 'malformed' };
  const digits = input
    .replace(typedSeparators, '')
    .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 15)); // both blocks start at a multiple of 16
  return digits.length === length && /^[0-9]+$/.test(digits) ? { kind: 'ok', digits } : { kind: 'malformed' };
}

/** Constant time for codes of equal length; the length is no secret. */
export function codesEqual(left: string, right: string): boolean {
  const a = Buffer.from(left);
  const b = Buffer.from(right);
  return a.length === b.length && timingSafeEqual(a, b);
}
