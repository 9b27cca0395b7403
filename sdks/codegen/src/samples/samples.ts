// `x-codeSamples` of openapi.json: each operation called by curl and by each SDK, with the contract's own examples. Pages that show
// the document show these; test/sdks/samples.ts runs every one of them.

import type { DescMethod } from '@bufbuild/protobuf';
import { readClient } from '../client.ts';
import type { Contract } from '../contract.ts';
import type { Examples } from '../example.ts';
import { type Model, readModel } from '../model.ts';
import type { JsonObject } from '../schema.ts';
import { type Call, callOf } from './call.ts';
import { curl } from './curl.ts';
import { go } from './go.ts';
import { node } from './node.ts';
import { laravel, php } from './php.ts';
import { python } from './python.ts';

/** `lang` is a word that viewers colour by, `label` what they call it. */
const languages: readonly { lang: string; label: string; write: (call: Call, model: Model) => string }[] = [
  { lang: 'bash', label: 'curl', write: curl },
  { lang: 'Python', label: 'Python', write: python },
  { lang: 'JavaScript', label: 'Node.js', write: node },
  { lang: 'Go', label: 'Go', write: go },
  { lang: 'PHP', label: 'PHP', write: php },
  { lang: 'PHP', label: 'Laravel', write: laravel },
];

/** The samples of every method that has a route. */
export function createSamples(contract: Contract, examples: Examples): (method: DescMethod) => JsonObject[] {
  const made = new Map<DescMethod, JsonObject[]>();
  const model = readModel(contract, readClient(contract));
  for (const resource of model.client.resources) {
    for (const operation of resource.operations.filter(({ method }) => contract.http(method) !== undefined)) {
      const call = callOf(contract, examples, resource, operation);
      made.set(
        operation.method,
        languages.map(({ lang, label, write }) => ({ lang, label, source: write(call, model) })),
      );
    }
  }
  return (method) => made.get(method) ?? [];
}
