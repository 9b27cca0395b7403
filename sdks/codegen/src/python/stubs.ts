// Buf plugin: the official messages and gRPC stubs of the Python SDK, by the pinned grpcio-tools. The contract is handed to
// them without its options, so that neither google.api nor our options.proto is needed, and under file names that are the
// stubs' place in the package: so they import each other by it, and nothing has to be rewritten.

import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  CodeGeneratorRequestSchema,
  CodeGeneratorResponse_Feature,
  CodeGeneratorResponseSchema,
  type FileDescriptorProto,
  type FileDescriptorSet,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt';
import { bareRequest } from '../go/strip.ts';
import { header } from './text.ts';

const python = join(import.meta.dirname, '../../../../.tools/python/bin/python');
/** `ramz/v1/verify.proto` → `ramz/grpc/v1/verify.proto`, the stub's place in the package. */
const placed = (name: string): string => name.replace(/^ramz\//, 'ramz/grpc/');

const request = bareRequest(fromBinary(CodeGeneratorRequestSchema, readFileSync(0)));
for (const file of request.protoFile) place(file);
const names = request.fileToGenerate.map(placed);
const set = create(FileDescriptorSetSchema, { file: request.protoFile });
const files = [...protoc(set, names), ...request.protoFile.filter(({ service }) => service.length > 0).map(stubTypes)];
const features = BigInt(CodeGeneratorResponse_Feature.PROTO3_OPTIONAL);
const response = create(CodeGeneratorResponseSchema, { supportedFeatures: features, file: files });
process.stdout.write(toBinary(CodeGeneratorResponseSchema, response));

function place(file: FileDescriptorProto): void {
  file.name = placed(file.name);
  file.dependency = file.dependency.map(placed);
  delete file.options; // Go's package.
}

/** Runs protoc with its Python outputs; names are relative to ramz/grpc/v1. */
function protoc(descriptors: FileDescriptorSet, wanted: readonly string[]): { name: string; content: string }[] {
  const folder = mkdtempSync(join(tmpdir(), 'ramz-stubs-'));
  try {
    const input = join(folder, 'descriptors.binpb');
    const output = join(folder, 'out');
    mkdirSync(output);
    writeFileSync(input, toBinary(FileDescriptorSetSchema, descriptors));
    const outputs = ['python_out', 'pyi_out', 'grpc_python_out'].map((option) => `--${option}=${output}`);
    const args = ['-m', 'grpc_tools.protoc', `--descriptor_set_in=${input}`, ...outputs, ...wanted];
    const { status, stderr, error } = spawnSync(python, args, { encoding: 'utf8' });
    if (error) throw error;
    if (status !== 0) throw new Error(`protoc: ${stderr}`);
    // Files without a service get an empty stub too.
    const withoutService = descriptors.file.filter(({ service }) => service.length === 0);
    const empty = new Set(withoutService.map(({ name }) => `${basename(name, '.proto')}_pb2_grpc.py`));
    const place = join(output, 'ramz', 'grpc', 'v1');
    return globSync('*', { cwd: place })
      .sort()
      .filter((name) => !empty.has(name))
      .map((name) => ({ name, content: readFileSync(join(place, name), 'utf8') }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** grpcio-tools writes types for messages only. One stub serves both kinds of channel, so that calls can't be told apart. */
function stubTypes({ name, service }: FileDescriptorProto): { name: string; content: string } {
  const classes = service.flatMap((each) => [
    `class ${each.name}Stub:`,
    '    def __init__(self, channel: Union[grpc.Channel, grpc.aio.Channel]) -> None: ...',
    ...each.method.map((method) => `    ${method.name}: Callable[..., Any]`),
    '',
  ]);
  const lines = [
    header,
    'from typing import Any, Callable, Union',
    '',
    'import grpc',
    'import grpc.aio',
    '',
    ...classes,
    'def __getattr__(name: str) -> Any: ...',
    '',
  ];
  return { name: `${basename(name, '.proto')}_pb2_grpc.pyi`, content: lines.join('\n') };
}
