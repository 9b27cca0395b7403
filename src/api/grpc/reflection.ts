// Server reflection (v1 and v1alpha), from the generated descriptors: no proto files are needed beside the server.

import { type DescFile, type DescService, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import type { Server } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import { file_google_rpc_error_details } from '../../gen/google/rpc/error_details_pb.ts';
import { Health } from '../../gen/health/v1/health_pb.ts';

export function addReflection(server: Pick<Server, 'addService'>, services: readonly DescService[]): void {
  // Health from a descriptor of protoc's own making: that of its package names the entry of a map in a way that Go's
  // clients (grpcurl, evans) refuse. No service imports the details of errors, but clients want to show them.
  const roots = [...[...services, Health].map((service) => service.file), file_google_rpc_error_details];
  const files = new Set(roots.flatMap(withImports));
  const fileDescriptorProtos = [...files].map((file) => Buffer.from(toBinary(FileDescriptorProtoSchema, file.proto)));
  // The package reads descriptors wherever an entry of a proto-loader package has them, and nothing else of it.
  const definition = {
    files: { format: 'Protocol Buffer 3 DescriptorProto', type: {}, fileDescriptorProtos },
  };
  new ReflectionService(definition as ConstructorParameters<typeof ReflectionService>[0]).addToServer(server);
}

function withImports(file: DescFile): DescFile[] {
  return [...file.dependencies.flatMap(withImports), file];
}
