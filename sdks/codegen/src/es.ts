// Buf plugin: protoc-gen-es, with the comments of other people's protos left out of what we commit.

import { clone } from '@bufbuild/protobuf';
import { CodeGeneratorRequestSchema } from '@bufbuild/protobuf/wkt';
import { protocGenEs } from '@bufbuild/protoc-gen-es/dist/cjs/src/protoc-gen-es-plugin.js';
import { runNodeJs } from '@bufbuild/protoplugin';

runNodeJs({
  name: protocGenEs.name,
  version: protocGenEs.version,
  run(original) {
    const request = clone(CodeGeneratorRequestSchema, original);
    for (const file of [...request.protoFile, ...request.sourceFileDescriptors]) {
      if (!file.package.startsWith('ramz.')) delete file.sourceCodeInfo;
    }
    return protocGenEs.run(request);
  },
});
