// Ids, and the base32 they are written in. An id is a prefix and the lowercase Crockford base32 of a UUIDv7 (RFC 9562 section 5.7)
// that carries a shard, so ids sort by time and name the shard of their rows. The base32 lacks i, l, o and u, so that nothing is
// misread aloud; API keys are written in it, too.
//
// 128 bits, left-padded to 130, are 26 characters of 5 bits:
//   0-9    the 48-bit Unix time in ms (two padding bits first, so character 0 is at most '7')
//   10     version 7 and the first bit of rand_a
//   11-12  the shard (of a number, or of an account): ten bits, wholly inside rand_a, so the id stays a valid UUIDv7
//   13     the last bit of rand_a, the variant (binary 10), two bits of rand_b
//   14-25  sixty bits of rand_b

import { hash } from 'node:crypto';

export const crockfordAlphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** One character of the alphabet, as a piece of a regular expression. */
export const crockfordClass = '[0-9a-hjkmnp-tv-z]';

/** `length` characters for a whole number below 32^length, most significant first. Exact up to 2^53. */
export function encodeNumber(value: number, length: number): string {
  let text = '';
  let rest = value;
  for (let i = 0; i < length; i += 1) {
    text = crockfordAlphabet[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** The number written in `text`. A character outside the alphabet is a bug of the caller: RangeError. */
export function decodeNumber(text: string): number {
  let value = 0;
  for (const char of text) {
    const digit = crockfordAlphabet.indexOf(char);
    if (digit < 0) throw new RangeError('not lowercase Crockford base32');
    value = value * 32 + digit;
  }
  return value;
}

/** Eight characters for every five bytes; the length has to be a multiple of five, so that there is no padding to agree on. */
export function encodeBytes(bytes: Uint8Array): string {
  if (bytes.length % 5 !== 0) throw new RangeError('base32 without padding needs a multiple of 5 bytes');
  let text = '';
  for (let at = 0; at < bytes.length; at += 5) {
    let group = 0;
    for (let i = 0; i < 5; i += 1) group = group * 256 + (bytes[at + i] ?? 0);
    text += encodeNumber(group, 8);
  }
  return text;
}

/** Shards of all numbers and accounts. Fixed: ids carry their shard. */
export const shardCount = 1024;
const bodyLength = 26;
const maxTimeMs = 2 ** 48 - 1;
const body = new RegExp(`^[0-7]${crockfordClass}{9}[ef]${crockfordClass}{2}[89abrstv]${crockfordClass}{12}$`);

export interface NewId {
  nowMs: number;
  /** 0 to 1023. */
  shard: number;
  /** At least 10 bytes that are used for nothing else. */
  random: Uint8Array;
}

/** A new id, e.g. `newId('vrf_', …)`. Two ids of one millisecond sort at random. Throws RangeError for an impossible time, shard or random. */
export function newId(prefix: string, { nowMs, shard, random }: NewId): string {
  if (random.length < 10) throw new RangeError('an id needs 10 random bytes');
  return prefix + timePart(nowMs) + shardAndRest(shard, random, 0);
}

/** The lowest id there can be at `atMs`: the lower bound of a partition or a time range. */
export function lowestId(prefix: string, atMs: number): string {
  return `${prefix}${timePart(atMs)}e008000000000000`;
}

/** The shard in any id, whatever its prefix: 0 to 1023. */
export function shardOf(id: string): number {
  const start = id.length - bodyLength;
  return decodeNumber(id.slice(start + 11, start + 13));
}

/** Keys, endpoints and senders of an account are in the account's own shard. */
export const shardForAccount = (accountId: string): number => shardOf(accountId);

/**
 * The shard of a phone number: the first ten bits of SHA-256 of its E.164 form, with the plus. All that belongs to a session is in its
 * number's shard, so this is fixed for good: another one would look for stored rows where they are not.
 */
export const shardForNumber = (e164: string): number => shardForText(e164);

/** A shard for any text: the first ten bits of its SHA-256. */
export function shardForText(text: string): number {
  const digest = hash('sha256', text, 'buffer');
  return (byte(digest, 0) << 2) | (byte(digest, 1) >> 6);
}

/** When the id was made, in Unix ms. */
export function timeOf(id: string): number {
  const start = id.length - bodyLength;
  return decodeNumber(id.slice(start, start + 10));
}

/** True for an id of that kind; input is checked with it before it reaches a query. */
export function isId(prefix: string, value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(prefix) && body.test(value.slice(prefix.length));
}

/** Makes ids; without a shard the id gets one at random, as a new account does. `at`: its time, Unix ms; default now. */
export type IdSource = (prefix: string, shard?: number, at?: number) => string;

export interface IdSourceOptions {
  now(): number;
  /** Cryptographically random bytes; asked for 8 KiB at a time, because a call per id costs more than the id. */
  randomBytes(size: number): Uint8Array;
}

const poolSize = 8192;
/** Ten bytes for the id, two for the shard of an id that was given none. */
const bytesPerId = 12;

export function idSource({ now, randomBytes }: IdSourceOptions): IdSource {
  let pool: Uint8Array = new Uint8Array(0);
  let used = 0;
  return (prefix, shard, time = now()) => {
    if (used + bytesPerId > pool.length) {
      pool = randomBytes(poolSize);
      used = 0;
    }
    const at = used;
    used += bytesPerId;
    const own = shard ?? ((byte(pool, at + 10) << 8) | byte(pool, at + 11)) % shardCount;
    return prefix + timePart(time) + shardAndRest(own, pool, at);
  };
}

function timePart(ms: number): string {
  if (!Number.isInteger(ms) || ms < 0 || ms > maxTimeMs) throw new RangeError('time of an id is not a 48-bit ms');
  return encodeNumber(ms, 10);
}

function shardAndRest(shard: number, random: Uint8Array, at: number): string {
  if (!Number.isInteger(shard) || shard < 0 || shard >= shardCount) throw new RangeError('shard is not 0-1023');
  const first = byte(random, at);
  const version = char(0b01110 | (first & 1));
  const variant = char(((first & 2) << 3) | 0b01000 | ((first >> 2) & 3));
  return (
    version + char(shard >> 5) + char(shard & 31) + variant + thirtyBits(random, at + 1) + thirtyBits(random, at + 5)
  );
}

/** Six characters from four bytes; two bits are dropped. */
function thirtyBits(bytes: Uint8Array, at: number): string {
  const bits = (byte(bytes, at) << 24) | (byte(bytes, at + 1) << 16) | (byte(bytes, at + 2) << 8) | byte(bytes, at + 3);
  return encodeNumber(bits >>> 2, 6);
}

const byte = (bytes: Uint8Array, at: number): number => bytes[at] ?? 0;
const char = (fiveBits: number): string => crockfordAlphabet[fiveBits] ?? '';
