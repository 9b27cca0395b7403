// The way of a unary call through the interceptors to its handler. Connect's `invokeUnaryImplementation` does the same, but puts
// the interceptors together once a call; here it is once a method.

import { create, type DescMethod, type DescMethodUnary, type Message } from '@bufbuild/protobuf';
import type { HandlerContext, Interceptor, MethodImplSpec, UnaryRequest, UnaryResponse } from '@connectrpc/connect';
import { type CallOrigin, contextKeys, valuesFor } from './context.ts';
import { methodName } from './method-options.ts';

export interface CallInit {
  origin: CallOrigin;
  /** Metadata of the call, names in lower case: `readHeaders` at least. */
  header: Headers;
  /** Aborted when the caller has gone. */
  signal?: AbortSignal;
  /** Shown to handlers and logs only. */
  url?: string;
}

export interface UnaryAnswer {
  message: Message;
  header: Headers;
}

export type UnarySpec = Extract<MethodImplSpec, { kind: 'unary' }>;
export type UnaryCall = (input: Message, init: CallInit) => Promise<UnaryAnswer>;

/** The first of the interceptors is the outermost. */
export function unaryCall({ method, impl }: UnarySpec, interceptors: readonly Interceptor[]): UnaryCall {
  type Next = Parameters<Interceptor>[0];
  const handle = async (request: UnaryRequest): Promise<UnaryResponse> => {
    const context = contextOf(request);
    const message = create(method.output, await impl(request.message, context));
    const { responseHeader: header, responseTrailer: trailer } = context;
    return { stream: false, service: method.parent, method, header, trailer, message };
  };
  const call = interceptors.reduceRight((next, intercept) => intercept(next), handle as Next);
  return async (input, init) => {
    const { message, header } = (await call(requestOf(method, input, init))) as UnaryResponse;
    return { message, header };
  };
}

const never = new AbortController().signal;

export function requestOf(
  method: DescMethod,
  message: Message,
  { origin, header, signal, url }: CallInit,
): UnaryRequest {
  return {
    stream: false,
    service: method.parent,
    method: method as DescMethodUnary,
    requestMethod: 'POST',
    url: url ?? `/${methodName(method)}`,
    signal: signal ?? never,
    header,
    contextValues: valuesFor(origin),
    message,
  };
}

/**
 * What Connect's `createHandlerContext` makes, less its linked abort controllers and copies of headers, which cost more than the
 * rest of a call: the interceptors give handlers their signal.
 */
export function contextOf(request: UnaryRequest): HandlerContext {
  const { door, timeoutMs } = request.contextValues.get(contextKeys.origin);
  const endsAt = timeoutMs === undefined ? undefined : Date.now() + timeoutMs;
  return {
    service: request.service,
    method: request.method,
    protocolName: door,
    requestMethod: request.requestMethod,
    url: request.url,
    signal: request.signal,
    timeoutMs: () => (endsAt === undefined ? undefined : endsAt - Date.now()),
    requestHeader: request.header,
    responseHeader: new Headers(),
    responseTrailer: new Headers(),
    values: request.contextValues,
  };
}
