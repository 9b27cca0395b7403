// The waist: every call through every door runs the same interceptors and the same handler here, so that no door can be easier to pass
// than another.

import { randomBytes } from 'node:crypto';
import type { DescMethod, DescMethodServerStreaming, DescMethodUnary, DescService, Message } from '@bufbuild/protobuf';
import {
  type ConnectError,
  createServiceImplSpec,
  type Interceptor,
  type MethodImplSpec,
  type ServiceImpl,
} from '@connectrpc/connect';
import { transformInvokeImplementation } from '@connectrpc/connect/protocol';
import { idSource } from '../../core/ids.ts';
import { Refusals } from '../clients/refusals.ts';
import type { CallOrigin, Door } from './context.ts';
import { fail, toApiError } from './errors.ts';
import { authorise } from './interceptors/authorise.ts';
import { type DeadlineOptions, deadline, streams } from './interceptors/ends.ts';
import { guard, idempotency, limit, shown, validate } from './interceptors/guard.ts';
import { observe, reportCall } from './interceptors/observe.ts';
import { methodName, methodRules } from './method-options.ts';
import type { Authenticator, Logger, Observer, RateLimiter } from './ports.ts';
import { type CallInit, contextOf, requestOf, type UnaryAnswer, type UnaryCall, unaryCall } from './unary.ts';

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

/** What interceptors read of a call's metadata. Doors that would have to convert theirs convert no more. */
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
    ...(options.rateLimiter ? [limit(options.rateLimiter)] : []),
    idempotency(),
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
      const error = toApiError(reason, origin.requestId);
      reportCall({ logger, observer, origin, method: label, startedAt, error });
      return error;
    },
    asError: (reason, origin) => toApiError(reason, origin.requestId),
    stopStreams: () => stopping.abort(fail('unavailable', 'this process is being stopped: connect again')),
  };
}

async function* once<T>(value: T): AsyncIterable<T> {
  yield value;
}
