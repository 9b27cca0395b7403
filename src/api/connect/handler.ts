// The Connect and gRPC-web door, over HTTP/1.1, by connect-node's handlers and the waist's interceptors. Errors that Connect raises
// before the interceptors run (a body it can't read) get our code and the request's id too. JSON is as strict as over REST.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { create, type DescMessage, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { base64Encode } from '@bufbuild/protobuf/wire';
import { Code, ConnectError, createConnectRouter, createServiceImplSpec, type MethodImpl } from '@connectrpc/connect';
import type { UniversalHandler, UniversalServerResponse } from '@connectrpc/connect/protocol';
import {
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from '@connectrpc/connect-node';
import { ErrorInfoSchema, RequestInfoSchema } from '../../gen/google/rpc/error_details_pb.ts';
import { jsonOf, maxBodyBytes, textOf } from '../rest/body.ts';
import { checkJson, fieldAt } from '../rest/input.ts';
import { type CallOrigin, type Door, valuesFor } from '../waist/context.ts';
import { type ErrorCode, errorDomain } from '../waist/errors.ts';
import type { Waist } from '../waist/invoke.ts';
import type { Logger } from '../waist/ports.ts';

export interface ConnectHandler {
  /** Whether the path is one of a method. */
  has(path: string): boolean;
  handle(path: string, request: IncomingMessage, response: ServerResponse, origin: CallOrigin): Promise<void>;
}

export function createConnectHandler(waist: Waist, logger: Logger): ConnectHandler {
  const router = createConnectRouter();
  const options = {
    // Native gRPC has its own port: HTTP/1.1 has no trailers that its clients would read.
    grpc: false,
    acceptCompression: [compressionGzip],
    readMaxBytes: maxBodyBytes,
    interceptors: waist.interceptors,
  };
  for (const { service, implementation } of waist.services) {
    for (const { method, impl } of Object.values(createServiceImplSpec(service, implementation).methods)) {
      router.rpc(method, impl as MethodImpl<typeof method>, { ...options, jsonOptions: strictJson(method.input) });
    }
  }
  const handlers = new Map<string, UniversalHandler>(router.handlers.map((handler) => [handler.requestPath, handler]));
  return {
    has: (path) => handlers.has(path),
    async handle(path, request, response, origin) {
      const handler = handlers.get(path) as UniversalHandler;
      response.setHeader('x-request-id', origin.requestId);
      // A GET of Connect has one key's answer under an address that says nothing of the key.
      response.setHeader('cache-control', 'no-store');
      try {
        const call = universalRequestFromNodeRequest(request, response, undefined, valuesFor(origin));
        const answer = completeErrors(await handler(call), origin.requestId);
        if (!request.complete) response.setHeader('connection', 'close');
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

/** Which of the two protocols a request speaks, and the deadline it asks for. */
export function connectOrigin({ headers }: IncomingMessage): { door: Door; timeoutMs: number | undefined } {
  const door = headers['content-type']?.startsWith('application/grpc-web') ? 'grpc-web' : 'connect';
  const header = headers[door === 'connect' ? 'connect-timeout-ms' : 'grpc-timeout'];
  return { door, timeoutMs: typeof header === 'string' ? timeoutMs(header) : undefined };
}

const unitMs: Record<string, number> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6, '': 1 };

/** `Connect-Timeout-Ms: 5000`, or `grpc-timeout: 5S`; undefined for any other form: the protocol's handler refuses it. */
function timeoutMs(header: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,10})([HMSmun]?)$/.exec(header) ?? [];
  return digits === undefined ? undefined : Number(digits) * (unitMs[unit] ?? 1);
}

interface ErrorJson {
  code: string;
  message?: string;
  details?: { type: string; value: string }[];
}

/** Only unary errors are plain JSON; those of streams are at the end of the stream, and always came past the interceptors. */
function completeErrors(response: UniversalServerResponse, requestId: string): UniversalServerResponse {
  const type = new Headers(response.header).get('content-type');
  if (response.status < 400 || type !== 'application/json' || !response.body) return response;
  const body = response.body as AsyncIterable<Uint8Array>;
  return {
    ...response,
    body: completed(body, requestId, new Headers(response.header)),
    header: withoutLength(response),
  };
}

async function* completed(body: AsyncIterable<Uint8Array>, requestId: string, header: Headers) {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const plain = !header.has('content-encoding');
  yield plain ? Buffer.from(JSON.stringify(withDetails(JSON.parse(bytes.toString()) as ErrorJson, requestId))) : bytes;
}

function withDetails(error: ErrorJson, requestId: string): ErrorJson {
  const details = error.details ?? [];
  const has = ({ typeName }: DescMessage): boolean => details.some(({ type }) => type === typeName);
  const info = create(ErrorInfoSchema, { reason: reasonOf(error.code), domain: errorDomain });
  const request = create(RequestInfoSchema, { requestId });
  return {
    ...error,
    details: [
      ...details,
      ...(has(ErrorInfoSchema) ? [] : [detailOf(ErrorInfoSchema, info)]),
      ...(has(RequestInfoSchema) ? [] : [detailOf(RequestInfoSchema, request)]),
    ],
  };
}

const detailOf = <Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>) => ({
  type: desc.typeName,
  value: base64Encode(toBinary(desc, message)),
});

function reasonOf(code: string): ErrorCode {
  switch (code) {
    case 'resource_exhausted':
      return 'request_too_large';
    case 'unimplemented':
      return 'unimplemented';
    case 'invalid_argument':
      return 'malformed_request';
    default:
      return 'internal';
  }
}

function withoutLength({ header }: UniversalServerResponse): Headers {
  const result = new Headers(header);
  result.delete('content-length');
  return result;
}
