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
import { type Course, courseOf, courseOfWatch } from '../course.ts';
import { ConfigurationError } from '../errors.ts';
import { read } from '../foreign.ts';
import { services } from '../gen/proto.ts';
import { answerOf, idempotency, pageOf } from '../http.ts';
import { askedIds } from '../ids.ts';
import {
  type Caller,
  type CallOptions,
  isDeletion,
  type Operation,
  type Page,
  type WatchOptions,
} from '../operation.ts';
import type { BaseSettings } from '../options.ts';
import { repeat } from '../repeat.ts';
import { pathValues } from '../request.ts';
import { Reporter } from '../response-info.ts';
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
    options: WatchOptions = {},
  ): AsyncIterable<T> {
    const course = courseOfWatch(this.#settings, options);
    const method = methodOf(operation) as DescMethodServerStreaming;
    const input = messageOf(method.input, operation, path, request);
    const reporter = this.#reporter(operation, course);
    const open = () =>
      reporter.connection((answered) =>
        attemptStream((signal) => this.#messages(method, input, course, signal, answered), course),
      );
    const { runtime } = this.#settings;
    const asked = pathValues(operation, path);
    return follow<T>(open, operation, asked, { course, isRepeatable: operation.repeatable, reporter, runtime });
  }

  #call(operation: Operation, path: readonly string[], request: object, options: CallOptions): Promise<Json> {
    const course = courseOf(this.#settings, options);
    const method = methodOf(operation) as DescMethodUnary;
    const input = messageOf(method.input, operation, path, request);
    const headers = { ...this.#headers(course), ...idempotency(operation, options) };
    const exchange = async (signal: AbortSignal) => {
      this.#open();
      try {
        const { header, message } = await this.#transport.unary(method, signal, undefined, headers, input);
        return { status: 200, headers: header, json: jsonOf(method.output, message) };
      } catch (error) {
        throw grpcError(error);
      }
    };
    const reporter = this.#reporter(operation, course);
    const once = async (timeoutMs: number): Promise<Json> => {
      course.signal?.throwIfAborted();
      return (await reporter.attempt(() => attempt(exchange, { timeoutMs, signal: course.signal }))).json;
    };
    const { runtime } = this.#settings;
    const deleted = isDeletion(operation) ? () => ({}) : undefined;
    return repeat(once, { course, isRepeatable: operation.repeatable, reporter, runtime }, deleted);
  }

  async *#messages(
    method: DescMethodServerStreaming,
    input: Input,
    course: Course,
    signal: AbortSignal,
    answered: (response: { status: number; headers: Headers }) => void,
  ): AsyncGenerator<Json, void, undefined> {
    this.#open();
    try {
      const inputs = (async function* () {
        yield input;
      })();
      const { header, message } = await this.#transport.stream(
        method,
        signal,
        undefined,
        this.#headers(course),
        inputs,
      );
      answered({ status: 200, headers: header });
      for await (const one of message) yield jsonOf(method.output, one);
    } catch (error) {
      throw grpcError(error);
    }
  }

  #reporter({ name }: Operation, { hooks }: Course): Reporter {
    return new Reporter(name, this.#settings.apiKey, hooks, this.#settings.runtime);
  }

  #open(): void {
    if (this.#isClosed) throw new ConfigurationError('the client is closed');
  }

  #headers({ headers }: Course): Record<string, string> {
    const { apiKey, userAgent } = this.#settings;
    return { ...headers, authorization: `Bearer ${apiKey}`, 'user-agent': userAgent };
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
