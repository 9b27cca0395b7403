// The Connect and gRPC-web door, over HTTP/1.1, by connect-node's handlers and the waist's interceptors. A call that Connect can't read never
// comes to the interceptors: the waist refuses it, as it does for the other doors. JSON is as strict as over REST.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DescMessage, DescMethod } from '@bufbuild/protobuf';
import {
  Code,
  ConnectError,
  createConnectRouter,
  createContextKey,
  createServiceImplSpec,
  type HandlerContext,
  type Interceptor,
  type MethodImpl,
} from '@connectrpc/connect';
import {
  createAsyncIterable,
  encodeEnvelope,
  type UniversalHandler,
  type UniversalServerResponse,
} from '@connectrpc/connect/protocol';
import { codeToHttpStatus, errorToJsonBytes } from '@connectrpc/connect/protocol-connect';
import { createTrailerSerialization, setTrailerStatus, trailerFlag } from '@connectrpc/connect/protocol-grpc-web';
import {
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from '@connectrpc/connect-node';
import { dropRest, jsonOf, maxBodyBytes, readBytes, textOf } from '../rest/body.ts';
import { checkJson, fieldAt } from '../rest/input.ts';
import { type CallOrigin, type Door, valuesFor } from '../waist/context.ts';
import { fail, isOwnError } from '../waist/errors.ts';
import { boundTimeout, timeoutMsOf } from '../waist/interceptors/ends.ts';
import type { Waist } from '../waist/invoke.ts';
import { methodName } from '../waist/method-options.ts';
import type { Logger } from '../waist/ports.ts';

export interface ConnectHandler {
  /** Whether the path is one of a method. */
  has(path: string): boolean;
  handle(path: string, request: IncomingMessage, response: ServerResponse, origin: CallOrigin): Promise<void>;
}

/** A call that never came to the waist, with what Connect says of it. */
interface Refused {
  reason: unknown;
  origin: CallOrigin;
  startedAt: number;
}

export function createConnectHandler(waist: Waist, logger: Logger): ConnectHandler {
  const router = createConnectRouter();
  const options = {
    // Native gRPC has its own port: HTTP/1.1 has no trailers that its clients would read.
    grpc: false,
    acceptCompression: [compressionGzip],
    readMaxBytes: maxBodyBytes,
    requestGate: ({ values, signal }: HandlerContext) => void values.set(reading, signal),
    interceptors: [reached, ...waist.interceptors],
  };
  for (const { service, implementation } of waist.services) {
    for (const { method, impl } of Object.values(createServiceImplSpec(service, implementation).methods)) {
      router.rpc(method, impl as MethodImpl<typeof method>, { ...options, jsonOptions: strictJson(method.input) });
    }
  }
  const handlers = new Map<string, UniversalHandler>(router.handlers.map((handler) => [handler.requestPath, handler]));
  const refusal = (given: UniversalServerResponse, method: DescMethod, { reason, origin, startedAt }: Refused) => {
    const error = waist.refuse(methodName(method), unreadable(reason, method.input), origin, startedAt);
    return answerOf(error, origin.door, new Headers(given.header).get('content-type') ?? '');
  };
  return {
    has: (path) => handlers.has(path),
    async handle(path, request, response, origin) {
      const startedAt = performance.now();
      const handler = handlers.get(path) as UniversalHandler;
      response.setHeader('x-request-id', origin.requestId);
      // A GET of Connect has one key's answer under an address that says nothing of the key.
      response.setHeader('cache-control', 'no-store');
      // Asks nginx to pass on each state of a watch as it comes.
      if (handler.method.methodKind === 'server_streaming') response.setHeader('x-accel-buffering', 'no');
      try {
        const values = valuesFor(origin);
        const body = await bodyOf(request);
        // Connect makes an address of it that nobody reads, and throws where there is none or what a caller wrote is none.
        request.headers.host = 'localhost';
        const call = { ...universalRequestFromNodeRequest(request, response, undefined, values), body };
        const given = await handler(call);
        const refused = values.get(reading);
        const answer = refused ? refusal(given, handler.method, { reason: refused.reason, origin, startedAt }) : given;
        if (answer.status === 405) response.setHeader('allow', handler.allowedMethods.join(', '));
        if (!request.complete) response.setHeader('connection', 'close');
        await dropRest(request);
        await universalResponseToNodeResponse(answer, response);
      } catch (reason) {
        // The caller went away: there is no one left to answer.
        if (ConnectError.from(reason).code !== Code.Aborted) {
          logger.error({ err: reason, request_id: origin.requestId }, 'answer could not be written');
        }
        response.destroy();
      }
    },
  };
}

/** Flags and length of the one message that a stream is asked by, and of one too many. */
const envelopeBytes = 10;

/**
 * The body, read to its end before the call is looked at: a stream that is refused first would be answered on a connection with unread bytes, and
 * the caller would see it break and no answer. Where the body can't be read, reading it throws why, so that the protocol writes the error.
 */
async function bodyOf(request: IncomingMessage): Promise<AsyncIterable<Uint8Array>> {
  if (request.method !== 'POST') return createAsyncIterable<Uint8Array>([]);
  try {
    return createAsyncIterable<Uint8Array>([await readBytes(request, maxBodyBytes + envelopeBytes)]);
  } catch (reason) {
    return failing(reason);
  }
}

// biome-ignore lint/correctness/useYield: it has nothing to yield.
async function* failing(reason: unknown): AsyncGenerator<Uint8Array> {
  throw reason;
}

/**
 * Connect decodes a message's bytes with `textDecoder` before it parses them: in the body, in the query of a GET, in a stream, and
 * unpacked. So that is the place for what protobuf's reader lets pass: unknown fields, null, members that are there twice.
 */
function strictJson(desc: DescMessage) {
  const textDecoder = {
    decode(bytes: Uint8Array): string {
      const text = textOf(bytes);
      checkJson(
        desc,
        jsonOf(text, (path) => fieldAt(desc, path)),
      );
      return text;
    },
  };
  return { alwaysEmitImplicit: true, useProtoFieldName: true, textDecoder };
}

/** Which of the two protocols a request speaks, and the deadline it asks for, which is made one that a timer can keep. */
export function connectOrigin({ headers }: IncomingMessage): { door: Door; timeoutMs: number | undefined } {
  const type = headers['content-type']?.toLowerCase();
  const door = type?.startsWith('application/grpc-web') ? 'grpc-web' : 'connect';
  const name = door === 'connect' ? 'connect-timeout-ms' : 'grpc-timeout';
  boundTimeout(headers, name);
  const header = headers[name];
  return { door, timeoutMs: typeof header === 'string' ? timeoutMsOf(header) : undefined };
}

/** The signal that a request is read with. It is set until the call has come to the waist. */
const reading = createContextKey<AbortSignal | undefined>(undefined);

/** The outermost interceptor of this door. What a stream is asked for is read further in. */
const reached: Interceptor = (next) => (request) => {
  request.contextValues.set(reading, undefined);
  return next(request.stream ? { ...request, message: readable(request.message, request.method) } : request);
};

async function* readable<M>(messages: AsyncIterable<M>, { input }: DescMethod): AsyncIterable<M> {
  try {
    yield* messages;
  } catch (reason) {
    throw unreadable(reason, input);
  }
}

/** Why Connect could not read a call, as our own error: to Connect, a message that it cannot parse is a bug. */
function unreadable(reason: unknown, { typeName }: DescMessage): ConnectError {
  const code = reason instanceof ConnectError ? reason.code : Code.Internal;
  if (reason instanceof ConnectError && (isOwnError(reason) || (code !== Code.Internal && code !== Code.Aborted)))
    return reason;
  if (code === Code.Aborted) return fail('canceled', 'the caller has gone', { cause: reason });
  return fail('malformed_request', `the message is not a ${typeName}`, { cause: reason });
}

/** The answer with an error, in the form of the call's protocol. */
function answerOf(error: ConnectError, door: Door, type: string): UniversalServerResponse {
  const header = new Headers({ 'content-type': type });
  if (door === 'connect') {
    const body = createAsyncIterable([errorToJsonBytes(error, undefined)]);
    return { status: codeToHttpStatus(error.code), header, body };
  }
  const trailer = new Headers();
  setTrailerStatus(trailer, error);
  const end = encodeEnvelope(trailerFlag, createTrailerSerialization().serialize(trailer));
  return { status: 200, header, body: createAsyncIterable([end]) };
}
