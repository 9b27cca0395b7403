// What each door answers to one call, without the texts: code, field, names of further members, and the door's own status.
import {
  create,
  type DescMethod,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  fromJson,
  type JsonValue,
} from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { createConnectTransport, createGrpcWebTransport } from '@connectrpc/connect-web';
import { type Caller, native, type Outcome, overConnect, rest } from '../../../support/doors.ts';

export interface Ports {
  http: string;
  grpc: string;
}

export interface Call {
  method: DescMethod;
  /** The request as the JSON of the contract. */
  input: JsonValue;
  headers: Record<string, string>;
}

export type Door = 'rest' | 'connect' | 'grpc-web' | 'grpc';

interface Said {
  error: string;
  status: string;
}
interface Told {
  door: Door;
  said: Said;
}

/** One through each door of one server. Not for two calls through the same door at once: they would mix up their statuses. */
export class Doors {
  readonly #doors: Record<Door, DoorCaller>;

  constructor({ http, grpc }: Ports) {
    this.#doors = {
      rest: new DoorCaller((send) => rest(http, send)),
      connect: new DoorCaller((send) => overConnect('connect', createConnectTransport({ baseUrl: http, fetch: send }))),
      'grpc-web': new DoorCaller((send) =>
        overConnect('grpc-web', createGrpcWebTransport({ baseUrl: http, fetch: send })),
      ),
      grpc: new DoorCaller(() => native(grpc)),
    };
  }

  /** One line, e.g. `invalid_code at code · rest 400 · connect 400 InvalidArgument · grpc-web InvalidArgument · grpc InvalidArgument`. */
  async ask(call: () => Call, names: readonly Door[]): Promise<string> {
    const asked = await Promise.all(names.map(async (door) => ({ door, said: await this.#doors[door].ask(call()) })));
    return lineOf(asked.flatMap(({ door, said }) => (said === null ? [] : [{ door, said }])));
  }

  close(): void {
    for (const door of Object.values(this.#doors)) door.close();
  }
}

/** Doors that say the same stand behind one error; it is told again where a door differs. */
function lineOf(told: readonly Told[]): string {
  const errors = [...new Set(told.map(({ said }) => said.error))];
  return errors
    .map((error) => [
      error,
      ...told.filter(({ said }) => said.error === error).map(({ door, said }) => `${door} ${said.status}`),
    ])
    .map((parts) => parts.join(' · '))
    .join(' / ');
}

class DoorCaller {
  readonly #caller: Caller;
  #httpStatus: number | undefined;

  constructor(open: (send: typeof fetch) => Caller) {
    this.#caller = open(async (...request) => {
      const response = await fetch(...request);
      this.#httpStatus = response.status;
      return response;
    });
  }

  /** Null where the door doesn't offer the method. */
  async ask({ method, input, headers }: Call): Promise<Said | null> {
    const outcome = await answerOf(this.#caller, method, input, headers);
    if (!outcome) return null;
    const rpc = outcome.kind === 'ok' ? 'OK' : Code[outcome.grpcCode ?? -1];
    const { door } = this.#caller;
    const status = { rest: `${this.#httpStatus}`, connect: `${this.#httpStatus} ${rpc}`, 'grpc-web': rpc, grpc: rpc }[
      door
    ];
    return { error: errorOf(outcome), status: String(status) };
  }

  close(): void {
    this.#caller.close();
  }
}

/** The first answer, of a stream too. */
async function answerOf(caller: Caller, method: DescMethod, json: JsonValue, headers: Record<string, string>) {
  const input = json === null ? create(method.input) : fromJson(method.input, json);
  if (method.methodKind === 'unary') return caller.call(method as DescMethodUnary, input, headers);
  for await (const first of caller.stream(method as DescMethodServerStreaming, input, headers)) return first;
  return undefined;
}

function errorOf(outcome: Outcome): string {
  if (outcome.kind === 'ok') return 'ok';
  const { code, field, metadata, retryAfter } = outcome;
  const members = Object.keys(metadata).sort();
  return [
    code,
    ...(field === undefined ? [] : [`at ${field}`]),
    ...(members.length === 0 ? [] : [`with ${members.join(', ')}`]),
    ...(retryAfter === undefined ? [] : ['and Retry-After']),
  ].join(' ');
}
