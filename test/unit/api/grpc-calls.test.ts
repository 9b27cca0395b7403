// When a gRPC call's signal is aborted: grpc-js says "cancelled" of every call in the end, whoever ended it.

import { EventEmitter } from 'node:events';
import { create, type Message } from '@bufbuild/protobuf';
import { type handleUnaryCall, Metadata, type ServerUnaryCall } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { callHandler } from '../../../src/api/grpc/calls.ts';
import type { CallInit, UnaryAnswer, Waist } from '../../../src/api/waist/invoke.ts';
import { CheckResponseSchema, VerifyService } from '../../../src/gen/ramz/v1/verify_pb.ts';

/** A call whose handler is answered by hand. */
function begin() {
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
  const call = Object.assign(new EventEmitter(), {
    metadata: new Metadata(),
    request: Buffer.alloc(0),
    sendMetadata: () => {},
    getPeer: () => '127.0.0.1:1',
    getDeadline: () => Number.POSITIVE_INFINITY,
  });
  const handle = callHandler(
    { waist, gate: { of: () => undefined }, addresses: { of: (peer) => peer } },
    VerifyService.method.check,
  ) as handleUnaryCall<Buffer, Message>;
  const answered = new Promise((resolve) => {
    handle(call as unknown as ServerUnaryCall<Buffer, Message>, (error, message) => resolve(error ?? message));
  });
  return { call, answer, answered, seen };
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
