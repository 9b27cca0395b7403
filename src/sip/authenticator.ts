// The credentials of one call, and the challenges they have answered: proxies on the way and the server behind them may each ask,
// and each nonce is used again with a count that goes up (RFC 3261 section 22, RFC 7616).

import { authorization, type Challenge, type DigestHashes, parseChallenges, strongest } from './digest.ts';
import type { SipMessage } from './message.ts';
import type { HeaderLine } from './writer.ts';

/** Which header asks, and which one answers it. */
const ASKED_AND_ANSWERED = [
  ['www-authenticate', 'Authorization'],
  ['proxy-authenticate', 'Proxy-Authorization'],
] as const;

/** Hops with a realm of their own; a call that meets more is a loop. */
const MOST_REALMS = 8;

export interface Credentials {
  username: string;
  password: string;
  /** Default `any`. */
  hashes?: DigestHashes;
}

interface Known {
  readonly header: string;
  readonly challenge: Challenge;
  /** One for all requests with a nonce: the session key of -sess is made of the first one (RFC 7616 section 3.4.2), by some servers of each. */
  readonly cnonce: string;
  /** Requests sent with the nonce. */
  count: number;
}

export class Authenticator {
  readonly #credentials: Credentials | null;
  readonly #newCnonce: () => string;
  readonly #known = new Map<string, Known>();

  constructor(credentials: Credentials | null, newCnonce: () => string) {
    this.#credentials = credentials;
    this.#newCnonce = newCnonce;
  }

  /** The header lines of one request, for every realm that has asked so far. */
  lines(method: string, uri: string): HeaderLine[] {
    const { username, password } = this.#credentials ?? { username: '', password: '' };
    return [...this.#known.values()].map((known): HeaderLine => {
      known.count += 1;
      const input = { username, password, method, uri, nonceCount: known.count, cnonce: known.cnonce };
      return [known.header, authorization(known.challenge, input)];
    });
  }

  /**
   * Takes the challenges of a 401 or 407. True where the request is worth sending again.
   * @param answered The realms that this request has answered before, each with its hash: one that asks for the same again, and not
   * because its nonce is stale, does not accept the password.
   */
  take(response: SipMessage, answered: Set<string>): boolean {
    if (this.#credentials === null) return false;
    let isNew = false;
    for (const [asking, answering] of ASKED_AND_ANSWERED) {
      const challenges = parseChallenges(response.headers.get(asking) ?? []);
      for (const [realm, choices] of Map.groupBy(challenges, (challenge) => challenge.realm)) {
        const challenge = strongest(choices, this.#credentials.hashes);
        const key = `${answering} ${realm}`;
        if (challenge === null || (!this.#known.has(key) && this.#known.size === MOST_REALMS)) continue;
        // Asterisk knows who calls by the first answer alone, and may then ask by another hash, as that caller's settings say.
        const asked = `${key} ${challenge.algorithm}`;
        if (answered.has(asked) && !challenge.stale) return false;
        answered.add(asked);
        this.#known.set(key, { ...this.#usesOf(challenge.nonce, key), header: answering, challenge });
        isNew = true;
      }
    }
    return isNew;
  }

  /** A nonce that is asked for again goes on counting: a count that was used before is a replay (section 3.4). */
  #usesOf(nonce: string, key: string): Pick<Known, 'cnonce' | 'count'> {
    const before = this.#known.get(key);
    return before?.challenge.nonce === nonce ? before : { cnonce: this.#newCnonce(), count: 0 };
  }
}
