// Server reflection (v1 and v1alpha), from the generated descriptors: no proto files are needed beside the server.

import { type DescFile, type DescService, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import type { Server } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import { service as health } from 'grpc-health-check';
import { file_google_rpc_error_details } from '../../gen/google/rpc/error_details_pb.ts';

export function addReflection(server: Pick<Server, 'addService'>, services: readonly DescService[]): void {
  // No service imports the details of errors, but clients want to show them.
  const roots = [...services.map((service) => service.file), file_google_rpc_error_details];
  const files = new Set(roots.flatMap(withImports));
  const ours = [...files].map((file) => Buffer.from(toBinary(FileDescriptorProtoSchema, file.proto)));
  const theirs = Object.values(health).flatMap((method) => filesOf(method));
  // The package reads descriptors wherever an entry of a proto-loader package has them, and nothing else of it.
  const definition = {
    files: { format: 'Protocol Buffer 3 DescriptorProto', type: {}, fileDescriptorProtos: [...ours, ...theirs] },
  };
  new ReflectionService(definition as ConstructorParameters<typeof ReflectionService>[0]).addToServer(server);
}

function withImports(file: DescFile): DescFile[] {
  return [...file.dependencies.flatMap(withImports), file];
}

function filesOf(method: object): Buffer[] {
  const { requestType } = method as { requestType?: { fileDescriptorProtos?: Buffer[] } };
  return requestType?.fileDescriptorProtos ?? [];
}
