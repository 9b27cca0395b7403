// The outermost interceptor: gives every error its code and request id, and tells log and metrics how each call ended.

import type { Interceptor, StreamResponse } from '@connectrpc/connect';
import { contextKeys } from '../context.ts';
import { toApiError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { Observer } from '../ports.ts';
import { type CallEnd, reportCall } from '../report.ts';
import { methodName } from '../rules.ts';

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
      if (response.stream) return { ...response, message: observed(response, origin.requestId, end) };
      end();
      return response;
    } catch (reason) {
      const error = toApiError(reason, origin.requestId);
      end(error);
      throw error;
    }
  };
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
