// Calls of grpc-js through the waist: one answer, or a stream of them, with grpc-js metadata as web headers and errors as trailers.

import { once } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';
import {
  type DescMethod,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  fromBinary,
  type Message,
  toBinary,
} from '@bufbuild/protobuf';
import type { ConnectError } from '@connectrpc/connect';
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  Metadata,
  type ServerErrorResponse,
  type ServerUnaryCall,
  type ServerWritableStream,
  type StatusObject,
  status,
  type UntypedHandleCall,
} from '@grpc/grpc-js';
import { StatusSchema } from '../../gen/google/rpc/status_pb.ts';
import { type ClientAddresses, plainAddress } from '../clients/address.ts';
import type { Connection, Gate } from '../clients/gate.ts';
import type { CallOrigin } from '../waist/context.ts';
import { fail, toStatus } from '../waist/errors.ts';
import { type CallInit, readHeaders, type StreamAnswer, type Waist } from '../waist/invoke.ts';
import { methodName } from '../waist/method-options.ts';
import type { Logger } from '../waist/ports.ts';

export interface Door {
  waist: Waist;
  gate: Pick<Gate, 'of'>;
  addresses: Pick<ClientAddresses, 'of'>;
  logger: Pick<Logger, 'error'>;
}

export function callHandler(door: Door, method: DescMethod): UntypedHandleCall {
  switch (method.methodKind) {
    case 'unary':
      return unary(door, method as DescMethodUnary);
    case 'server_streaming':
      return serverStreaming(door, method as DescMethodServerStreaming);
    default:
      throw new Error(`${method.name}: streams of requests are not supported`);
  }
}

type StreamCall = ServerWritableStream<Buffer, Message>;
type Call = ServerUnaryCall<Buffer, Message> | StreamCall;

function unary(door: Door, method: DescMethodUnary): handleUnaryCall<Buffer, Message> {
  const { waist } = door;
  return (call, answer) => {
    const { init, read, end } = begin(door, method, call);
    const answered = async () => waist.invokeUnary(method, read(), init);
    answered()
      .then(
        ({ message, header }) => {
          end();
          call.sendMetadata(metadataOf(header));
          answer(null, message);
        },
        (reason) => {
          end();
          answer(serverError(waist.asError(reason, init.origin)));
        },
      )
      .catch(giveUp(door, call, init.origin, answer));
  };
}

function serverStreaming(door: Door, method: DescMethodServerStreaming): handleServerStreamingCall<Buffer, Message> {
  const { waist } = door;
  return (call) => {
    const { init, read, end } = begin(door, method, call);
    const written = async () => write(call, waist.invokeStream(method, read(), init), init.signal);
    written()
      .then(
        () => {
          end();
          call.end();
        },
        (reason) => {
          end();
          if (!call.cancelled) call.emit('error', serverError(waist.asError(reason, init.origin)));
        },
      )
      .catch(giveUp(door, call, init.origin, (error) => call.emit('error', error)));
  };
}

/** What grpc-js has and its types don't. */
interface Below {
  call?: { stream?: Pick<ServerHttp2Stream, 'destroy'> };
}

/** grpc-js throws where it can't write an answer. Held by nobody, that would end the process, and the calls of all others with it. */
function giveUp(
  { logger }: Door,
  call: Call,
  { requestId }: CallOrigin,
  answer: (error: Partial<StatusObject>) => void,
) {
  return (err: unknown): void => {
    logger.error({ err, request_id: requestId }, 'answer could not be written');
    try {
      answer({ code: status.INTERNAL, details: 'internal error' });
    } catch {
      (call as unknown as Below).call?.stream?.destroy();
    }
  };
}

/** No faster than the caller reads. */
async function write(call: StreamCall, answer: StreamAnswer, signal: AbortSignal): Promise<void> {
  let first = true;
  for await (const message of answer.messages) {
    if (signal.aborted) return;
    if (first) call.sendMetadata(metadataOf(answer.header));
    first = false;
    if (!call.write(message)) await drained(call, signal);
  }
}

/** Resolves too when the caller has gone: the stream then ends by its signal. */
async function drained(call: StreamCall, signal: AbortSignal): Promise<void> {
  await once(call, 'drain', { signal }).catch(() => {});
}

interface Begun {
  init: CallInit & { signal: AbortSignal };
  /** The request; throws `malformed_request`. */
  read(): Message;
  /** Called before the answer is given. */
  end(): void;
}

function begin(door: Door, method: DescMethod, call: Call): Begun {
  const { waist, gate } = door;
  const startedAt = performance.now();
  const leaving = new AbortController();
  const gone = () => leaving.abort();
  call.once('cancelled', gone);
  const peer = call.getPeer();
  const connection: Connection | undefined = gate.of(peer);
  connection?.begin();
  const origin = originOf(door, peer, call.metadata, timeoutMs(call));
  const init = { origin, header: headersOf(call.metadata), signal: leaving.signal };
  return {
    init,
    read: () => decode(waist, method, call.request, origin, startedAt),
    // grpc-js says "cancelled" at the end of every call: an abort then would make an error and its stack in vain.
    end: () => {
      connection?.end();
      call.off('cancelled', gone);
    },
  };
}

/** @param metadata null where it has not been read. */
export function originOf(
  { waist, gate, addresses }: Door,
  peer: string,
  metadata: Metadata | null,
  timeoutMs?: number,
): CallOrigin {
  const forwardedFor = metadata?.get('x-forwarded-for') ?? [];
  const client = addresses.of(hostOf(peer), forwardedFor.length > 0 ? forwardedFor.join(',') : undefined);
  return waist.newOrigin('grpc', client, timeoutMs, gate.of(peer)?.proven);
}

function decode(waist: Waist, method: DescMethod, bytes: Buffer, origin: CallOrigin, startedAt: number): Message {
  try {
    return fromBinary(method.input, bytes);
  } catch (cause) {
    const error = fail('malformed_request', `the message is not a ${method.input.typeName}`, { cause });
    throw waist.refuse(methodName(method), error, origin, startedAt);
  }
}

/** `10.0.0.1:5000` and `::1:5000`, as grpc-js writes them, without the port. */
const hostOf = (peer: string): string => plainAddress(peer.replace(/:\d+$/, ''));

function timeoutMs(call: Call): number | undefined {
  const deadline = call.getDeadline();
  const at = typeof deadline === 'number' ? deadline : deadline.getTime();
  return Number.isFinite(at) ? at - Date.now() : undefined;
}

/** The headers that the waist reads. */
function headersOf(metadata: Metadata): Headers {
  const headers = new Headers();
  for (const name of readHeaders) {
    const values = metadata.get(name);
    if (values.length > 0) headers.set(name, values.join(', '));
  }
  return headers;
}

function metadataOf(headers: Headers): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of headers) metadata.set(name, value);
  return metadata;
}

/**
 * The error as grpc-js sends it: status, message, and the details in `grpc-status-details-bin`. It writes the message with encodeURI, which throws at
 * half of a surrogate pair, in a place where nobody can catch it once a stream has begun.
 */
export function serverError(error: ConnectError): ServerErrorResponse & Pick<StatusObject, 'code' | 'details'> {
  const metadata = metadataOf(error.metadata);
  metadata.set('grpc-status-details-bin', Buffer.from(toBinary(StatusSchema, toStatus(error))));
  const details = error.rawMessage.toWellFormed();
  return { name: 'ServerError', message: details, code: error.code as number, details, metadata };
}
