// The reference for gRPC: a grpc-js method that does nothing and leaves its message as bytes.

import { create, toBinary } from '@bufbuild/protobuf';
import { Server, ServerCredentials, type sendUnaryData } from '@grpc/grpc-js';
import { CheckResponseSchema } from '../../src/gen/ramz/v1/verify_pb.ts';
import { answer, method } from './protocol.ts';

const bytes = Buffer.from(toBinary(CheckResponseSchema, create(CheckResponseSchema, answer as object)));
const asIs = (value: Buffer) => value;
const server = new Server({ 'grpc.max_concurrent_streams': 1_000 });
server.addService(
  {
    check: {
      path: method,
      requestStream: false,
      responseStream: false,
      requestSerialize: asIs,
      requestDeserialize: asIs,
      responseSerialize: asIs,
      responseDeserialize: asIs,
    },
  },
  { check: (_: unknown, done: sendUnaryData<Buffer>) => done(null, bytes) },
);
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  process.send?.({ httpPort: 0, grpcPort: port });
});
