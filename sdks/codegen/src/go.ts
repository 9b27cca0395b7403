// Buf plugin: the Go SDK's client, constants and tables, beside what protoc-gen-go and protoc-gen-connect-go make. How it
// looks is in go/; transport, errors and options are written by hand in sdks/go.

import { create } from '@bufbuild/protobuf';
import { CodeGeneratorResponse_Feature, CodeGeneratorResponseSchema } from '@bufbuild/protobuf/wkt';
import { runNodeJs } from '@bufbuild/protoplugin';
import { readContract } from './contract.ts';
import { goFiles } from './go/files.ts';

runNodeJs({
  name: 'ramz-go',
  version: '1',
  run(request) {
    const files = Object.entries(goFiles(readContract(request)));
    return create(CodeGeneratorResponseSchema, {
      supportedFeatures: BigInt(CodeGeneratorResponse_Feature.PROTO3_OPTIONAL),
      file: files.map(([name, content]) => ({ name, content })),
    });
  },
});
