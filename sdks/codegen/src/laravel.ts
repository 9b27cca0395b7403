// Buf plugin: what the Laravel package has from the contract. The files themselves are made in laravel/.

import { create } from '@bufbuild/protobuf';
import { CodeGeneratorResponse_Feature, CodeGeneratorResponseSchema } from '@bufbuild/protobuf/wkt';
import { runNodeJs } from '@bufbuild/protoplugin';
import { readContract } from './contract.ts';
import { laravelFiles } from './laravel/files.ts';

runNodeJs({
  name: 'ramz-laravel',
  version: '1',
  run(request) {
    return create(CodeGeneratorResponseSchema, {
      supportedFeatures: BigInt(CodeGeneratorResponse_Feature.PROTO3_OPTIONAL),
      file: laravelFiles(readContract(request)),
    });
  },
});
