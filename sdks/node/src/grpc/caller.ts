// Calls over gRPC by Connect's transport. What users see is what the HTTP client shows: messages go through the contract's
// JSON and the same codec.

import {
  type DescMessage,
  type DescMethod,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  fromJson,
  type JsonValue,
  toJson,
} from '@bufbuild/protobuf';
import type { Transport } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { attempt, attemptStream } from '../attempt.ts';
import { largestBytes } from '../body.ts';
import { camel, encode, isObject, type Json } from '../codec.ts';
import { ConfigurationError } from '../errors.ts';
import { read } from '../foreign.ts';
import { services } from '../gen/proto.ts';
import { answerOf, idempotency, limits, pageOf } from '../http.ts';
import { askedIds } from '../ids.ts';
import type { Caller, CallOptions, Operation, Page } from '../operation.ts';
import type { BaseSettings } from '../options.ts';
import { repeat } from '../repeat.ts';
import { pathValues } from '../request.ts';
import { version } from '../version.ts';
import { follow } from '../watch.ts';
import { grpcError } from './error.ts';

type NodeOptions = ConstructorParameters<typeof Http2SessionManager>[2];

export interface GrpcSettings extends BaseSettings {
  baseUrl: string;
  nodeOptions?: NodeOptions | undefined;
}

export class GrpcCaller implements Caller {
  readonly #settings: GrpcSettings;
  readonly #sessions: Http2SessionManager;
  readonly #transport: Transport;
  #isClosed = false;

  constructor(settings: GrpcSettings) {
    const { baseUrl, nodeOptions } = settings;
    this.#settings = settings;
    // A watch may be silent for minutes: pings tell whether the other side still lives.
    this.#sessions = new Http2SessionManager(baseUrl, { pingIntervalMs: 30_000, pingTimeoutMs: 10_000 }, nodeOptions);
    this.#transport = createGrpcTransport({
      baseUrl,
      sessionManager: this.#sessions,
      readMaxBytes: largestBytes,
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#sessions.abort();
  }

  async unary<T>(
    operation: Operation,
    path: readonly string[],
    request: object,
    options: CallOptions = {},
  ): Promise<T> {
    const json = await this.#call(operation, path, request, options);
    const { wrapper } = operation;
    const answer = wrapper !== undefined && isObject(json[wrapper]) ? json[wrapper] : json;
    return read(() => answerOf<T>(operation, answer, askedIds(operation, path, request)));
  }

  async page<T>(
    operation: Operation,
    path: readonly string[],
    request: object,
    options: CallOptions = {},
  ): Promise<Page<T>> {
    const json = await this.#call(operation, path, request, options);
    return read(() => pageOf<T>(operation, json));
  }

  watch<T>(
    operation: Operation,
    path: readonly string[],
    request: object,
    options: CallOptions = {},
  ): AsyncIterable<T> {
    const { signal } = options;
    const { timeoutMs, maxRetries } = limits(this.#settings, options);
    const method = methodOf(operation) as DescMethodServerStreaming;
    const input = messageOf(method.input, operation, path, request);
    const open = () => attemptStream((own) => this.#messages(method, input, own), { timeoutMs, signal });
    const { runtime } = this.#settings;
    const asked = pathValues(operation, path);
    return follow<T>(open, operation, asked, { maxRetries, isRepeatable: operation.repeatable, signal, runtime });
  }

  #call(operation: Operation, path: readonly string[], request: object, options: CallOptions): Promise<Json> {
    const { signal } = options;
    const { timeoutMs, maxRetries } = limits(this.#settings, options);
    const method = methodOf(operation) as DescMethodUnary;
    const input = messageOf(method.input, operation, path, request);
    const header = { ...this.#headers(), ...idempotency(operation, options) };
    const once = async (own: AbortSignal) => {
      this.#open();
      try {
        const { message } = await this.#transport.unary(method, own, undefined, header, input);
        return jsonOf(method.output, message);
      } catch (error) {
        throw grpcError(error);
      }
    };
    const { runtime } = this.#settings;
    const isRepeatable = operation.repeatable;
    return repeat(() => attempt(once, { timeoutMs, signal }), { maxRetries, isRepeatable, signal, runtime });
  }

  async *#messages(
    method: DescMethodServerStreaming,
    input: Input,
    signal: AbortSignal,
  ): AsyncGenerator<Json, void, undefined> {
    this.#open();
    try {
      const inputs = (async function* () {
        yield input;
      })();
      const { message } = await this.#transport.stream(method, signal, undefined, this.#headers(), inputs);
      for await (const one of message) yield jsonOf(method.output, one);
    } catch (error) {
      throw grpcError(error);
    }
  }

  #open(): void {
    if (this.#isClosed) throw new ConfigurationError('the client is closed');
  }

  #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#settings.apiKey}`, 'user-agent': `ramz-node/${version}` };
  }
}

type Input = ReturnType<typeof fromJson>;

/** Of the kind that the operation was generated for. */
function methodOf({ rpc }: Operation): DescMethod {
  for (const service of services)
    for (const method of service.methods) if (`${service.typeName}/${method.name}` === rpc) return method;
  throw new ConfigurationError(`no method ${rpc}`);
}

/** Fields that the contract does not have can't travel in protobuf. */
function messageOf(schema: DescMessage, operation: Operation, path: readonly string[], request: object): Input {
  const given = encode(operation.request, request);
  // What is given changes, empty lists too, which look like absent ones in protobuf: the mask names them.
  const isUpdate = schema.fields.some(({ name }) => name === 'update_mask');
  const mask = isUpdate ? { update_mask: Object.keys(given).map(camel).join(',') } : {};
  const json = { ...given, ...mask, ...pathValues(operation, path) };
  try {
    return fromJson(schema, json as JsonValue);
  } catch (error) {
    throw new ConfigurationError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function jsonOf(schema: DescMessage, message: Input): Json {
  const json: unknown = toJson(schema, message, { alwaysEmitImplicit: true, useProtoFieldName: true });
  return isObject(json) ? json : {};
}
