// The time limit for the arrival of a request. grpc-js waits for a request without end and keeps the part of it that has arrived: up to 64 KiB for
// each call on a connection, and a stranger may open as many calls as a connection allows. In a stream of requests the limit holds for each
// request, counted from the one before it. Also how a call ends whose request did not arrive, or that grpc-js refuses by itself.

import type { DescMethod } from '@bufbuild/protobuf';
import { ConnectError } from '@connectrpc/connect';
import {
  type Metadata,
  type ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  status,
} from '@grpc/grpc-js';
import { alarm } from '../../time/alarm.ts';
import type { Gate } from '../clients/gate.ts';
import { maxBodyBytes } from '../rest/body.ts';
import { fail } from '../waist/errors.ts';
import { defaultCallMs } from '../waist/interceptors/ends.ts';
import { methodName } from '../waist/method-options.ts';
import { type Door, originOf, serverError } from './calls.ts';

/** How often the calls that are waited for are checked within the limit. */
const looks = 4;

/**
 * Ends the call of a request that is late, and its connection, too, where the connection has shown no good key: a call that ended alone would
 * still hold the part of its request that has arrived. `ms`: the limit. `refuse`: how a call ends whose request has not arrived.
 */
export function arrival(gate: Pick<Gate, 'of'>, refuse: Refuse, ms = defaultCallMs): ServerInterceptor {
  /** Since when each is waited for; the oldest first. One alarm for all: nearly every request is there at once. */
  const waiting = new Map<ServerInterceptingCallInterface, number>();
  let isSet = false;

  const set = (): void => {
    if (isSet) return;
    isSet = true;
    alarm(look, ms / looks, { ref: false });
  };
  const look = (): void => {
    isSet = false;
    const dueBy = performance.now() - ms;
    const late: [call: ServerInterceptingCallInterface, peer: string][] = [];
    for (const [call, since] of waiting) {
      if (since > dueBy) break;
      waiting.delete(call);
      late.push([call, call.getPeer()]);
    }
    const cut = new Set<string>();
    for (const peer of new Set(late.map(([, each]) => each))) if (gate.of(peer)?.cutUnproven()) cut.add(peer);
    const details = `the request did not arrive within ${ms} ms`;
    for (const [call, peer] of late) if (!cut.has(peer)) call.sendStatus({ code: status.DEADLINE_EXCEEDED, details });
    if (waiting.size > 0) set();
  };
  const wait = (call: ServerInterceptingCallInterface): void => {
    waiting.delete(call); // The oldest first.
    waiting.set(call, performance.now());
    set();
  };

  return ({ path, requestStream }, call) => {
    const { start, sendStatus } = call;
    decompressOne(call as unknown as Decompressing, requestStream);
    const startedAt = performance.now();
    let metadata: Metadata | null = null;
    call.sendStatus = (given) => {
      call.sendStatus = sendStatus;
      sendStatus.call(call, refuse({ path, peer: call.getPeer(), metadata, startedAt }, given));
    };
    call.start = (listener) => {
      const { onReceiveMetadata, onReceiveMessage, onReceiveHalfClose, onCancel } = listener;
      // Not called where the caller has gone already, as the others are not.
      listener.onReceiveMetadata = (received) => {
        metadata = received;
        wait(call);
        onReceiveMetadata.call(listener, received);
      };
      if (requestStream) {
        listener.onReceiveMessage = (message) => {
          wait(call);
          onReceiveMessage.call(listener, message);
        };
      }
      listener.onReceiveHalfClose = () => {
        call.sendStatus = sendStatus;
        waiting.delete(call);
        onReceiveHalfClose.call(listener);
      };
      listener.onCancel = () => {
        waiting.delete(call);
        onCancel.call(listener);
      };
      start.call(call, listener);
    };
    // The call itself: a wrapper of the library's is a good part of a short call.
    return call as unknown as ServerInterceptingCall;
  };
}

/** What grpc-js has and its types don't. */
interface Decompressing {
  decompressMessage(message: Buffer, encoding: string): Buffer | Promise<Buffer>;
}

const secondMessage = { code: status.UNIMPLEMENTED, details: 'the method takes one message' };
const secondAtOnce = {
  code: status.RESOURCE_EXHAUSTED,
  details: 'a compressed message came before the one in front of it was read',
};

/**
 * Has one message of a call decompressed at a time, and one at all where the method takes one. grpc-js begins with each message as it comes: a frame
 * holds thousands of empty ones, and for each of them there would be a decompressor.
 */
function decompressOne(call: Decompressing, requestStream: boolean): void {
  const { decompressMessage } = call;
  let isTaken = false;
  call.decompressMessage = (message, encoding) => {
    if (encoding === 'identity') return decompressMessage.call(call, message, encoding);
    if (isTaken) return Promise.reject(requestStream ? secondAtOnce : secondMessage);
    isTaken = true;
    const decompressed = Promise.resolve(decompressMessage.call(call, message, encoding));
    return requestStream ? decompressed.finally(() => (isTaken = false)) : decompressed;
  };
}

/** A call whose request has not arrived. */
export interface Unarrived {
  /** `/ramz.v1.VerifyService/Send` */
  path: string;
  peer: string;
  /** Null where the headers have not been read. */
  metadata: Metadata | null;
  /** By the process's monotonic clock, ms. */
  startedAt: number;
}

/** What a call ends with. */
type Given = Parameters<ServerInterceptingCallInterface['sendStatus']>[0];

export type Refuse = (call: Unarrived, given: Given) => Given;

/**
 * What grpc-js refuses by itself, before a call comes to the waist, in the form of the service's errors, counted and logged as at the other doors: a
 * request that is too large, that can't be read, or that is late. Its own answer is a bare status.
 */
export function refusals(door: Door): Refuse {
  const methods = new Map<string, DescMethod>(door.waist.methods.map((method) => [`/${methodName(method)}`, method]));
  return ({ path, peer, metadata, startedAt }, given) => {
    const method = methods.get(path);
    if (!method) return given; // Health and reflection are no services of ours.
    const origin = originOf(door, peer, metadata);
    return serverError(door.waist.refuse(methodName(method), errorOf(given, method), origin, startedAt));
  };
}

function errorOf({ code, details }: Given, { input }: DescMethod): ConnectError {
  if (code === status.RESOURCE_EXHAUSTED) {
    return fail('request_too_large', `the message is larger than ${maxBodyBytes} bytes`);
  }
  // A deadline that is none, or bytes that can't be decompressed. To grpc-js, either is a bug.
  if (code === status.INTERNAL) return fail('malformed_request', `the message is not a ${input.typeName}: ${details}`);
  return new ConnectError(details ?? '', code as number);
}
