// operations.ts of the Node SDK: what the transport must know of every operation.

import type { Operation, Resource } from '../client.ts';
import type { Model } from '../model.ts';
import { file, object, quote } from './print.ts';

export function renderOperations({ client }: Model): string {
  return file(
    "import type { Operation } from '../operation.ts';",
    '',
    '/** Every operation by its name. */',
    'export const operations = {',
    ...client.resources.flatMap((resource) => resource.operations.flatMap((operation) => render(resource, operation))),
    '} as const satisfies Record<string, Operation>;',
  );
}

export const operationKey = (resource: Resource, operation: Operation): string => `${resource.name}.${operation.name}`;

function render(resource: Resource, operation: Operation): string[] {
  const { method, http, pathFields, otherFields, answer, ids, items, idempotencyKey, repeatable } = operation;
  const carries = otherFields.length === 0 ? 'nothing' : http?.body === '*' || !http ? 'body' : 'query';
  const entries = [
    `name: ${quote(operationKey(resource, operation))}`,
    ...(http ? [`verb: ${quote(http.verb.toUpperCase())}`, `path: ${quote(http.path)}`] : []),
    `rpc: ${quote(`${method.parent.typeName}/${method.name}`)}`,
    `pathFields: [${pathFields.map(({ name }) => quote(name)).join(', ')}]`,
    `carries: ${quote(carries)}`,
    ...(otherFields.length > 0 ? [`request: ${quote(method.input.name)}`] : []),
    ...(items?.message
      ? [`items: ${quote(items.name)}`, `answer: ${quote(items.message.name)}`]
      : answer.fields.length > 0
        ? [`answer: ${quote(answer.name)}`]
        : []),
    ...(ids.length > 0 ? [`ids: [${ids.map(quote).join(', ')}]`] : []),
    ...(http?.responseBody ? [`wrapper: ${quote(http.responseBody)}`] : []),
    `idempotencyKey: ${idempotencyKey}`,
    `repeatable: ${repeatable}`,
  ];
  return object(`${quote(operationKey(resource, operation))}: `, entries, '  ', ',');
}
