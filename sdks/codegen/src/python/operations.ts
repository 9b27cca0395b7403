// Operations as data: what stands on the wire, and what may be repeated. The transports read these.

import type { Client, Operation, Resource } from '../client.ts';
import { constantName, header, quote } from './text.ts';

export function renderOperations(client: Client): string {
  return [
    header,
    '"""Operations as data: what stands on the wire, and what may be repeated."""',
    '',
    'from __future__ import annotations',
    '',
    'from .._operation import Operation',
    '',
    ...client.resources.flatMap((resource) => resource.operations.flatMap((each) => render(resource, each))),
  ].join('\n');
}

/** `VERIFY_SEND` */
export const operationConstant = (resource: Resource, { name }: Operation): string =>
  constantName(`${resource.name}_${name}`);

function render(resource: Resource, operation: Operation): string[] {
  const { answer, http, method, ids, idempotencyKey, repeatable } = operation;
  const isDeletion = http?.verb === 'delete' && answer.fields.length === 0;
  // Streams go by Connect, which posts to /<service>/<method>.
  const path = http?.path ?? `/${method.parent.typeName}/${method.name}`;
  return [
    `${operationConstant(resource, operation)} = Operation(`,
    `    name=${quote(`${resource.name}.${operation.name}`)},`,
    `    verb=${quote(http?.verb.toUpperCase() ?? 'POST')},`,
    `    path=${quote(path)},`,
    `    has_body=${py(http === undefined || http.body !== '')},`,
    `    idempotency_key=${py(idempotencyKey)},`,
    `    repeatable=${py(repeatable)},`,
    ...(ids.length > 0 ? [`    ids=(${ids.map(quote).join(', ')},),`] : []),
    ...(isDeletion ? ['    is_deletion=True,'] : []),
    ')',
  ];
}

const py = (value: boolean): string => (value ? 'True' : 'False');
