// `@ramz/sdk/testing`: a client whose service is in memory, for tests of applications.

import { ConfigurationError } from './errors.ts';
import { type ErrorCode, errorCodes } from './gen/words.ts';
import { Ramz } from './ramz.ts';
import { fakeFetch } from './testing/fetch.ts';
import { FakeSessions, type SentCode } from './testing/sessions.ts';

export type { SentCode } from './testing/sessions.ts';

/** Options of `FakeRamz`. */
export interface FakeOptions {
  /** The clock it starts with. Default: now. It stands still: see `advance`. */
  now?: Date | undefined;
}

/**
 * A `Ramz` without a network, key or address: `verify` and `accounts.get` work in memory, everything else answers
 * `unimplemented`. The code is zeros, as with a test key. Five wrong codes fail a session, and it expires.
 */
export class FakeRamz extends Ramz {
  readonly #sessions: FakeSessions;
  readonly #refused: Map<string, ErrorCode>;

  constructor({ now = new Date() }: FakeOptions = {}) {
    const sessions = new FakeSessions(now.getTime());
    const refused = new Map<string, ErrorCode>();
    super({
      apiKey: 'fake',
      baseUrl: 'http://ramz.invalid',
      fetch: fakeFetch(sessions, refused),
      maxRetries: 0,
      dangerouslyAllowBrowser: true,
    });
    this.#sessions = sessions;
    this.#refused = refused;
  }

  /** Every code that was sent, oldest first. */
  get sent(): readonly SentCode[] {
    return this.#sessions.sent;
  }

  /** Refuses every send to this number from now on; default as `invalid_phone_number`. Throws for a code that is none. */
  refuse(to: string, code: ErrorCode = 'invalid_phone_number'): void {
    if (!Object.hasOwn(errorCodes, code)) throw new ConfigurationError(`there is no error code ${code}`);
    this.#refused.set(to, code);
  }

  /** Lets time pass: sessions expire after ten minutes, or after their `ttlSeconds`. */
  advance(ms: number): void {
    this.#sessions.advance(ms);
  }
}
