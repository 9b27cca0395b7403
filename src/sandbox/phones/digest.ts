// Digest authentication as a trunk demands it (RFC 7616, RFC 8760): 407 with a challenge for SHA-256 and one for MD5, each nonce good for
// some minutes, each nonce count once.

import { createHash, randomBytes } from 'node:crypto';
import type { Authentication } from 'sip';
import { BoundedMap } from '../../collections/small-maps.ts';
import type { Clock } from '../clock.ts';
import type { Request } from './stack.ts';

export interface Credentials {
  username: string;
  password: string;
}

export type Verdict =
  | { kind: 'ok' }
  /** Answered with 407 and these headers. */
  | { kind: 'challenge'; headers: { 'proxy-authenticate': Authentication[] } }
  /** Another user, or a wrong password. */
  | { kind: 'refused' };

const algorithms = { 'SHA-256': 'sha256', MD5: 'md5' } as const;
type Algorithm = keyof typeof algorithms;

const realm = 'sandbox';
const nonceMs = 300_000;
const mostNonces = 10_000;

export class Gate {
  readonly #credentials: Credentials;
  readonly #clock: Clock;
  /** Each with its end and the highest count that was used. */
  readonly #nonces = new BoundedMap<string, { until: number; count: number }>(mostNonces);

  constructor(credentials: Credentials, clock: Clock) {
    this.#credentials = credentials;
    this.#clock = clock;
  }

  judge({ method, uri, headers }: Request): Verdict {
    const { username } = this.#credentials;
    const given = (headers['proxy-authorization'] ?? [])
      .filter(({ scheme }) => scheme.toLowerCase() === 'digest')
      .map(unquoted)
      .find((fields) => fields.realm === realm);
    if (!given) return this.#challenge(false);
    const algorithm = (given.algorithm ?? 'MD5').toUpperCase();
    if (!isAlgorithm(algorithm) || given.uri !== uri || given.username !== username) return { kind: 'refused' };
    if (given.response !== this.#response(algorithm, method, given)) return { kind: 'refused' };
    return this.#use(given) ? { kind: 'ok' } : this.#challenge(true);
  }

  #response(algorithm: Algorithm, method: string, { nonce, nc, cnonce, qop, uri }: Record<string, string>): string {
    const { username, password } = this.#credentials;
    const hash = (...parts: (string | undefined)[]) =>
      createHash(algorithms[algorithm]).update(parts.join(':')).digest('hex');
    const secret = hash(username, realm, password);
    const about = hash(method, uri);
    return qop === undefined ? hash(secret, nonce, about) : hash(secret, nonce, nc, cnonce, qop, about);
  }

  /** False for a nonce that is not ours or too old, and for a count that was used before. */
  #use({ nonce = '', nc, qop }: Record<string, string>): boolean {
    const known = this.#nonces.get(nonce);
    if (!known || known.until < this.#clock.now()) return false;
    if (qop === undefined) return true;
    const count = Number.parseInt(nc ?? '', 16);
    if (!(count > known.count)) return false;
    known.count = count;
    return true;
  }

  #challenge(stale: boolean): Verdict {
    const nonce = randomBytes(16).toString('hex');
    this.#nonces.set(nonce, { until: this.#clock.now() + nonceMs, count: 0 });
    const challenge = (algorithm: Algorithm): Authentication => ({
      scheme: 'Digest',
      realm: `"${realm}"`,
      nonce: `"${nonce}"`,
      qop: '"auth"',
      algorithm,
      stale: String(stale),
    });
    return { kind: 'challenge', headers: { 'proxy-authenticate': [challenge('SHA-256'), challenge('MD5')] } };
  }
}

const isAlgorithm = (word: string): word is Algorithm => Object.hasOwn(algorithms, word);

function unquoted(fields: Authentication): Record<string, string> {
  const plain = Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value.replace(/^"(.*)"$/, '$1')]);
  return Object.fromEntries(plain);
}
