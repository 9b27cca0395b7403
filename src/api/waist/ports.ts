// The interfaces that the API expects the service to implement: authentication, rate limits, log, metrics. The API imports none of the
// implementations, so that tests pass their own.

import type { DescMethod } from '@bufbuild/protobuf';
import type { Door, KeyPrincipal, Principal } from './context.ts';
import type { ErrorCode } from './errors.ts';
import type { Quota } from './rate-limit-fields.ts';

export type KeyOutcome =
  | { kind: 'ok'; principal: KeyPrincipal }
  /** Not of the form of a key, or its checksum is wrong. */
  | { kind: 'malformed' }
  | { kind: 'unknown' }
  | { kind: 'revoked' }
  | { kind: 'expired' }
  /** Its account is suspended. */
  | { kind: 'suspended' }
  /** A live key of an account that waits for approval. */
  | { kind: 'not_approved' };

export interface Authenticator {
  /** Looks a key up. `key` is what stood after `Bearer`; never log it. */
  authenticate(key: string): KeyOutcome | Promise<KeyOutcome>;
  /** Whether the key was good when it was last used here: it may be looked up even where others are guessed. Default: none is. */
  isKnown?(key: string): boolean;
  /** Whether it is the deployment's admin token; compares in constant time. False where there is none. */
  isAdmin(token: string): boolean;
  /**
   * Calls `listener` whenever keys have changed, and twice a second, because keys expire. `changed`: some key may have changed,
   * so that callers authenticated before must be authenticated again. Default: never calls it.
   */
  follow?(listener: (look: { changed: boolean; now: number }) => void): void;
}

/** `quota`: the bucket after the call, where it is the caller's own to see. */
export type Allowance = ({ kind: 'ok' } | { kind: 'limited'; retryAfterSeconds: number }) & { quota?: Quota };

export interface RateLimiter {
  /** Counts one call, after it was authorised and before it is read further. `peer` is the caller's address. */
  take(call: { principal: Principal; method: DescMethod; peer: string }): Allowance | Promise<Allowance>;
}

export interface CallReport {
  /** `ramz.v1.VerifyService/Send`, or the route where there is no method. */
  method: string;
  door: Door;
  /** `ok`, or the error code. */
  code: 'ok' | ErrorCode;
  seconds: number;
}

/** Called at the end of every call, for the metrics. Must not throw. */
export type Observer = (report: CallReport) => void;

/** The part of pino's interface that is used. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
