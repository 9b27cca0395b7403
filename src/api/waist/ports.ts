// The interfaces that the API expects the service to implement: authentication, rate limits, log, metrics. The API imports none of the
// implementations, so that tests pass their own.

import type { DescMethod } from '@bufbuild/protobuf';
import type { AdministratorPrincipal, Door, KeyPrincipal, Principal } from './context.ts';
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
  /** Its account is closed. */
  | { kind: 'closed' }
  /** A live key of an account that waits for approval. */
  | { kind: 'not_approved' };

export type AdministratorOutcome =
  | { kind: 'ok'; principal: AdministratorPrincipal }
  /** Nobody's, or revoked. */
  | { kind: 'unknown' }
  | { kind: 'expired' };

export interface Authenticator {
  /** Looks a key up. `key` is what stood after `Bearer`; never log it. */
  authenticate(key: string): KeyOutcome | Promise<KeyOutcome>;
  /**
   * Whether the key or token was good when it was last used here: it may be looked up even where others are guessed. Of RAMZ_ADMIN_TOKEN, which may be
   * short, it says nothing. Default: none is.
   */
  isKnown?(key: string): boolean;
  /** Looks an administrator's token up, RAMZ_ADMIN_TOKEN among them; compares in constant time. Never log it. */
  administrator(token: string): AdministratorOutcome | Promise<AdministratorOutcome>;
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
