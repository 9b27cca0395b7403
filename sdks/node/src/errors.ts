// Every error the SDK throws. Wrong codes are no errors: they are answers with `valid: false`.
// Names are on the prototypes, because V8 writes them into the stack before fields are set.

import { type ErrorCode, errorCodes } from './gen/words.ts';

/** Base of all errors of the SDK. */
export class RamzError extends Error {
  static {
    RamzError.prototype.name = 'RamzError';
  }
}

/** A missing or malformed option or argument. Nothing was sent. */
export class ConfigurationError extends RamzError {
  static {
    ConfigurationError.prototype.name = 'ConfigurationError';
  }
}

/** No answer came: the connection failed or was lost. `cause` tells why. */
export class NetworkError extends RamzError {
  static {
    NetworkError.prototype.name = 'NetworkError';
  }
}

/** No answer came in time. */
export class RequestTimeoutError extends NetworkError {
  static {
    RequestTimeoutError.prototype.name = 'RequestTimeoutError';
  }
}

/** Why a webhook is not genuine. */
export type SignatureReason = 'malformed' | 'too_old' | 'too_new' | 'no_match';

/** A webhook is not genuine: answer it with 400 and do nothing else. */
export class SignatureError extends RamzError {
  static {
    SignatureError.prototype.name = 'SignatureError';
  }
  readonly reason: SignatureReason;

  constructor(reason: SignatureReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** What an answer says about an error. */
export interface ErrorAnswer {
  status: number;
  code: ErrorCode;
  message: string;
  field?: string | undefined;
  requestId: string;
  retryAfterSeconds?: number | undefined;
  details: Readonly<Record<string, unknown>>;
  headers?: Headers | undefined;
  body?: string | undefined;
}

/** The service refused the call. Its subclasses go by HTTP status; `code` tells exactly. */
export class ApiError extends RamzError {
  static {
    ApiError.prototype.name = 'ApiError';
  }
  /** A code of the contract, or one this SDK does not know yet; empty where the answer is none of Ramz. */
  readonly code: ErrorCode;
  /** The field at fault, by its path on the wire, e.g. `cascade[0].timeout_seconds`. */
  readonly field: string | undefined;
  /** Identifies the call in the service's logs; empty where the answer tells none. */
  readonly requestId: string;
  /** HTTP status; over gRPC the one REST would have answered. */
  readonly status: number;
  /** How long to wait before asking again, in seconds. */
  readonly retryAfterSeconds: number | undefined;
  /** Further members of the error, as on the wire: `session_id`, `resend_after`, `reason` … */
  readonly details: Readonly<Record<string, unknown>>;

  // Private, so that what prints an error does not print all of them.
  readonly #headers: Headers;
  readonly #body: string;

  constructor(answer: ErrorAnswer) {
    super(answer.message);
    this.code = answer.code;
    this.field = answer.field;
    this.requestId = answer.requestId;
    this.status = answer.status;
    this.retryAfterSeconds = answer.retryAfterSeconds;
    this.details = answer.details;
    this.#headers = answer.headers ?? new Headers();
    this.#body = answer.body ?? '';
  }

  /** Headers of the answer, without the API key where something sent it back. Empty over gRPC and in a stream. */
  get headers(): Headers {
    return this.#headers;
  }

  /** The first 1,024 characters of an answer that is not one of Ramz; else empty. */
  get body(): string {
    return this.#body;
  }
}

/** What was asked is not right: 400, and every 4xx without a class of its own. */
export class InvalidRequestError extends ApiError {
  static {
    InvalidRequestError.prototype.name = 'InvalidRequestError';
  }
}
/** The key is missing, unknown, revoked or expired: 401. */
export class AuthenticationError extends ApiError {
  static {
    AuthenticationError.prototype.name = 'AuthenticationError';
  }
}
/** The key may not do this: 403. */
export class PermissionDeniedError extends ApiError {
  static {
    PermissionDeniedError.prototype.name = 'PermissionDeniedError';
  }
}
/** There is no such thing, or not in this mode: 404. */
export class NotFoundError extends ApiError {
  static {
    NotFoundError.prototype.name = 'NotFoundError';
  }
}
/** It does not fit what is there already: 409. */
export class ConflictError extends ApiError {
  static {
    ConflictError.prototype.name = 'ConflictError';
  }
}
/** Too much, or too soon: 429. See `retryAfterSeconds`. */
export class RateLimitError extends ApiError {
  static {
    RateLimitError.prototype.name = 'RateLimitError';
  }
}
/**
 * The service failed (5xx), or what came is not an answer of Ramz, whatever its status: a proxy's page, a redirect. `code` is
 * empty then; see `headers` and `body`.
 */
export class ServerError extends ApiError {
  static {
    ServerError.prototype.name = 'ServerError';
  }
}

const byStatus: Readonly<Record<number, typeof ApiError>> = {
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitError,
};

/** The error of the class that fits its status; without a code it is nobody's but the server's. */
export function apiError(answer: ErrorAnswer): ApiError {
  if (answer.code === '') return new ServerError(answer);
  const isClient = answer.status >= 400 && answer.status < 500;
  return new (byStatus[answer.status] ?? (isClient ? InvalidRequestError : ServerError))(answer);
}

/** The status of a code, for doors that have statuses of their own. */
export const statusOf = (code: string): number => (Object.hasOwn(errorCodes, code) ? errorCodes[code]?.status : 0) ?? 0;
