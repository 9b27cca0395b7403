// The border to grpc-js: its metadata as web headers and back, errors as trailers, and service definitions from our descriptors.

import { type DescMethod, type DescService, type Message, toBinary } from '@bufbuild/protobuf';
import type { ConnectError } from '@connectrpc/connect';
import {
  logVerbosity,
  Metadata,
  type MethodDefinition,
  type ServerErrorResponse,
  type ServiceDefinition,
  setLogVerbosity,
} from '@grpc/grpc-js';
import { StatusSchema } from '../../gen/google/rpc/status_pb.ts';
import { toStatus } from '../waist/errors.ts';
import { readHeaders } from '../waist/invoke.ts';

// On metadata it can't read, grpc-js writes name and value to standard error: the value may be an API key.
setLogVerbosity(logVerbosity.NONE);

/** Those that are read. */
export function headersOf(metadata: Metadata): Headers {
  const headers = new Headers();
  for (const name of readHeaders) {
    const values = metadata.get(name);
    if (values.length > 0) headers.set(name, values.join(', '));
  }
  return headers;
}

export function metadataOf(headers: Headers): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of headers) metadata.set(name, value);
  return metadata;
}

/** The error as grpc-js sends it: status, message, and the details in `grpc-status-details-bin`. */
export function serverError(error: ConnectError): ServerErrorResponse {
  const metadata = metadataOf(error.metadata);
  metadata.set('grpc-status-details-bin', Buffer.from(toBinary(StatusSchema, toStatus(error))));
  return {
    name: 'ServerError',
    message: error.rawMessage,
    code: error.code as number,
    details: error.rawMessage,
    metadata,
  };
}

// Service definitions for grpc-js from our descriptors. Requests stay bytes until the handler decodes them: what can't be
// decoded must be answered like any other bad request, and grpc-js would call it an internal error.

export function definitionOf(service: DescService): ServiceDefinition {
  return Object.fromEntries(service.methods.map((method) => [method.name, methodDefinition(method)]));
}

function methodDefinition(method: DescMethod): MethodDefinition<Buffer, Message> {
  if (method.methodKind !== 'unary' && method.methodKind !== 'server_streaming') {
    throw new Error(`${method.name}: streams of requests are not supported`);
  }
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    requestStream: false,
    responseStream: method.methodKind === 'server_streaming',
    requestSerialize: (bytes) => bytes,
    requestDeserialize: (bytes) => bytes,
    responseSerialize: (message) => Buffer.from(toBinary(method.output, message)),
    responseDeserialize: unused,
    originalName: method.localName,
  };
}

/** Of a definition only the server's half is used. */
function unused(): never {
  throw new Error("this definition is a server's");
}
