// What grpc-js refuses by itself, before a call comes to the waist: a request that is too large, that can't be read, or that does not arrive
// in time. Its own answer would be a bare status, of which neither the log nor the caller learns more.

import type { DescMethod } from '@bufbuild/protobuf';
import { ConnectError } from '@connectrpc/connect';
import { type Metadata, type ServerInterceptingCallInterface, status } from '@grpc/grpc-js';
import { maxBodyBytes } from '../rest/body.ts';
import { fail } from '../waist/errors.ts';
import { methodName } from '../waist/method-options.ts';
import { type Door, originOf, serverError } from './calls.ts';

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

/** Gives such a refusal the form of the service's errors, counted and logged as at the other doors. */
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
