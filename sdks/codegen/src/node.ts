// Buf plugin: the generated part of the Node SDK (sdks/node/src/gen). How each file looks is in node/.

import { create } from '@bufbuild/protobuf';
import {
  type CodeGeneratorRequest,
  CodeGeneratorResponse_Feature,
  CodeGeneratorResponseSchema,
} from '@bufbuild/protobuf/wkt';
import { runNodeJs } from '@bufbuild/protoplugin';
import { readClient } from './client.ts';
import { readContract } from './contract.ts';
import { renderEvents } from './node/events.ts';
import { readModel } from './node/model.ts';
import { renderOperations } from './node/operations.ts';
import { renderProto } from './node/proto.ts';
import { renderResource, renderResources, resourceFile } from './node/resources.ts';
import { renderShapes } from './node/shapes.ts';
import { renderTypes } from './node/types.ts';
import { renderWords } from './node/words.ts';

/** File name → content. */
export function generate(request: CodeGeneratorRequest): Map<string, string> {
  const contract = readContract(request);
  const model = readModel(contract, readClient(contract));
  const files = new Map([
    ['words.ts', renderWords(model)],
    ['types.ts', renderTypes(model)],
    ['shapes.ts', renderShapes(model)],
    ['events.ts', renderEvents(model)],
    ['operations.ts', renderOperations(model)],
    ['resources.ts', renderResources(model)],
    ['proto.ts', renderProto(model)],
  ]);
  for (const resource of model.client.resources) files.set(resourceFile(resource), renderResource(model, resource));
  return files;
}

if (import.meta.main)
  runNodeJs({
    name: 'ramz-node',
    version: '1',
    run(request) {
      return create(CodeGeneratorResponseSchema, {
        supportedFeatures: BigInt(CodeGeneratorResponse_Feature.PROTO3_OPTIONAL),
        file: [...generate(request)].map(([name, content]) => ({ name, content })),
      });
    },
  });
