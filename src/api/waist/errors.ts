// Errors of the API: `fail` makes them, the same at every door. errors.proto declares codes and statuses; each door writes them
// in its own way.

import { create } from '@bufbuild/protobuf';
import { anyPack } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import type { Refusal } from '../../core/verify/event.ts';
import { LaneFull } from '../../db/batch.ts';
import { isLockTimeout } from '../../db/lock-patience.ts';
import { isOutage } from '../../db/outage.ts';
import {
  BadRequestSchema,
  type ErrorInfo,
  ErrorInfoSchema,
  RequestInfoSchema,
  RetryInfoSchema,
} from '../../gen/google/rpc/error_details_pb.ts';
import { type Status, StatusSchema } from '../../gen/google/rpc/status_pb.ts';
import { type ErrorCode, errorCodes } from '../../gen/values.ts';
import type { CallOrigin } from './context.ts';

export type { ErrorCode } from '../../gen/values.ts';

/** `ErrorInfo.domain`: distinguishes our codes from those of other services. */
const errorDomain = 'ramz';

export interface FailOptions {
  /** The field at fault, by its path on the wire, e.g. `cascade[0].timeout_seconds`. */
  field?: string;
  /** When it makes sense to try again; becomes `Retry-After`. Rounded up to whole seconds. */
  retryAfterSeconds?: number;
  /** Further members of the error: beside `code` over REST, in `ErrorInfo.metadata` elsewhere. Snake case; values are shown to clients. */
  metadata?: Record<string, string>;
  /** The error behind it; logged, never shown. */
  cause?: unknown;
}

/**
 * An error to throw from a handler: `throw fail('session_not_found', 'no such session')`. `message` is shown to clients. A text of the caller's in it may
 * have been cut within a character: half of a surrogate pair can't be written over gRPC and gRPC-web, and many a client can't read it from JSON.
 */
export function fail(code: ErrorCode, message: string, options: FailOptions = {}): ConnectError {
  const { retryAfterSeconds, metadata = {}, cause } = options;
  const [description, field] = [message.toWellFormed(), options.field?.toWellFormed()];
  const error = new ConnectError(description, grpcCodeOf(code), undefined, undefined, cause);
  error.details.push({
    desc: ErrorInfoSchema,
    value: { reason: code, domain: errorDomain, metadata: wellFormed(metadata) },
  });
  if (field !== undefined) {
    const violation = { field, description, reason: code.toUpperCase() };
    error.details.push({ desc: BadRequestSchema, value: { fieldViolations: [violation] } });
  }
  if (retryAfterSeconds !== undefined) {
    const seconds = Math.max(1, Math.ceil(retryAfterSeconds));
    error.metadata.set('retry-after', String(seconds));
    error.details.push({ desc: RetryInfoSchema, value: { retryDelay: { seconds: BigInt(seconds), nanos: 0 } } });
  }
  return error;
}

const wellFormed = (texts: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text.toWellFormed()]));

const stoppedAccounts = {
  account_suspended: 'the account is suspended: ask the operator of this service',
  account_closed: 'the account is closed: the operator of this service may reopen it',
} as const;

/** The refusal of a call of an account that the operator of the service has stopped. */
export const accountStopped = (code: keyof typeof stoppedAccounts): ConnectError => fail(code, stoppedAccounts[code]);

/** The content of an error, the same at every door. */
export interface Fault {
  code: ErrorCode;
  message: string;
  field: string | undefined;
  metadata: Record<string, string>;
  httpStatus: number;
}

/** Reads an error made by `fail` (or one of Connect's own, by its status). */
export function faultOf(error: ConnectError): Fault {
  const [info] = error.findDetails(ErrorInfoSchema).filter(isOurs);
  const code = info && info.reason in errorCodes ? (info.reason as ErrorCode) : codeOf(error.code);
  const [bad] = error.findDetails(BadRequestSchema);
  return {
    code,
    message: error.rawMessage,
    field: bad?.fieldViolations[0]?.field,
    metadata: info?.metadata ?? {},
    httpStatus: errorCodes[code].httpStatus,
  };
}

const isOurs = (info: ErrorInfo): boolean => info.domain === errorDomain;

/** Whether the error carries our code, or must still be given one. */
export const isOwnError = (error: ConnectError): boolean => error.findDetails(ErrorInfoSchema).some(isOurs);

/** What is added to the copy is not in the error. */
export function copyOf({ rawMessage, code, metadata, details, cause }: ConnectError): ConnectError {
  const copy = new ConnectError(rawMessage, code, metadata, undefined, cause);
  copy.details.push(...details);
  return copy;
}

/**
 * Anything thrown as an error for clients: our own as it is, Connect's with our code added, a database that is away or
 * overrun as 503, everything else as `internal` without a word about the cause. Adds the request's id.
 */
export function toApiError(reason: unknown, { door, requestId }: Pick<CallOrigin, 'door' | 'requestId'>): ConnectError {
  const error = reason instanceof ConnectError ? reason : foreign(reason);
  if (!isOwnError(error)) {
    const value = { reason: codeOf(error.code), domain: errorDomain, metadata: {} };
    error.details.push({ desc: ErrorInfoSchema, value });
  }
  if (error.findDetails(RequestInfoSchema).length === 0) {
    error.details.push({ desc: RequestInfoSchema, value: { requestId } });
  }
  // Over HTTP every answer has the header, and clients add it to what they find in an error's metadata.
  if (door === 'grpc') error.metadata.set('x-request-id', requestId);
  return error;
}

function foreign(cause: unknown): ConnectError {
  if (cause instanceof LaneFull) {
    return fail('overloaded', 'more waits than can be stored in time; nothing was stored', {
      retryAfterSeconds: 1,
      cause,
    });
  }
  if (isOutage(cause)) {
    // A statement that was under way may yet have had its effect: only the same Idempotency-Key makes repeating safe.
    const message = 'the database can not be reached; try again with the same Idempotency-Key';
    return fail('unavailable', message, { retryAfterSeconds: 2, cause });
  }
  if (isLockTimeout(cause)) {
    const message = 'another change of the same data takes too long; try again';
    return fail('unavailable', message, { retryAfterSeconds: 2, cause });
  }
  return fail('internal', 'internal error', { cause });
}

/** The error as google.rpc.Status: `grpc-status-details-bin` of gRPC. */
export function toStatus(error: ConnectError): Status {
  return create(StatusSchema, {
    code: error.code,
    message: error.rawMessage,
    details: error.details.map((detail) =>
      'desc' in detail
        ? anyPack(detail.desc, create(detail.desc, detail.value))
        : { typeUrl: `type.googleapis.com/${detail.type}`, value: detail.value },
    ),
  });
}

const grpcCodes: Record<string, Code> = {
  INVALID_ARGUMENT: Code.InvalidArgument,
  FAILED_PRECONDITION: Code.FailedPrecondition,
  UNAUTHENTICATED: Code.Unauthenticated,
  PERMISSION_DENIED: Code.PermissionDenied,
  NOT_FOUND: Code.NotFound,
  UNIMPLEMENTED: Code.Unimplemented,
  ALREADY_EXISTS: Code.AlreadyExists,
  ABORTED: Code.Aborted,
  RESOURCE_EXHAUSTED: Code.ResourceExhausted,
  CANCELLED: Code.Canceled,
  INTERNAL: Code.Internal,
  UNAVAILABLE: Code.Unavailable,
  DEADLINE_EXCEEDED: Code.DeadlineExceeded,
};

function grpcCodeOf(code: ErrorCode): Code {
  return grpcCodes[errorCodes[code].grpcCode] ?? Code.Unknown;
}

/** Our code for an error that Connect itself raised: only the status is known. */
function codeOf(code: Code): ErrorCode {
  switch (code) {
    case Code.InvalidArgument:
      return 'malformed_request';
    case Code.DeadlineExceeded:
      return 'deadline_exceeded';
    case Code.Canceled:
      return 'canceled';
    case Code.Unimplemented:
      return 'unimplemented';
    case Code.ResourceExhausted:
      return 'request_too_large';
    case Code.Unavailable:
      return 'unavailable';
    default:
      return 'internal';
  }
}

export function toError({ code, field, message, metadata }: Refusal): ReturnType<typeof fail> {
  const options: FailOptions = metadata ? { field, metadata } : { field };
  return fail(code, message, options);
}
