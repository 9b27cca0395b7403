// Buf plugin: the generated part of the Node SDK (sdks/node/src/gen). How each file looks is in node/.

import { readClient } from './client.ts';
import type { Contract } from './contract.ts';
import { readModel } from './model.ts';
import { renderEvents } from './node/events.ts';
import { renderOperations } from './node/operations.ts';
import { renderProto } from './node/proto.ts';
import { renderResource, renderResources, resourceFile } from './node/resources.ts';
import { renderShapes } from './node/shapes.ts';
import { renderTypes } from './node/types.ts';
import { renderWords } from './node/words.ts';
import { type Files, runPlugin } from './plugin.ts';

export function nodeFiles(contract: Contract): Files {
  const model = readModel(contract, readClient(contract));
  const resources = model.client.resources.map((resource) => [resourceFile(resource), renderResource(model, resource)]);
  return {
    'words.ts': renderWords(model),
    'types.ts': renderTypes(model),
    'shapes.ts': renderShapes(model),
    'events.ts': renderEvents(model),
    'operations.ts': renderOperations(model),
    'resources.ts': renderResources(model),
    'proto.ts': renderProto(model),
    ...Object.fromEntries(resources),
  };
}

if (import.meta.main) runPlugin('ramz-node', nodeFiles);
