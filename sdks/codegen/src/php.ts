// Buf plugin: what the PHP SDK has from the contract. The files themselves are made in php/.

import { create } from '@bufbuild/protobuf';
import { CodeGeneratorResponse_Feature, CodeGeneratorResponseSchema } from '@bufbuild/protobuf/wkt';
import { runNodeJs } from '@bufbuild/protoplugin';
import { readContract } from './contract.ts';
import { phpFiles } from './php/files.ts';

runNodeJs({
  name: 'ramz-php',
  version: '1',
  run(request) {
    return create(CodeGeneratorResponseSchema, {
      supportedFeatures: BigInt(CodeGeneratorResponse_Feature.PROTO3_OPTIONAL),
      file: phpFiles(readContract(request)),
    });
  },
});
