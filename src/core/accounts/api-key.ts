// API keys: `<environment prefix><id>_<secret>_<checksum>`. The checksum distinguishes a mistyped key from an unknown one without a
// database, and lets secret scanners be sure of a find. Only an HMAC of the secret is ever stored.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { crockfordClass, encodeBytes, encodeNumber } from '../ids.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { HmacKey } from '../verify/code.ts';
import type { Mode } from '../verify/session.ts';

/** The prefix of the id where it is not inside a key. */
export const apiKeyIdPrefix = 'key_';

/** 160 bits. */
export const apiKeySecretBytes = 20;
const checksumLength = 7;
const shape = new RegExp(`^(${crockfordClass}{26})_(${crockfordClass}{32})_(${crockfordClass}{${checksumLength}})$`);

export interface KeyPrefixes {
  /** Setting API_KEY_LIVE_PREFIX, default `ramz_live_`. */
  livePrefix: string;
  testPrefix: string;
}

export const defaultKeyPrefixes: KeyPrefixes = { livePrefix: 'ramz_live_', testPrefix: 'ramz_test_' };

/** A new secret, 32 characters, from 20 random bytes. */
export function newApiKeySecret(random: Uint8Array): string {
  if (random.length !== apiKeySecretBytes) throw new RangeError('an API key secret is 20 random bytes');
  return encodeBytes(random);
}

/** The key as its owner sees it, once. `id` is a whole id, `key_…`. */
export function formatKey({ prefix, id, secret }: { prefix: string; id: string; secret: string }): string {
  const text = `${prefix}${id.slice(id.indexOf('_') + 1)}_${secret}`;
  return `${text}_${checksum(text)}`;
}

export type ParsedKey =
  | { kind: 'ok'; mode: Mode; id: string; secret: string }
  | { kind: 'malformed'; reason: 'unknown_prefix' | 'shape' | 'checksum' };

/** Reads a key; `ok` means only that its form is right. The database and `hashesEqual` decide whether the key exists. */
export function parseKey(text: string, { livePrefix, testPrefix }: KeyPrefixes): ParsedKey {
  const mode = modeOf(text, livePrefix, testPrefix);
  if (mode === undefined) return { kind: 'malformed', reason: 'unknown_prefix' };
  const parsed = parseToken(text, mode === 'live' ? livePrefix : testPrefix);
  return parsed.kind === 'ok' ? { ...parsed, mode, id: apiKeyIdPrefix + parsed.id } : parsed;
}

export type ParsedToken =
  /** `id` without the prefix of the id. */
  { kind: 'ok'; id: string; secret: string } | { kind: 'malformed'; reason: 'shape' | 'checksum' };

/** Reads what follows the prefix, which `text` begins with. */
export function parseToken(text: string, prefix: string): ParsedToken {
  const match = shape.exec(text.slice(prefix.length));
  if (!match) return { kind: 'malformed', reason: 'shape' };
  const [, id = '', secret = '', given] = match;
  if (given !== checksum(text.slice(0, -checksumLength - 1))) return { kind: 'malformed', reason: 'checksum' };
  return { kind: 'ok', id, secret };
}

/** The stored form of a secret: HMAC-SHA-256 under the ring's `api_key` key. A fast hash will do, because a random secret cannot be guessed. */
export function hashSecret(hmacKey: HmacKey, secret: string): Buffer {
  return createHmac('sha256', hmacKey).update(secret, 'utf8').digest();
}

/** What is kept of the administrators' first token, which has no id and is chosen by a person. */
export const tokenHash = (token: string): Buffer => createHash('sha256').update(token, 'utf8').digest();

/** The hash of a secret under another key of the ring, in place of the one under the key `was`. */
export interface Rehashed {
  hash: Buffer;
  keyId: string;
  was: string;
}

/** After a rotation; null where the hash is under the current key, or under the next one by a process that is ahead of this one. */
export function rehashed(ring: Pick<KeyRing, 'current' | 'next'>, was: string, secret: string): Rehashed | null {
  const { id, key } = ring.current('api_key');
  if (was === id || was === ring.next('api_key')?.id) return null;
  return { hash: hashSecret(key, secret), keyId: id, was };
}

/** Constant time for hashes of equal length. */
export function hashesEqual(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

/** The longer prefix wins where one begins like the other. */
function modeOf(text: string, livePrefix: string, testPrefix: string): Mode | undefined {
  const live = text.startsWith(livePrefix);
  const test = text.startsWith(testPrefix);
  if (live && test) return livePrefix.length > testPrefix.length ? 'live' : 'test';
  return live ? 'live' : test ? 'test' : undefined;
}

/** CRC-32 finds every error within 32 bits in a row, so every single wrong character. */
const checksum = (text: string): string => encodeNumber(crc32(text), checksumLength);

/** CRC-32 as in ISO 3309; node:zlib has one, but core imports only node:crypto. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text, 'utf8')) crc = (crc >>> 8) ^ (crcTable[(crc ^ byte) & 0xff] ?? 0);
  return (crc ^ 0xffffffff) >>> 0;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});
