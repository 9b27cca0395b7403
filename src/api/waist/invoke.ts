// The waist: every call through every door runs the same interceptors and the same handler here, so that no door can be easier to pass
// than another. A unary call has a way of its own: Connect's `invokeUnaryImplementation` puts the interceptors together once a call,
// and here it is once a method.

import { randomBytes } from 'node:crypto';
import {
  create,
  type DescMethod,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type DescService,
  type Message,
} from '@bufbuild/protobuf';
import {
  type ConnectError,
  createServiceImplSpec,
  type HandlerContext,
  type Interceptor,
  type MethodImplSpec,
  type ServiceImpl,
  type UnaryRequest,
  type UnaryResponse,
} from '@connectrpc/connect';
import { transformInvokeImplementation } from '@connectrpc/connect/protocol';
import { idSource } from '../../core/ids.ts';
import { Refusals } from '../clients/refusals.ts';
import { type CallOrigin, contextKeys, type Door, valuesFor } from './context.ts';
import { fail, faultOf, toApiError } from './errors.ts';
import { authorise } from './interceptors/authorise.ts';
import { type DeadlineOptions, deadline, streams } from './interceptors/ends.ts';
import { guard, idempotency, limit, shown, validate } from './interceptors/guard.ts';
import { hideNumbers } from './interceptors/numbers.ts';
import { observe, reportCall } from './interceptors/observe.ts';
import { updateMask } from './interceptors/update-mask.ts';
import { methodName, methodRules } from './method-options.ts';
import type { Authenticator, Logger, Observer, RateLimiter } from './ports.ts';

/** A service with its handlers; methods without one answer `unimplemented`. */
export interface RegisteredService {
  service: DescService;
  implementation: Partial<ServiceImpl<DescService>>;
}

/** Registers handlers: `service(VerifyService, { async send(request, context) { … } })`. */
export function service<Desc extends DescService>(desc: Desc, handlers: Partial<ServiceImpl<Desc>>): RegisteredService {
  return { service: desc, implementation: handlers as Partial<ServiceImpl<DescService>> };
}

export interface WaistOptions {
  services: RegisteredService[];
  authenticator: Authenticator;
  logger: Logger;
  /** Counts refused keys. Default: one of its own that refuses no call. */
  refusals?: Refusals;
  /** Default: nothing is limited. */
  rateLimiter?: RateLimiter;
  /** Default: none. */
  observer?: Observer;
  /** Anyone may create an account. Default false. */
  openRegistration?: boolean;
  deadlines?: DeadlineOptions;
}

/** The metadata that interceptors read. Doors that have to convert metadata convert only these names. */
export const readHeaders = ['authorization', 'idempotency-key'] as const;

export interface StreamAnswer {
  messages: AsyncIterable<Message>;
  /** Complete once the first message was read. */
  header: Headers;
}

export interface Waist {
  services: readonly RegisteredService[];
  methods: readonly DescMethod[];
  interceptors: Interceptor[];
  newOrigin(door: Door, peer: string, timeoutMs: number | undefined, proven?: () => void): CallOrigin;
  /** Rejects with a ConnectError that carries code and request id. */
  invokeUnary(method: DescMethodUnary, input: Message, init: CallInit): Promise<UnaryAnswer>;
  invokeStream(method: DescMethodServerStreaming, input: Message, init: CallInit): StreamAnswer;
  /** For a call that its door refused before it could be invoked: counted and logged like any other. `label` = method or route. */
  refuse(label: string, reason: unknown, origin: CallOrigin, startedAt: number): ConnectError;
  /** Anything thrown, as an error for clients, with code and request id. */
  asError(reason: unknown, origin: CallOrigin): ConnectError;
  /** Ends streams with `unavailable`, so that their callers go elsewhere; unary calls still work. */
  stopStreams(): void;
}

/** Throws when a method of the contract does not say who may call it. */
export function createWaist(options: WaistOptions): Waist {
  const { services, authenticator, logger, openRegistration = false } = options;
  const observer = options.observer ?? (() => {});
  const refusals =
    options.refusals ?? new Refusals({ failuresPerMinute: () => Number.POSITIVE_INFINITY, now: Date.now, logger });
  const stopping = new AbortController();
  // The first is the outermost.
  const interceptors: Interceptor[] = [
    observe(logger, observer),
    deadline(options.deadlines),
    streams(stopping.signal),
    guard({ authenticator, refusals }),
    authorise({ authenticator, openRegistration }),
    shown(refusals),
    hideNumbers(),
    ...(options.rateLimiter ? [limit(options.rateLimiter)] : []),
    idempotency(),
    updateMask(),
    validate(),
  ];
  const specs = new Map<DescMethod, MethodImplSpec>();
  const unaryCalls = new Map<DescMethod, UnaryCall>();
  for (const { service: desc, implementation } of services) {
    const { methods } = createServiceImplSpec(desc, implementation);
    for (const spec of Object.values(methods)) {
      methodRules(spec.method);
      specs.set(spec.method, spec);
      if (spec.kind === 'unary') unaryCalls.set(spec.method, unaryCall(spec, interceptors));
    }
  }
  const inputs = new Map([...specs.keys()].map((method) => [methodName(method), method.input]));
  const newId = idSource({ now: Date.now, randomBytes: (size) => randomBytes(size) });
  const specOf = (method: DescMethod): MethodImplSpec => {
    const spec = specs.get(method);
    if (!spec) throw fail('unimplemented', `${methodName(method)} is not offered here`);
    return spec;
  };

  return {
    services,
    methods: [...specs.keys()],
    interceptors,
    newOrigin: (door, peer, timeoutMs, proven) => ({ door, peer, timeoutMs, proven, requestId: newId('req_') }),
    async invokeUnary(method, input, init) {
      const call = unaryCalls.get(method);
      if (!call) throw fail('unimplemented', `${methodName(method)} is not offered here`);
      return call(input, init);
    },
    invokeStream(method, input, init) {
      const context = contextOf(requestOf(method, input, init));
      const answers = transformInvokeImplementation(specOf(method), context, interceptors)(once(input));
      return { messages: answers, header: context.responseHeader };
    },
    refuse(label, reason, origin, startedAt) {
      const error = toApiError(reason, origin);
      const { code } = faultOf(error);
      const values = valuesFor(origin);
      if (code !== 'internal' && !refusals.note(origin.peer, origin.door, code)) values.set(contextKeys.unlogged, true);
      const input = inputs.get(label);
      reportCall({ logger, observer, origin, method: label, input, startedAt, error, values });
      return error;
    },
    asError: (reason, origin) => toApiError(reason, origin),
    stopStreams: () => stopping.abort(fail('unavailable', 'this process is being stopped: connect again')),
  };
}

async function* once<T>(value: T): AsyncIterable<T> {
  yield value;
}

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
function unaryCall({ method, impl }: UnarySpec, interceptors: readonly Interceptor[]): UnaryCall {
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

function requestOf(method: DescMethod, message: Message, { origin, header, signal, url }: CallInit): UnaryRequest {
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
function contextOf(request: UnaryRequest): HandlerContext {
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
