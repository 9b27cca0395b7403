// When a gRPC call's signal is aborted: grpc-js says "cancelled" of every call in the end, whoever ended it. And what becomes of an answer that it
// can't write.

import { EventEmitter } from 'node:events';
import { create, type DescMethod, type Message } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  Metadata,
  type ServerUnaryCall,
  type ServerWritableStream,
} from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import { callHandler, type Door } from '../../../src/api/grpc/calls.ts';
import type { CallInit, UnaryAnswer, Waist } from '../../../src/api/waist/invoke.ts';
import { CheckResponseSchema, VerifyService } from '../../../src/gen/ramz/v1/verify_pb.ts';

/** A call whose handler is answered by hand. `write` stands in for grpc-js, which throws where it can't write. */
function begin(write: (answer: unknown) => void = () => {}) {
  const answer = Promise.withResolvers<UnaryAnswer>();
  const seen: { signal?: AbortSignal | undefined } = {};
  const waist = {
    newOrigin: () => ({ door: 'grpc', peer: '', timeoutMs: undefined, requestId: 'req_1' }),
    invokeUnary: (_: unknown, __: Message, init: CallInit) => {
      seen.signal = init.signal;
      return answer.promise;
    },
    asError: (reason: unknown) => reason,
  } as unknown as Waist;
  const { call, lines, destroyed, handler } = standIn(waist);
  const handle = handler(VerifyService.method.check) as handleUnaryCall<Buffer, Message>;
  const answered = new Promise((resolve) => {
    handle(call as unknown as ServerUnaryCall<Buffer, Message>, (error, message) => {
      write(error ?? message);
      resolve(error ?? message);
    });
  });
  return { call, answer, answered, seen, lines, destroyed };
}

/** A call as grpc-js has it, without a connection, and the handler of its method. */
function standIn(waist: Waist) {
  const lines: object[] = [];
  const destroyed = Promise.withResolvers<void>();
  const call = Object.assign(new EventEmitter(), {
    call: { stream: { destroy: destroyed.resolve } },
    metadata: new Metadata(),
    request: Buffer.alloc(0),
    sendMetadata: () => {},
    getPeer: () => '127.0.0.1:1',
    getDeadline: () => Number.POSITIVE_INFINITY,
  });
  const door: Door = {
    waist,
    gate: { of: () => undefined },
    addresses: { of: (peer) => peer },
    logger: { error: (fields) => lines.push(fields) },
  };
  return { call, lines, destroyed: destroyed.promise, handler: (method: DescMethod) => callHandler(door, method) };
}

test('a caller that goes before the answer aborts its call', () => {
  const { call, seen } = begin();
  expect(seen.signal?.aborted).toBe(false);
  call.emit('cancelled');
  expect(seen.signal?.aborted).toBe(true);
});

test('nothing is aborted once the answer is given', async () => {
  const { call, answer, answered, seen } = begin();
  answer.resolve({ message: create(CheckResponseSchema), header: new Headers() });
  await answered;
  call.emit('cancelled');
  expect(seen.signal?.aborted).toBe(false);
});

test('words with half of a character in them are well formed before they are written', async () => {
  const { answer, answered } = begin();
  answer.reject(new ConnectError('no field \ud83d', Code.InvalidArgument));
  expect(await answered).toMatchObject({
    code: Code.InvalidArgument,
    details: 'no field \ufffd',
    message: 'no field \ufffd',
  });
});

describe('an answer that can not be written is logged, and ends its own call alone', () => {
  const unfit = (is: (answer: unknown) => boolean) => (answer: unknown) => {
    if (is(answer)) throw new URIError('URI malformed');
  };
  const internal = { code: Code.Internal, details: 'internal error' };
  const isInternal = (answer: unknown) => (answer as { code?: Code }).code === Code.Internal;
  const logged = [{ err: new URIError('URI malformed'), request_id: 'req_1' }];

  test.each([true, false])('as an internal error; a refusal: %s', async (refused) => {
    const { answer, answered, lines } = begin(unfit((given) => !isInternal(given)));
    if (refused) answer.reject(new ConnectError('x', Code.NotFound));
    else answer.resolve({ message: create(CheckResponseSchema), header: new Headers() });
    expect(await answered).toEqual(internal);
    expect(lines).toEqual(logged);
  });

  test('of a stream, too', async () => {
    const waist = {
      newOrigin: () => ({ door: 'grpc', peer: '', timeoutMs: undefined, requestId: 'req_1' }),
      invokeStream: () => {
        throw new ConnectError('x', Code.NotFound);
      },
      asError: (reason: unknown) => reason,
    } as unknown as Waist;
    const { call, lines, handler } = standIn(waist);
    const answered = new Promise((resolve) => {
      call.on('error', (error) => {
        unfit((given) => !isInternal(given))(error);
        resolve(error);
      });
    });
    const handle = handler(VerifyService.method.watchSession) as handleServerStreamingCall<Buffer, Message>;
    handle(call as unknown as ServerWritableStream<Buffer, Message>);
    expect(await answered).toEqual(internal);
    expect(lines).toEqual(logged);
  });

  test('or without an answer', async () => {
    const { answer, destroyed, lines } = begin(unfit(() => true));
    answer.reject(new ConnectError('x', Code.NotFound));
    await destroyed;
    expect(lines).toEqual(logged);
  });
});
