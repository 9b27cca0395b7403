// Buf plugin: the OpenAPI 3.1 document of the REST door.

import { create } from '@bufbuild/protobuf';
import { CodeGeneratorResponse_Feature, CodeGeneratorResponseSchema } from '@bufbuild/protobuf/wkt';
import { runNodeJs } from '@bufbuild/protoplugin';
import { readContract } from './contract.ts';
import { openapi } from './document.ts';

runNodeJs({
  name: 'ramz-openapi',
  version: '1',
  run(request) {
    const content = `${JSON.stringify(openapi(readContract(request)), null, 2)}\n`;
    return create(CodeGeneratorResponseSchema, {
      supportedFeatures: BigInt(CodeGeneratorResponse_Feature.PROTO3_OPTIONAL),
      file: [{ name: 'openapi.json', content }],
    });
  },
});
