// Resource classes: one method for each operation, for the synchronous client and for the asynchronous one.

import type { DescField } from '@bufbuild/protobuf';
import { type Client, type Operation, pascal, type Resource } from '../client.ts';
import type { Contract } from '../contract.ts';
import { documentation, type Parameter } from './docstrings.ts';
import { givenType, typeOf, withWords } from './fields.ts';
import { inputOf } from './inputs.ts';
import { operationConstant } from './operations.ts';
import { described, docstring, header, pyName, quote } from './text.ts';
import { valuesOf } from './words.ts';

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
    'from typing import TYPE_CHECKING, Any, Optional, Union',
    '',
    'from .._call_options import CallOptions, WatchOptions',
    `from ..${isAsync ? '_async_transport' : '_transport'} import ${transport}`,
    `from .._pages import ${isAsync ? 'AsyncListing' : 'Listing'}, page_reader`,
    'from . import operations',
    `from .types import ${typesUsed(contract, client).join(', ')}`,
    '',
    'if TYPE_CHECKING:',
    '    from typing_extensions import Unpack',
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

/** Types that signatures name. */
function typesUsed(contract: Contract, { resources }: Client): string[] {
  const used = resources.flatMap(({ operations }) =>
    operations.flatMap(({ answer, items, kind, pathFields, otherFields }) => [
      (kind === 'list' && items?.message ? items.message : answer).name,
      ...otherFields.flatMap((field) => (isOwn(field) ? [String(field.message?.name), inputOf(field)] : [])),
      ...[...pathFields, ...otherFields].flatMap((field) => valuesOf(contract, field) ?? []),
    ]),
  );
  return [...new Set(used)].sort();
}

/** A message of the contract, and not one of protobuf's. */
const isOwn = ({ message }: DescField): boolean =>
  message !== undefined && !message.typeName.startsWith('google.protobuf.');

const extra = {
  idempotency_key: 'Makes repeating the call harmless. Default: a new one, kept across the repeats of this call.',
  '**options': "Options of this call, such as `timeout=3`, in place of the client's.",
};

function renderMethod(contract: Contract, resource: Resource, operation: Operation, flavor: Flavor): string[] {
  const isAsync = flavor === 'async';
  const { pathFields, otherFields, kind, answer, items } = operation;
  const positional = pathFields.map((field) => parameterOf(contract, field));
  const named = otherFields.map((field) => parameterOf(contract, field)).sort(byNeed);
  if (operation.idempotencyKey) named.push(option('idempotency_key', 'Optional[str]'));
  const optionsType = kind === 'watch' ? 'WatchOptions' : 'CallOptions';
  const options = {
    ...option('**options', `Unpack[${optionsType}]`),
    description: `${extra['**options']} See \`${optionsType}\`.`,
  };
  const taken = new Set<string>(['timeout', 'total_timeout', 'max_retries', 'headers', 'on_response', 'options']);
  for (const { name } of [...positional, ...named]) {
    if (taken.has(name)) throw new Error(`${resource.name}.${operation.name}: two parameters called ${name}`);
    taken.add(name);
  }
  const fields = operation.method.input.fields
    .filter((field) => pathFields.includes(field) || otherFields.includes(field))
    .map(({ name }) => `${quote(name)}: ${pyName(name)}`);
  const item = items?.message?.name;
  if (kind === 'list' && !item) throw new Error(`${operation.method.name} lists no messages`);
  const result =
    kind === 'list'
      ? `${isAsync ? 'Async' : ''}Listing[${item}]`
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
    ...(named.length > 0 ? ['        *,'] : []),
    ...named.map(({ name, type, required }) => `        ${name}: ${type}${required ? '' : ' = None'},`),
    `        ${options.name}: ${options.type},`,
    `    ) -> ${result}:`,
    ...docstring(documentation(contract, operation, [...positional, ...named, options]), 8),
    `        return ${awaited ? 'await ' : ''}self._transport.${verb}(`,
    `            operations.${operationConstant(resource, operation)},`,
    `            ${reader},`,
    `            {${fields.join(', ')}},`,
    '            options=options,',
    ...(operation.idempotencyKey ? ['            idempotency_key=idempotency_key,'] : []),
    '        )',
  ];
}

const option = (name: keyof typeof extra, type: string): Parameter => ({
  name,
  type,
  required: false,
  description: extra[name],
});

const byNeed = (a: Parameter, b: Parameter): number => Number(b.required) - Number(a.required);

function parameterOf(contract: Contract, field: DescField): Parameter {
  const required = contract.rules(field)?.required ?? false;
  // Plain dictionaries will do for messages: handy where settings come from JSON.
  const one = isOwn(field) ? `Union[${typeOf(contract, field)}, ${inputOf(field)}]` : typeOf(contract, field);
  const type = givenType(field, one);
  return {
    name: pyName(field.name),
    type: required ? type : `Optional[${type}]`,
    required,
    description: withWords(contract, field),
  };
}
