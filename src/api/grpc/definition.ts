// Service definitions for grpc-js from our descriptors. Requests stay bytes until the handler decodes them: what can't be
// decoded must be answered like any other bad request, and grpc-js would call it an internal error.

import { type DescMethod, type DescService, type Message, toBinary } from '@bufbuild/protobuf';
import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';

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
