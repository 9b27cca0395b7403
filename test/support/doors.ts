// The same call through each door, and its answer in one shape, so that doors can be compared.

import {
  type DescMethod,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  fromBinary,
  type JsonObject,
  type Message,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import type { Api } from '../../src/api/server.ts';
import type { Door } from '../../src/api/waist/context.ts';
import { httpRule } from '../../src/api/waist/method-options.ts';
import { BadRequestSchema, ErrorInfoSchema, RequestInfoSchema } from '../../src/gen/google/rpc/error_details_pb.ts';
import { StatusSchema } from '../../src/gen/google/rpc/status_pb.ts';
import { readEvents } from './event-stream.ts';

export type Outcome =
  | {
      kind: 'ok';
      json: unknown;
      requestId: string;
      /** It says that it is the answer to an earlier call. Unary calls only. */
      replayed?: boolean;
    }
  | {
      kind: 'error';
      code: string;
      /** Further members of the error: beside `code` over REST, in ErrorInfo elsewhere. */
      metadata: Record<string, string>;
      /** Seconds, of the header or metadata `retry-after`; undefined = the error has none. */
      retryAfter: number | undefined;
      grpcCode: number | undefined;
      message: string;
      field: string | undefined;
      requestId: string;
    };

export interface Caller {
  door: Door;
  call(method: DescMethodUnary, input: Message, headers: Record<string, string>): Promise<Outcome>;
  /** Every message of a stream, then how it ended; it is cancelled when the reader leaves. */
  stream(method: DescMethodServerStreaming, input: Message, headers: Record<string, string>): AsyncGenerator<Outcome>;
  close(): void;
}

const jsonOptions = { alwaysEmitImplicit: true, useProtoFieldName: true } as const;

/** One through each door. */
export function callers(api: Pick<Api, 'httpPort' | 'grpcPort'>): Caller[] {
  const baseUrl = `http://127.0.0.1:${api.httpPort}`;
  return [
    rest(baseUrl),
    overConnect('connect', createConnectTransport({ baseUrl, httpVersion: '1.1' })),
    overConnect('grpc-web', createGrpcWebTransport({ baseUrl, httpVersion: '1.1' })),
    native(`127.0.0.1:${api.grpcPort}`),
  ];
}

/** `send`: how its requests are sent, e.g. by what looks at the answers' HTTP status too. */
export function rest(baseUrl: string, send: typeof fetch = fetch): Caller {
  return {
    door: 'rest',
    close() {},
    async call(method, input, headers) {
      const response = await sent(baseUrl, send, method, input, { headers });
      const answer = (await response.json()) as { error?: RestError };
      if (!response.ok) return refused(response, answer.error);
      const field = httpRule(method)?.responseBody;
      const json = field ? { [field]: answer } : answer;
      return { kind: 'ok', json, requestId: requestIdOf(response), replayed: isReplayed(response.headers) };
    },
    async *stream(method, input, headers) {
      const leaving = new AbortController();
      try {
        const response = await sent(baseUrl, send, method, input, { headers, signal: leaving.signal });
        if (!response.ok) return yield refused(response, ((await response.json()) as { error?: RestError }).error);
        for await (const { type, data } of readEvents(response.body)) {
          const json = JSON.parse(data) as { error?: RestError };
          if (type === 'message') yield { kind: 'ok', json, requestId: requestIdOf(response) };
          else if (json.error) yield refused(response, json.error);
        }
      } finally {
        leaving.abort();
      }
    },
  };
}

async function sent(
  baseUrl: string,
  send: typeof fetch,
  method: DescMethod,
  input: Message,
  init: { headers: Record<string, string>; signal?: AbortSignal },
): Promise<Response> {
  const rule = httpRule(method);
  if (!rule?.pattern.case) throw new Error('no route');
  const json = masked(toJson(method.input, input, { useProtoFieldName: true }) as JsonObject);
  const path = String(rule.pattern.value).replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(json[name]);
    delete json[name];
    return encodeURIComponent(value);
  });
  const reads = rule.pattern.case === 'get';
  const query = reads ? `?${queryOf(json)}` : '';
  return send(`${baseUrl}${path}${query}`, {
    ...init,
    method: rule.pattern.case.toUpperCase(),
    headers: { ...init.headers, ...(reads ? {} : { 'content-type': 'application/json' }) },
    ...(reads ? {} : { body: JSON.stringify(json) }),
  });
}

/** A list is its items, one after another. */
function queryOf(json: JsonObject): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(json)) for (const each of [value].flat()) query.append(name, String(each));
  return query;
}

const isReplayed = (headers: Headers): boolean => headers.get('idempotent-replayed') === 'true';

const requestIdOf = ({ headers }: Response): string => headers.get('x-request-id') ?? '';

function refused(response: Response, error: RestError | undefined): Outcome {
  const { code = '', message = '', field, request_id: _, ...metadata } = error ?? {};
  const retryAfter = secondsOf(response.headers.get('retry-after'));
  const requestId = requestIdOf(response);
  return { kind: 'error', code, grpcCode: undefined, message, field, metadata, retryAfter, requestId };
}

/** What is in the mask is what the body names: over REST the keys are the mask. A list that is named and not there is empty. */
function masked({ update_mask: mask, ...json }: JsonObject): JsonObject {
  if (typeof mask !== 'string') return json;
  const names = mask.split(',').map((path) => path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  return Object.fromEntries(names.map((name) => [name, json[name] ?? []]));
}

type RestError = Record<string, string> & { code: string; message: string; field?: string; request_id: string };

const secondsOf = (header: string | null | undefined): number | undefined => (header ? Number(header) : undefined);

/** Any of Connect's own clients. */
export function overConnect(door: Door, transport: Transport): Caller {
  return {
    door,
    close() {},
    async call(method, input, headers) {
      let header = new Headers();
      const onHeader = (answered: Headers): void => {
        header = answered;
      };
      const client = createClient(method.parent, transport) as unknown as Record<
        string,
        (input: Message, options: object) => Promise<Message>
      >;
      try {
        const message = await client[method.localName]?.(input, { headers, onHeader });
        const json = toJson(method.output, message as Message, jsonOptions);
        return { kind: 'ok', json, requestId: header.get('x-request-id') ?? '', replayed: isReplayed(header) };
      } catch (reason) {
        return ofConnect(ConnectError.from(reason));
      }
    },
    async *stream(method, input, headers) {
      const leaving = new AbortController();
      const client = createClient(method.parent, transport) as unknown as Record<
        string,
        (input: Message, options: object) => AsyncIterable<Message>
      >;
      try {
        for await (const message of client[method.localName]?.(input, { headers, signal: leaving.signal }) ?? []) {
          yield { kind: 'ok', json: toJson(method.output, message, jsonOptions), requestId: '' };
        }
      } catch (reason) {
        yield ofConnect(ConnectError.from(reason));
      } finally {
        leaving.abort();
      }
    },
  };
}

function ofConnect(error: ConnectError): Outcome {
  return outcome(error.code, error.rawMessage, {
    info: error.findDetails(ErrorInfoSchema)[0],
    bad: error.findDetails(BadRequestSchema)[0],
    request: error.findDetails(RequestInfoSchema)[0],
    retryAfter: secondsOf(error.metadata.get('retry-after')),
  });
}

/** grpc-js's own client, told nothing but bytes: nothing of ours is between it and the wire. */
export function native(address: string): Caller {
  const client = new Client(address, credentials.createInsecure());
  const metadataOf = (headers: Record<string, string>) => {
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    return metadata;
  };
  return {
    door: 'grpc',
    close: () => client.close(),
    async *stream(method, input, headers) {
      const call = client.makeServerStreamRequest(
        `/${method.parent.typeName}/${method.name}`,
        (message: Message) => Buffer.from(toBinary(method.input, message)),
        (bytes) => fromBinary(method.output, bytes),
        input,
        metadataOf(headers),
      );
      try {
        for await (const message of call as AsyncIterable<Message>) {
          yield { kind: 'ok', json: toJson(method.output, message, jsonOptions), requestId: '' };
        }
      } catch (error) {
        yield outcomeOf(error as ServiceError);
      } finally {
        call.on('error', () => {});
        call.cancel();
      }
    },
    call: (method, input, headers) =>
      new Promise((resolve) => {
        const metadata = metadataOf(headers);
        let header = new Headers();
        const call = client.makeUnaryRequest(
          `/${method.parent.typeName}/${method.name}`,
          (message: Message) => Buffer.from(toBinary(method.input, message)),
          (bytes) => fromBinary(method.output, bytes),
          input,
          metadata,
          (error, message) => {
            if (error) resolve(outcomeOf(error));
            else {
              const json = toJson(method.output, message as Message, jsonOptions);
              resolve({ kind: 'ok', json, requestId: header.get('x-request-id') ?? '', replayed: isReplayed(header) });
            }
          },
        );
        call.on('metadata', (answered) => {
          header = new Headers(Object.entries(answered.getMap()).map(([name, value]) => [name, String(value)]));
        });
      }),
  };
}

function outcomeOf(error: ServiceError): Outcome {
  const [bytes] = error.metadata.get('grpc-status-details-bin');
  const details = bytes instanceof Buffer ? fromBinary(StatusSchema, bytes).details : [];
  const find = <T extends typeof ErrorInfoSchema | typeof BadRequestSchema | typeof RequestInfoSchema>(schema: T) =>
    details.map((any) => anyUnpack(any, schema)).find((found) => found !== undefined);
  return outcome(error.code as number, error.details, {
    info: find(ErrorInfoSchema) as never,
    bad: find(BadRequestSchema) as never,
    request: find(RequestInfoSchema) as never,
    retryAfter: secondsOf(error.metadata.get('retry-after')[0]?.toString()),
  });
}

interface Details {
  info: { reason: string; metadata: Record<string, string> } | undefined;
  bad: { fieldViolations: { field: string }[] } | undefined;
  request: { requestId: string } | undefined;
  retryAfter: number | undefined;
}

function outcome(code: Code, message: string, { info, bad, request, retryAfter }: Details): Outcome {
  return {
    kind: 'error',
    code: info?.reason ?? `(no ErrorInfo, ${Code[code]})`,
    grpcCode: code,
    message,
    field: bad?.fieldViolations[0]?.field,
    metadata: info?.metadata ?? {},
    retryAfter,
    requestId: request?.requestId ?? '',
  };
}
