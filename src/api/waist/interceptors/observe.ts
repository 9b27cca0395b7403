// The outermost interceptor. It gives every error its code and request id, and reports to log and metrics how each call ended.

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
    const end = (error?: unknown): CallEnd =>
      reportCall({ logger, observer, origin, method: methodName(request.method), startedAt, error, values });
    try {
      const response = await next(request);
      response.header.set('x-request-id', origin.requestId);
      showQuotas(response.header, request);
      if (response.stream) return { ...response, message: observed(response, origin.requestId, end) };
      end();
      return response;
    } catch (reason) {
      const error = toApiError(reason, origin.requestId);
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
async function* observed(response: StreamResponse, requestId: string, end: (error?: unknown) => CallEnd) {
  let failure: unknown;
  try {
    yield* response.message;
  } catch (reason) {
    const error = toApiError(reason, requestId);
    failure = error;
    throw error;
  } finally {
    end(failure);
  }
}

/** Fields whose entries the caller names. */
const maps = /^((?:\w+\.)*?(?:metadata|rule_modes|spend_per_hour|spend_per_day))\..*$/s;

/** Without what the caller has called an entry of its own. */
export const loggedField = (field: string): string => field.replace(maps, '$1');

export interface CallEnd {
  code: 'ok' | ErrorCode;
}

export interface Ended {
  logger: Logger;
  observer: Observer;
  origin: CallOrigin;
  /** `ramz.v1.VerifyService/Send`, or the route. */
  method: string;
  /** `performance.now()` at its start. */
  startedAt: number;
  /** The error it ended with; undefined = none. */
  error: unknown;
  values?: ContextValues;
}

export function reportCall({ logger, observer, origin, method, startedAt, error, values }: Ended): CallEnd {
  const seconds = (performance.now() - startedAt) / 1000;
  const fault = error instanceof ConnectError ? faultOf(error) : undefined;
  const code = fault?.code ?? (error === undefined ? 'ok' : 'internal');
  observer({ method, door: origin.door, code, seconds });
  if (values?.get(contextKeys.unlogged)) return { code };
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
    ...(fault?.field === undefined ? {} : { field: loggedField(fault.field) }),
  };
  if (code === 'internal') {
    const cause = error instanceof ConnectError ? (error.cause ?? error) : error;
    logger.error({ ...line, err: cause }, 'call failed');
  } else if (isRefusal(code)) logger.warn(line, 'call with no good key');
  else logger.info(line, 'call');
  return { code };
}
