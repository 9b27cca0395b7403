// HTTP out of the platform: the verification handshake of a callback address, and signed webhooks to it.

import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import { Agent, request } from 'undici';

const TIMEOUT_MS = 10_000;
const MAX_ANSWER = 64 * 1024;

export type Verification = { kind: 'verified' } | { kind: 'failed'; why: string };

/** What came back: a status, or why nothing did. */
export type Posted = { kind: 'answered'; status: number } | { kind: 'unanswered'; why: string };

export class Poster {
  readonly #agent = new Agent({ connections: 8, connectTimeout: TIMEOUT_MS });
  readonly #secret: string;

  /** `secret`: the app's, which signs. */
  constructor(secret: string) {
    this.#secret = secret;
  }

  /** GET with a challenge that must come back as the whole body, with 200. */
  async verify(url: string, verifyToken: string): Promise<Verification> {
    const challenge = String(randomInt(10 ** 8, 10 ** 9));
    const address = URL.parse(url);
    if (!address || !/^https?:$/.test(address.protocol)) return { kind: 'failed', why: 'not an http address' };
    address.searchParams.set('hub.mode', 'subscribe');
    address.searchParams.set('hub.challenge', challenge);
    address.searchParams.set('hub.verify_token', verifyToken);
    try {
      const { statusCode, body } = await request(address, { ...this.#options(), method: 'GET' });
      const text = (await body.text()).slice(0, MAX_ANSWER);
      if (statusCode !== 200) return { kind: 'failed', why: `HTTP status ${statusCode}, 200 expected` };
      if (text !== challenge) return { kind: 'failed', why: 'the answer is not the challenge' };
      return { kind: 'verified' };
    } catch (error) {
      return { kind: 'failed', why: String(error) };
    }
  }

  /** `badly`: signed with another secret. */
  async post(url: string, body: Buffer, badly = false): Promise<Posted> {
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'sandboxplatform/1.0',
      'x-hub-signature-256': signatureOf(body, badly ? `not ${this.#secret}` : this.#secret),
    };
    try {
      const answer = await request(url, { ...this.#options(), method: 'POST', headers, body });
      await answer.body.dump({ limit: MAX_ANSWER });
      return { kind: 'answered', status: answer.statusCode };
    } catch (error) {
      return { kind: 'unanswered', why: String(error) };
    }
  }

  /** Cuts what is under way. */
  stop(): Promise<void> {
    return this.#agent.destroy();
  }

  #options() {
    return { dispatcher: this.#agent, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS };
  }
}

/** Value of `X-Hub-Signature-256`. */
export const signatureOf = (body: Buffer, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** Compares two secrets in constant time. */
export function isSameSecret(given: string, right: string): boolean {
  const [a, b] = [given, right].map((text) => createHmac('sha256', 'compare').update(text).digest());
  return timingSafeEqual(a as Buffer, b as Buffer);
}
