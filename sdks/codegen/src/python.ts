// Buf plugin: the Python SDK's messages, operations, resources and constants.

import { create } from '@bufbuild/protobuf';
import { CodeGeneratorResponse_Feature, CodeGeneratorResponseSchema } from '@bufbuild/protobuf/wkt';
import { runNodeJs } from '@bufbuild/protoplugin';
import { readContract } from './contract.ts';
import { pythonFiles } from './python/files.ts';
import { formatPython } from './python/format.ts';

runNodeJs({
  name: 'ramz-python',
  version: '1',
  run(request) {
    const files = Object.entries(pythonFiles(readContract(request)));
    return create(CodeGeneratorResponseSchema, {
      supportedFeatures: BigInt(CodeGeneratorResponse_Feature.PROTO3_OPTIONAL),
      file: files.map(([name, text]) => ({ name, content: formatPython(text) })),
    });
  },
});
