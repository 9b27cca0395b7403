// Resource classes: one method for each operation, for the synchronous client and for the asynchronous one.

import type { DescField } from '@bufbuild/protobuf';
import { type Client, type Operation, pascal, type Resource } from '../client.ts';
import { type Contract, isMask } from '../contract.ts';
import { documentation, type Parameter } from './docstrings.ts';
import { operationConstant } from './operations.ts';
import { described, docstring, header, pyName, quote } from './text.ts';
import { typeOf, withWords } from './types.ts';

export type Flavor = 'sync' | 'async';

export function renderResources(contract: Contract, client: Client, flavor: Flavor): string {
  const isAsync = flavor === 'async';
  const transport = isAsync ? 'AsyncTransport' : 'Transport';
  const classOf = ({ name }: Resource) => `${isAsync ? 'Async' : ''}${pascal(name)}Resource`;
  return [
    header,
    `"""The resources of ${isAsync ? '`AsyncRamz`' : '`Ramz`'}, one method for each operation of the service."""`,
    '',
    'from __future__ import annotations',
    '',
    `from collections.abc import ${isAsync ? 'AsyncGenerator' : 'Generator'}, Mapping, Sequence`,
    'from datetime import datetime',
    'from typing import Any, Optional, Union',
    '',
    `from ..${isAsync ? '_async_transport' : '_transport'} import ${transport}`,
    `from .._pages import ${isAsync ? 'AsyncPageIterator' : 'PageIterator'}, page_reader`,
    'from . import operations',
    `from .types import ${typesUsed(client).join(', ')}`,
    '',
    ...client.resources.flatMap((resource) => [
      '',
      `class ${classOf(resource)}:`,
      ...described(resource.description, 4),
      '',
      `    def __init__(self, transport: ${transport}) -> None:`,
      '        self._transport = transport',
      ...resource.operations.flatMap((operation) => renderMethod(contract, resource, operation, flavor)),
      '',
    ]),
    '',
    `class ${isAsync ? 'AsyncResources' : 'Resources'}:`,
    '    """Every resource, by the name it has on a client."""',
    '',
    `    def __init__(self, transport: ${transport}) -> None:`,
    ...client.resources.flatMap((resource) => [
      `        self.${resource.name} = ${classOf(resource)}(transport)`,
      ...described(resource.description, 8),
    ]),
    '',
  ].join('\n');
}

/** Messages that stand in signatures. */
function typesUsed({ resources }: Client): string[] {
  const used = resources.flatMap(({ operations }) =>
    operations.flatMap(({ answer, items, kind, otherFields }) => [
      kind === 'list' && items?.message ? items.message : answer,
      ...otherFields.flatMap(({ message }) => (message ? [message] : [])),
    ]),
  );
  const ours = used.filter(({ typeName }) => !typeName.startsWith('google.protobuf.'));
  return [...new Set(ours.map(({ name }) => name))].sort();
}

const extra = {
  idempotency_key: 'Makes repeating the call harmless. Default: a new one, kept across the repeats of this call.',
  timeout: "Seconds that each try may take, in place of the client's.",
};

function renderMethod(contract: Contract, resource: Resource, operation: Operation, flavor: Flavor): string[] {
  const isAsync = flavor === 'async';
  const { pathFields, otherFields, kind, answer, items } = operation;
  const positional = pathFields.map((field) => parameterOf(contract, field));
  const named = otherFields.map((field) => parameterOf(contract, field)).sort(byNeed);
  if (operation.idempotencyKey) named.push(option('idempotency_key', 'str'));
  named.push(option('timeout', 'float'));
  const taken = new Set<string>();
  for (const { name } of [...positional, ...named]) {
    if (taken.has(name)) throw new Error(`${resource.name}.${operation.name}: two parameters called ${name}`);
    taken.add(name);
  }
  const fields = operation.method.input.fields
    .filter((field) => !isMask(field))
    .map(({ name }) => `${quote(name)}: ${pyName(name)}`);
  const item = items?.message?.name;
  if (kind === 'list' && !item) throw new Error(`${operation.method.name} lists no messages`);
  const result =
    kind === 'list'
      ? `${isAsync ? 'Async' : ''}PageIterator[${item}]`
      : kind === 'watch'
        ? isAsync
          ? `AsyncGenerator[${answer.name}, None]`
          : `Generator[${answer.name}, None, None]`
        : answer.name;
  const reader =
    kind === 'list' ? `page_reader(${quote(String(items?.name))}, ${item}.from_dict)` : `${answer.name}.from_dict`;
  const verb = { unary: 'call', list: 'pages', watch: 'watch' }[kind];
  const awaited = isAsync && kind === 'unary';
  return [
    '',
    `    ${awaited ? 'async ' : ''}def ${pyName(operation.name)}(`,
    '        self,',
    ...positional.map(({ name, type }) => `        ${name}: ${type},`),
    '        *,',
    ...named.map(({ name, type, required }) => `        ${name}: ${type}${required ? '' : ' = None'},`),
    `    ) -> ${result}:`,
    ...docstring(documentation(contract, operation, [...positional, ...named]), 8),
    `        return ${awaited ? 'await ' : ''}self._transport.${verb}(`,
    `            operations.${operationConstant(resource, operation)},`,
    `            ${reader},`,
    `            {${fields.join(', ')}},`,
    ...(operation.idempotencyKey ? ['            idempotency_key=idempotency_key,'] : []),
    '            timeout=timeout,',
    '        )',
  ];
}

const option = (name: keyof typeof extra, type: string): Parameter => ({
  name,
  type: `Optional[${type}]`,
  required: false,
  description: extra[name],
});

const byNeed = (a: Parameter, b: Parameter): number => Number(b.required) - Number(a.required);

function parameterOf(contract: Contract, field: DescField): Parameter {
  const required = contract.rules(field)?.required ?? false;
  const own = field.message !== undefined && !field.message.typeName.startsWith('google.protobuf.');
  // Plain dictionaries will do for messages: handy where settings come from JSON.
  const one = own ? `Union[${typeOf(field)}, Mapping[str, Any]]` : typeOf(field);
  const type = field.fieldKind === 'list' ? `Sequence[${one}]` : one;
  return {
    name: pyName(field.name),
    type: required ? type : `Optional[${type}]`,
    required,
    description: withWords(contract, field),
  };
}
