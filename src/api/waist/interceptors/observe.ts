// The outermost interceptor. It gives every error its code and request id, and reports to log and metrics how each call ended.

import type { DescMessage } from '@bufbuild/protobuf';
import {
  ConnectError,
  type ContextValues,
  type Interceptor,
  type StreamRequest,
  type StreamResponse,
  type UnaryRequest,
} from '@connectrpc/connect';
import { isRefusal } from '../../clients/refusals.ts';
import { type CallOrigin, contextKeys } from '../context.ts';
import { type ErrorCode, faultOf, toApiError } from '../errors.ts';
import { methodName } from '../method-options.ts';
import type { Logger, Observer } from '../ports.ts';
import { rateLimitFields } from '../rate-limit-fields.ts';

export function observe(logger: Logger, observer: Observer): Interceptor {
  return (next) => async (request) => {
    const values = request.contextValues;
    const origin = values.get(contextKeys.origin);
    const startedAt = performance.now();
    const { method } = request;
    const call = { origin, method: methodName(method), input: method.input, startedAt, values };
    const end = (error?: unknown): CallEnd => reportCall({ logger, observer, ...call, error });
    try {
      const response = await next(request);
      response.header.set('x-request-id', origin.requestId);
      showQuotas(response.header, request);
      if (response.stream) return { ...response, message: observed(response, origin, end) };
      end();
      return response;
    } catch (reason) {
      const error = toApiError(reason, origin);
      showQuotas(error.metadata, request);
      end(error);
      throw error;
    }
  };
}

/** Headers of HTTP alone: where an error is in the trailers or in the body of a stream, the draft wants none of them. */
function showQuotas(header: Headers, { contextValues, stream }: UnaryRequest | StreamRequest): void {
  const quotas = contextValues.get(contextKeys.quotas);
  const { door } = contextValues.get(contextKeys.origin);
  if (quotas.length === 0 || !(door === 'rest' || (door === 'connect' && !stream))) return;
  for (const [name, value] of Object.entries(rateLimitFields(quotas))) header.set(name, value);
}

/** A stream has only begun when the interceptor returns: its end and its errors come while it is read. */
async function* observed(response: StreamResponse, origin: CallOrigin, end: (error?: unknown) => CallEnd) {
  let failure: unknown;
  try {
    yield* response.message;
  } catch (reason) {
    const error = toApiError(reason, origin);
    failure = error;
    throw error;
  } finally {
    end(failure);
  }
}

/** Of an item of a list. A longer number is no index of ours. */
const index = /\[\d{1,3}\]$/;

/**
 * A field as far as the contract names it; undefined where it does not. What a caller has made up, as the name of a member, a parameter or an
 * entry of a map, may be anything: a code, a number or a key.
 */
export function loggedField(input: DescMessage | undefined, path: string): string | undefined {
  const known: string[] = [];
  let within = input;
  for (const text of path.split('.')) {
    const name = text.replace(index, '');
    const field = within?.fields.find((each) => each.name === name);
    if (!field) break;
    known.push(text);
    within = field.fieldKind === 'map' ? undefined : field.message;
  }
  return known.length === 0 ? undefined : known.join('.');
}

export interface CallEnd {
  code: 'ok' | ErrorCode;
}

export interface Ended {
  logger: Logger;
  observer: Observer;
  origin: CallOrigin;
  /** `ramz.v1.VerifyService/Send`, or the route. */
  method: string;
  /** What the method takes; undefined where no method was called. */
  input?: DescMessage | undefined;
  /** `performance.now()` at its start. */
  startedAt: number;
  /** The error it ended with; undefined = none. */
  error: unknown;
  values?: ContextValues;
}

export function reportCall({ logger, observer, origin, method, input, startedAt, error, values }: Ended): CallEnd {
  const seconds = (performance.now() - startedAt) / 1000;
  const fault = error instanceof ConnectError ? faultOf(error) : undefined;
  const code = fault?.code ?? (error === undefined ? 'ok' : 'internal');
  observer({ method, door: origin.door, code, seconds });
  if (values?.get(contextKeys.unlogged)) return { code };
  const field = fault?.field === undefined ? undefined : loggedField(input, fault.field);
  const caller = values?.get(contextKeys.principal);
  const line = {
    request_id: origin.requestId,
    method,
    door: origin.door,
    client: origin.peer,
    code,
    ms: Math.round(seconds * 100_000) / 100,
    ...(caller?.kind === 'key' ? { account_id: caller.accountId, key_id: caller.keyId } : {}),
    ...(caller?.kind === 'administrator' ? { administrator: caller.id } : {}),
    ...(field === undefined ? {} : { field }),
  };
  if (code === 'internal') {
    const cause = error instanceof ConnectError ? (error.cause ?? error) : error;
    logger.error({ ...line, err: cause }, 'call failed');
  } else if (isRefusal(code)) logger.warn(line, 'call with no good key');
  else if (hasOwnCause.has(code) && error instanceof ConnectError && error.cause !== undefined)
    logger.warn({ ...line, why: causeText(error.cause) }, 'call could not be served');
  else logger.info(line, 'call');
  return { code };
}

/** Behind an error of these is a fault of the database. Behind one of any other code but `internal` may be what the caller sent. */
const hasOwnCause: ReadonlySet<string> = new Set<ErrorCode>(['unavailable', 'overloaded']);

/**
 * In a few words, not with its stack: an outage has such a line for every call. Where each address of a name was tried, the error over those
 * tries has no text of its own.
 */
function causeText(cause: unknown): string {
  const errors: unknown[] = cause instanceof AggregateError ? cause.errors : [cause];
  return errors.map(errorText).join('; ');
}

function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  return `${typeof code === 'string' ? code : error.name} ${error.message}`.trim();
}
