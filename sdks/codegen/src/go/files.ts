// Every file of the Go SDK that this repository's own plugin makes, by its path in the module.

import { readClient } from '../client.ts';
import type { Contract } from '../contract.ts';
import { readModel } from '../model.ts';
import { clientFile, resourceFile } from './resources.ts';
import { typesFile } from './types.ts';
import { errorsFile, eventsFile, routesFile, valuesFile } from './words.ts';

export function goFiles(contract: Contract): Record<string, string> {
  const client = readClient(contract);
  const model = readModel(contract, client);
  return {
    'client_gen.go': clientFile(client),
    ...Object.fromEntries(client.resources.map((resource) => [`${resource.name}_gen.go`, resourceFile(resource)])),
    'types_gen.go': typesFile(model),
    'values_gen.go': valuesFile(model),
    'internal/codes/codes_gen.go': errorsFile(contract),
    'webhooks/data_gen.go': eventsFile(contract),
    'ramztest/routes_gen.go': routesFile(client),
  };
}
