// Every file of the Go SDK that this repository's own plugin makes, by its path in the module.

import { readClient } from '../client.ts';
import type { Contract } from '../contract.ts';
import { clientFile, resourceFile } from './resources.ts';
import { errorsFile, eventsFile, jsonFile, routesFile, typesFile, valuesFile } from './words.ts';

export function goFiles(contract: Contract): Record<string, string> {
  const client = readClient(contract);
  return {
    'client_gen.go': clientFile(client),
    ...Object.fromEntries(client.resources.map((resource) => [`${resource.name}_gen.go`, resourceFile(resource)])),
    'types_gen.go': typesFile(client),
    'ramzv1/json_gen.go': jsonFile(client),
    'values_gen.go': valuesFile(contract),
    'internal/codes/codes_gen.go': errorsFile(contract),
    'webhooks/data_gen.go': eventsFile(contract),
    'ramztest/routes_gen.go': routesFile(client),
  };
}
