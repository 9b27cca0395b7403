// `@ramz/sdk/testing`: a client whose service is in memory, for tests of applications.

import { encode, type Json } from './codec.ts';
import { ConfigurationError } from './errors.ts';
import { operations } from './gen/operations.ts';
import { type ErrorCode, errorCodes } from './gen/words.ts';
import type { Operation } from './operation.ts';
import { Ramz } from './ramz.ts';
import { fakeFetch, type Told } from './testing/fetch.ts';
import { Refusal } from './testing/refusal.ts';
import { FakeSessions, type SentCode } from './testing/sessions.ts';

export type { SentCode } from './testing/sessions.ts';

/** Options of `FakeRamz`. */
export interface FakeOptions {
  /** The clock it starts with. Default: now. It stands still: see `advance`. */
  now?: Date | undefined;
}

/** What else `FakeRamz.fail` may be told. */
export interface FailOptions {
  /** How many calls. Default 1. */
  times?: number | undefined;
  /** The header `Retry-After`, in seconds. Default: none. */
  retryAfterSeconds?: number | undefined;
}

/**
 * A `Ramz` without a network, key or address: `verify` and `accounts.get` work in memory, everything else answers
 * `unimplemented`, or what `answer` says. The code is zeros, as with a test key. It keeps the rules that callers notice: 30
 * seconds between sends and five of them at most, five wrong codes, ten minutes. No call is repeated.
 */
export class FakeRamz extends Ramz {
  readonly #sessions: FakeSessions;
  readonly #told: Told;

  constructor({ now = new Date() }: FakeOptions = {}) {
    const sessions = new FakeSessions(now.getTime());
    const told: Told = { refused: new Map(), failing: new Map(), answers: new Map() };
    super({
      apiKey: 'ramz_test_fake', // As long as one: it is cut out of errors, wherever it stands there.
      baseUrl: 'http://ramz.invalid',
      fetch: fakeFetch(sessions, told),
      maxRetries: 0,
      dangerouslyAllowBrowser: true,
    });
    this.#sessions = sessions;
    this.#told = told;
  }

  /** Every code that was sent, oldest first. */
  get sent(): readonly SentCode[] {
    return this.#sessions.sent;
  }

  /** Refuses every send to this number from now on. Default: `invalid_phone_number`. Throws for a code that is none. */
  refuse(to: string, code: ErrorCode = 'invalid_phone_number'): void {
    this.#told.refused.set(to, refusal(code, { field: 'to' }));
  }

  /** Fails the next calls of an operation, such as `verify.check`, with an error code. */
  fail(operation: string, code: ErrorCode, { times = 1, retryAfterSeconds }: FailOptions = {}): void {
    const failures = Array.from({ length: times }, () => refusal(code, { retryAfterSeconds }));
    const name = named(operation);
    this.#told.failing.set(name, [...(this.#told.failing.get(name) ?? []), ...failures]);
  }

  /** What an operation, such as `apiKeys.create`, answers from now on; of a list: `{ items, nextPageToken }`. */
  answer(operation: string, body: object): void {
    const name = named(operation);
    const { items, answer }: Operation = operations[name as keyof typeof operations];
    this.#told.answers.set(name, items === undefined ? encode(answer, body) : encodePage(items, answer, body));
  }

  /** Lets time pass: resends become possible, and sessions expire after ten minutes, or after their `ttlSeconds`. */
  advance(ms: number): void {
    this.#sessions.advance(ms);
  }
}

function refusal(code: ErrorCode, about: ConstructorParameters<typeof Refusal>[2]): Refusal {
  if (!Object.hasOwn(errorCodes, code)) throw new ConfigurationError(`there is no error code ${code}`);
  return new Refusal(code, 'the fake was told so', about);
}

/** With the shape of the items: it says which of their fields are maps, whose keys are the application's own. */
function encodePage(items: string, answer: string | undefined, page: object): Json {
  const { items: list, ...rest }: Json = { ...page };
  const json = encode(undefined, rest);
  return Array.isArray(list) ? { ...json, [items]: list.map((item) => encode(answer, item)) } : json;
}

/** The contract's name of an operation: `apiKeys.create` and `api_keys.create` are the same. */
function named(operation: string): string {
  const name = operation.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  if (!Object.hasOwn(operations, name)) throw new ConfigurationError(`there is no operation ${operation}`);
  return name;
}
