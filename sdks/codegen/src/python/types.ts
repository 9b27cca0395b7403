// The messages of the contract as frozen dataclasses, each with the reader of its JSON.

import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { type Client, pascal } from '../client.ts';
import { type Contract, comment } from '../contract.ts';
import { described, header, pyName, quote } from './text.ts';

export function renderTypes(contract: Contract, client: Client): string {
  const messages = client.messages.filter((message) => !isRequest(client, message));
  const names = [...messages.map(({ name }) => name), 'EVENT_DATA', 'EventData', 'read_event_data'].sort();
  return [
    header,
    '"""What the service is told and answers. What is absent there is empty here, or `None`."""',
    '',
    'from __future__ import annotations',
    '',
    'from collections.abc import Mapping',
    'from dataclasses import dataclass, field',
    'from datetime import datetime',
    'from typing import Any, Callable, Optional, Union',
    '',
    'from .. import _read',
    'from .._message import Message as _Message',
    '',
    `__all__ = [${names.map(quote).join(', ')}]`,
    '',
    ...messages.flatMap((message) => renderMessage(contract, message)),
    ...renderEventData(contract),
  ].join('\n');
}

/** Requests are keyword arguments, not objects. What they hold may be answered too, and is an object. */
const isRequest = (client: Client, message: DescMessage): boolean =>
  client.resources.some(({ operations }) => operations.some(({ method }) => method.input === message));

function renderMessage(contract: Contract, message: DescMessage): string[] {
  const fields = message.fields.flatMap((field) => [
    `    ${pyName(field.name)}: ${fieldType(field)} = ${fieldDefault(field)}`,
    ...described(withWords(contract, field), 4),
  ]);
  return [
    '',
    '@dataclass(frozen=True)',
    `class ${message.name}(_Message):`,
    ...described(comment(message), 4),
    '',
    ...fields,
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

/** The field's comment, and where its words are. */
export function withWords(contract: Contract, field: DescField): string {
  const set = contract.rules(field)?.values;
  return set ? `${comment(field)} Words: \`constants.${pascal(set)}\`.` : comment(field);
}

/** What an attribute holds. */
function fieldType(field: DescField): string {
  if (isEventData(field)) return 'EventData';
  const one = typeOf(field);
  if (field.fieldKind === 'list') return `tuple[${one}, ...]`;
  if (one.startsWith('Mapping')) return one;
  return hasPresence(field) ? `Optional[${one}]` : one;
}

/** The type of one value; `Session`, `str`. */
export function typeOf(field: DescField): string {
  switch (field.message?.typeName) {
    case 'google.protobuf.Timestamp':
      return 'datetime';
    case 'google.protobuf.Struct':
      return 'Mapping[str, Any]';
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

const hasPresence = (field: DescField): boolean => field.message !== undefined || field.proto.proto3Optional;

/** Shown once, and in no log by accident: left out where an answer is printed. */
const secrets = new Set(['key', 'secret']);

function fieldDefault(field: DescField): string {
  if (secrets.has(field.name) && field.scalar === ScalarType.STRING) return 'field(default="", repr=False)';
  if (field.fieldKind === 'list') return '()';
  if (field.message?.typeName === 'google.protobuf.Struct') return 'field(default_factory=dict)';
  return hasPresence(field) ? 'None' : scalarOf(field).empty;
}

function fieldReader(field: DescField): string {
  const at = `data, ${quote(field.name)}`;
  if (isEventData(field)) return `read_event_data(_read.text(data, "type"), _read.mapping(${at}))`;
  const list = field.fieldKind === 'list';
  switch (field.message?.typeName) {
    case 'google.protobuf.Timestamp':
      return list ? `_read.items(${at}, _read.to_timestamp)` : `_read.optional(${at}, _read.to_timestamp)`;
    case 'google.protobuf.Struct':
      return `_read.mapping(${at})`;
    case undefined: {
      const { reader } = scalarOf(field);
      if (list) return `_read.items(${at}, _read.to_${reader})`;
      return hasPresence(field) ? `_read.optional(${at}, _read.to_${reader})` : `_read.${reader}(${at})`;
    }
    default:
      return `_read.${list ? 'items' : 'optional'}(${at}, ${field.message?.name}.from_dict)`;
  }
}

/** `data` of an event is the message that the event's type decides. */
const isEventData = (field: DescField): boolean =>
  field.parent.typeName === 'ramz.v1.WebhookEvent' && field.message?.typeName === 'google.protobuf.Struct';

function renderEventData({ eventTypes, message }: Contract): string[] {
  const names = [...new Set(eventTypes.map(({ data }) => message(data).name))];
  return [
    '',
    '#: What an event tells: the message that its type decides, or plain JSON where the type is not known yet.',
    `EventData = Union[${[...names, 'Mapping[str, Any]'].join(', ')}]`,
    '',
    '#: Type of event → reader of its data.',
    'EVENT_DATA: dict[str, Callable[[Mapping[str, Any]], EventData]] = {',
    ...eventTypes.map(({ name, data }) => `    ${quote(name)}: ${message(data).name}.from_dict,`),
    '}',
    '',
    '',
    'def read_event_data(type: str, data: Mapping[str, Any]) -> EventData:',
    '    """The data of an event as its type says; as it is where the type is unknown."""',
    '    reader = EVENT_DATA.get(type)',
    '    return data if reader is None else reader(data)',
    '',
  ];
}
