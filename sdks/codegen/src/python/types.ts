// The messages of the contract as frozen dataclasses, each with the reader of its JSON.

import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { type Client, pascal } from '../client.ts';
import { type Contract, comment, type EventType, hasPresence } from '../contract.ts';
import { eventName } from '../event.ts';
import { described, header, pyName, quote } from './text.ts';

export function renderTypes(contract: Contract, client: Client): string {
  const messages = client.messages.filter((message) => !isRequest(client, message));
  const events = [contract.envelope().message.name, ...contract.eventTypes.map(eventName)];
  const names = [...messages.map(({ name }) => name), ...events, 'EVENTS', 'EventData'].sort();
  return [
    header,
    '"""What the service is told and answers. What is absent there is empty here, or `None`."""',
    '',
    'from __future__ import annotations',
    '',
    'from collections.abc import Mapping',
    'from dataclasses import dataclass, field',
    'from datetime import datetime',
    'from typing import Any, Callable, Literal, Optional, Union',
    '',
    'from .. import _read',
    'from .._message import Message as _Message',
    '',
    `__all__ = [${names.map(quote).join(', ')}]`,
    '',
    ...messages.flatMap((message) => renderMessage(contract, message)),
    ...renderEvents(contract),
  ].join('\n');
}

/** Requests are keyword arguments, not objects. What they hold may be answered too, and is an object. */
const isRequest = (client: Client, message: DescMessage): boolean =>
  client.resources.some(({ operations }) => operations.some(({ method }) => method.input === message));

function renderMessage(contract: Contract, message: DescMessage): string[] {
  return [
    '',
    '@dataclass(frozen=True)',
    `class ${message.name}(_Message):`,
    ...described(comment(message), 4),
    '',
    ...message.fields.flatMap((field) => renderField(contract, field)),
    '',
    '    @classmethod',
    `    def from_dict(cls, data: Mapping[str, Any]) -> ${message.name}:`,
    '        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""',
    message.fields.length > 0 ? '        return cls(' : '        return cls()',
    ...message.fields.map((field) => `            ${pyName(field.name)}=${fieldReader(field)},`),
    ...(message.fields.length > 0 ? ['        )'] : []),
    '',
  ];
}

const renderField = (contract: Contract, field: DescField): string[] => [
  `    ${pyName(field.name)}: ${fieldType(field)} = ${fieldDefault(field)}`,
  ...described(withWords(contract, field), 4),
];

/** The field's comment, and where its words are. */
export function withWords(contract: Contract, field: DescField): string {
  const set = contract.rules(field)?.values;
  return set ? `${comment(field)} Words: \`constants.${pascal(set)}\`.` : comment(field);
}

/** What an attribute holds. */
function fieldType(field: DescField): string {
  const one = typeOf(field);
  if (field.fieldKind === 'list') return `tuple[${one}, ...]`;
  return hasPresence(field) ? `Optional[${one}]` : one;
}

/** The type of one value; `Session`, `str`. */
export function typeOf(field: DescField): string {
  switch (field.message?.typeName) {
    case 'google.protobuf.Timestamp':
      return 'datetime';
    case undefined:
      return scalarOf(field).type;
    default:
      return String(field.message?.name);
  }
}

const scalars: Readonly<Partial<Record<ScalarType, { type: string; reader: string; empty: string }>>> = {
  [ScalarType.STRING]: { type: 'str', reader: 'text', empty: '""' },
  [ScalarType.BOOL]: { type: 'bool', reader: 'flag', empty: 'False' },
  [ScalarType.INT32]: { type: 'int', reader: 'integer', empty: '0' },
  [ScalarType.DOUBLE]: { type: 'float', reader: 'number', empty: '0.0' },
};

function scalarOf(field: DescField) {
  const found = field.scalar === undefined ? undefined : scalars[field.scalar];
  if (!found) throw new Error(`${field.parent.typeName}.${field.name}: the Python SDK knows no such type`);
  return found;
}

/** Shown once, and in no log by accident: left out where an answer is printed. */
const secrets = new Set(['key', 'secret']);

function fieldDefault(field: DescField): string {
  if (secrets.has(field.name) && field.scalar === ScalarType.STRING) return 'field(default="", repr=False)';
  if (field.fieldKind === 'list') return '()';
  return hasPresence(field) ? 'None' : scalarOf(field).empty;
}

function fieldReader(field: DescField): string {
  const at = `data, ${quote(field.name)}`;
  const list = field.fieldKind === 'list';
  switch (field.message?.typeName) {
    case 'google.protobuf.Timestamp':
      return list ? `_read.items(${at}, _read.to_timestamp)` : `_read.optional(${at}, _read.to_timestamp)`;
    case undefined: {
      const { reader } = scalarOf(field);
      if (list) return `_read.items(${at}, _read.to_${reader})`;
      return hasPresence(field) ? `_read.optional(${at}, _read.to_${reader})` : `_read.${reader}(${at})`;
    }
    default:
      return `_read.${list ? 'items' : 'optional'}(${at}, ${field.message?.name}.from_dict)`;
  }
}

/** A class for each type of event, below the one of them all, which also holds events of a type that is not known yet. */
function renderEvents(contract: Contract): string[] {
  const { message, fields } = contract.envelope();
  const dataOf = ({ data }: EventType): string => contract.message(data).name;
  const data = [...new Set(contract.eventTypes.map(dataOf))];
  return [
    '',
    '#: What an event tells: the message of its type, or plain JSON where the type is not known yet.',
    `EventData = Union[${[...data, 'Mapping[str, Any]'].join(', ')}]`,
    '',
    '',
    '@dataclass(frozen=True)',
    `class ${message.name}(_Message):`,
    ...described(comment(message), 4),
    '',
    ...fields.flatMap((field) => renderField(contract, field)),
    '    data: EventData = field(default_factory=dict)',
    ...described(
      'The state at that moment: the message of the type, or plain JSON where the type is not known yet.',
      4,
    ),
    '',
    '    @classmethod',
    `    def from_dict(cls, data: Mapping[str, Any]) -> ${message.name}:`,
    '        """Reads a JSON object, as the class of its type. `ValueError` if it is no such object."""',
    '        event, read = EVENTS.get(_read.text(data, "type"), (WebhookEvent, dict))',
    '        return event(',
    ...fields.map((field) => `            ${pyName(field.name)}=${fieldReader(field)},`),
    '            data=read(_read.mapping(data, "data")),',
    '        )',
    '',
    ...contract.eventTypes.flatMap((type) => [
      '',
      '@dataclass(frozen=True)',
      `class ${eventName(type)}(${message.name}):`,
      ...described(type.description, 4),
      '',
      `    type: Literal[${quote(type.name)}] = ${quote(type.name)}`,
      `    data: ${dataOf(type)} = field(default_factory=${dataOf(type)})`,
      '',
    ]),
    '',
    '#: Type of event → its class, and the reader of its data.',
    `EVENTS: dict[str, tuple[type[${message.name}], Callable[[Mapping[str, Any]], EventData]]] = {`,
    ...contract.eventTypes.map((type) => `    ${quote(type.name)}: (${eventName(type)}, ${dataOf(type)}.from_dict),`),
    '}',
    '',
  ];
}
