// The contract without its options: messages, services and comments stay, what is written in brackets goes.

import { clone, create } from '@bufbuild/protobuf';
import {
  type CodeGeneratorRequest,
  CodeGeneratorRequestSchema,
  type DescriptorProto,
  type FileDescriptorProto,
  FileOptionsSchema,
} from '@bufbuild/protobuf/wkt';
import { messagesPath } from './module.ts';

/** A copy with our own files alone, and those of Google's that messages are made from (google.protobuf). */
export function bareRequest(request: CodeGeneratorRequest): CodeGeneratorRequest {
  const bare = clone(CodeGeneratorRequestSchema, request);
  bare.sourceFileDescriptors = [];
  bare.protoFile = bare.protoFile.filter(isKept);
  const kept = new Set(bare.protoFile.map(({ name }) => name));
  for (const file of bare.protoFile) {
    if (!isOurs(file)) continue;
    file.dependency = file.dependency.filter((name) => kept.has(name));
    stripFile(file);
  }
  bare.fileToGenerate = bare.protoFile.filter(isOurs).map(({ name }) => name);
  return bare;
}

const isOurs = ({ package: name }: FileDescriptorProto): boolean => name.startsWith('ramz.');

/** Files that declare options, or do nothing but set some, have nothing to make Go from. */
function isKept(file: FileDescriptorProto): boolean {
  if (!isOurs(file)) return file.package === 'google.protobuf' && file.name !== 'google/protobuf/descriptor.proto';
  return file.extension.length === 0 && file.messageType.length + file.service.length > 0;
}

function stripFile(file: FileDescriptorProto): void {
  file.options ??= create(FileOptionsSchema);
  strip(file);
  file.options.goPackage = messagesPath;
  for (const message of file.messageType) stripMessage(message);
  for (const service of file.service) for (const each of [service, ...service.method]) strip(each);
}

function stripMessage(message: DescriptorProto): void {
  for (const each of [message, ...message.field, ...message.oneofDecl]) strip(each);
  for (const nested of message.nestedType) stripMessage(nested);
}

/** Options that descriptor.proto does not know are unknown fields of the options it does. */
function strip({ options }: { options?: { $unknown?: unknown } | undefined }): void {
  if (options) delete options.$unknown;
}
