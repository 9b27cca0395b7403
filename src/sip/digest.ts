// Digest authentication of requests: MD5, SHA-256 and SHA-512-256, each with -sess (RFC 7616, RFC 8760), and challenges without qop
// (RFC 2069), which old registrars still send.

import { createHash } from 'node:crypto';
import { endOfQuoted, isToken, quote, splitOutside, trim } from './text.ts';

/** What a server asks for. Texts are as they stand between their quotes, escapes included: that is what is hashed (section 3.4). */
export interface Challenge {
  realm: string;
  nonce: string;
  opaque: string | null;
  /** In capital letters; MD5 where the challenge names none. */
  algorithm: string;
  /** In lower case; empty where the challenge has no qop. */
  qop: readonly string[];
  /** The nonce was too old and the password right: ask the same again with this nonce. */
  stale: boolean;
  userhash: boolean;
}

/** Strongest first; they differ in nothing but the hash. */
const HASHES = new Map([
  ['SHA-256', 'sha256'],
  ['SHA-512-256', 'sha512-256'],
  ['MD5', 'md5'],
]);
const ranks = [...HASHES.keys()];

/** Header lines of WWW-Authenticate or Proxy-Authenticate, whole or split at commas. Other schemes than Digest are left out. */
export function parseChallenges(values: readonly string[]): Challenge[] {
  const found: Map<string, string>[] = [];
  let current: Map<string, string> | null = null;
  for (const part of values.flatMap((value) => splitOutside(value, ','))) {
    const equals = part.indexOf('=');
    const [name = '', second] = trim(equals < 0 ? part : part.slice(0, equals))
      .split(/[ \t]+/)
      .reverse();
    // A scheme precedes the first parameter of its challenge, or stands alone.
    if (second !== undefined || equals < 0) {
      current = (second ?? name).toLowerCase() === 'digest' ? new Map() : null;
      if (current) found.push(current);
    }
    const key = name.toLowerCase();
    if (current && equals >= 0 && isToken(key) && !current.has(key)) current.set(key, rawValue(part.slice(equals + 1)));
  }
  return found.flatMap(toChallenge);
}

function rawValue(text: string): string {
  const value = trim(text);
  const end = value.startsWith('"') ? endOfQuoted(value, 0) : 0;
  return end > 0 ? value.slice(1, end - 1) : value;
}

function toChallenge(parameters: ReadonlyMap<string, string>): Challenge[] {
  const [realm, nonce] = [parameters.get('realm'), parameters.get('nonce')];
  if (realm === undefined || nonce === undefined) return [];
  const isTrue = (name: string) => parameters.get(name)?.toLowerCase() === 'true';
  const words = parameters.get('qop')?.toLowerCase().split(',') ?? [];
  const challenge: Challenge = {
    realm,
    nonce,
    opaque: parameters.get('opaque') ?? null,
    algorithm: (parameters.get('algorithm') ?? 'MD5').toUpperCase(),
    qop: words.map(trim).filter((word) => word !== ''),
    stale: isTrue('stale'),
    userhash: isTrue('userhash'),
  };
  return [challenge];
}

const baseOf = (algorithm: string): string => algorithm.replace(/-SESS$/, '');

/** The hashes that are answered with: `sha-256` leaves out MD5, from whose answers an eavesdropper finds a weak password sooner. */
export type DigestHashes = 'any' | 'sha-256';

/** The challenge to answer: SHA-256 before MD5. Unknown algorithms and `auth-int` alone are passed over; null where none is left. */
export function strongest(challenges: readonly Challenge[], hashes: DigestHashes = 'any'): Challenge | null {
  const isAllowed = (base: string) => HASHES.has(base) && (hashes === 'any' || base !== 'MD5');
  const usable = challenges.filter(
    ({ algorithm, qop }) => isAllowed(baseOf(algorithm)) && (qop.length === 0 || qop.includes('auth')),
  );
  const rank = ({ algorithm }: Challenge) => ranks.indexOf(baseOf(algorithm));
  return usable.sort((a, b) => rank(a) - rank(b))[0] ?? null;
}

export interface DigestInput {
  username: string;
  password: string;
  method: string;
  /** The request URI as it is written in the start line. */
  uri: string;
  /** Requests sent with this nonce, this one included. */
  nonceCount: number;
  /** Random, of hexadecimal digits or base64. */
  cnonce: string;
}

/** The value of Authorization or Proxy-Authorization. @throws Error for an algorithm that `strongest` would pass over. */
export function authorization(challenge: Challenge, input: DigestInput): string {
  const { realm, nonce, opaque, algorithm, userhash } = challenge;
  const { method, uri, cnonce } = input;
  const name = HASHES.get(baseOf(algorithm));
  if (name === undefined) throw new Error('unknown digest algorithm');
  const hash = (...parts: string[]) => createHash(name).update(parts.join(':'), 'latin1').digest('hex');
  const utf8 = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

  const username = quote(utf8(input.username)).slice(1, -1);
  const base = hash(username, realm, utf8(input.password));
  const secret = algorithm.endsWith('-SESS') ? hash(base, nonce, cnonce) : base;
  const asked = hash(method, uri);
  const count = input.nonceCount.toString(16).padStart(8, '0');
  const hasQop = challenge.qop.length > 0;
  const response = hasQop ? hash(secret, nonce, count, cnonce, 'auth', asked) : hash(secret, nonce, asked);

  const fields = [
    `username="${userhash ? hash(username, realm) : username}"`,
    `realm="${realm}"`,
    `nonce="${nonce}"`,
    `uri="${uri}"`,
    `response="${response}"`,
    `algorithm=${algorithm.replace('-SESS', '-sess')}`,
  ];
  if (hasQop || algorithm.endsWith('-SESS')) fields.push(`cnonce="${cnonce}"`);
  if (hasQop) fields.push('qop=auth', `nc=${count}`);
  if (opaque !== null) fields.push(`opaque="${opaque}"`);
  if (userhash) fields.push('userhash=true');
  return `Digest ${fields.join(', ')}`;
}
