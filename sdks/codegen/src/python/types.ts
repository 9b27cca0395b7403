// The messages of the contract as frozen dataclasses, each with the reader of its JSON.

import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { type Client, pascal } from '../client.ts';
import { type Contract, comment, hasPresence } from '../contract.ts';
import { eventNames, renderEvents } from './events.ts';
import { inputNames, renderInputs } from './inputs.ts';
import { described, header, pyName, quote } from './text.ts';
import { renderWords, valuesOf, wordNames } from './words.ts';

export function renderTypes(contract: Contract, client: Client): string {
  const messages = client.messages.filter((message) => !isRequest(client, message));
  const names = [
    ...messages.map(({ name }) => name),
    ...wordNames(contract),
    ...inputNames(contract, client),
    ...eventNames(contract),
  ].sort();
  return [
    header,
    '"""What the service is told and answers. What is absent there is empty here, or `None`."""',
    '',
    'from __future__ import annotations',
    '',
    'from collections.abc import Mapping, Sequence',
    'from dataclasses import dataclass, field',
    'from datetime import datetime',
    'from typing import Any, Callable, Literal, Optional, TypedDict, Union',
    '',
    'from .. import _read',
    'from .._message import Message as _Message',
    '',
    `__all__ = [${names.map(quote).join(', ')}]`,
    '',
    ...renderWords(contract),
    ...messages.flatMap((message) => renderMessage(contract, message)),
    ...renderInputs(contract, client),
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
    ...renderFields(contract, message.fields),
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

export const renderFields = (contract: Contract, fields: readonly DescField[]): string[] =>
  fields.flatMap((field) => [
    `    ${pyName(field.name)}: ${fieldType(contract, field)} = ${fieldDefault(field)}`,
    ...described(withWords(contract, field), 4),
  ]);

/** The field's comment, and where its words are. */
export function withWords(contract: Contract, field: DescField): string {
  const set = contract.rules(field)?.values;
  return set ? `${comment(field)} Words: \`constants.${pascal(set)}\`.` : comment(field);
}

/** What an attribute holds. */
function fieldType(contract: Contract, field: DescField): string {
  const one = typeOf(contract, field);
  if (field.fieldKind === 'list') return `tuple[${one}, ...]`;
  return hasPresence(field) ? `Optional[${one}]` : one;
}

/** The type of one value; `Session`, `str`, `ChannelValue`. */
export function typeOf(contract: Contract, field: DescField): string {
  switch (field.message?.typeName) {
    case 'google.protobuf.Timestamp':
      return 'datetime';
    case undefined:
      return valuesOf(contract, field) ?? scalarOf(field).type;
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

/** An attribute's value, read out of `data`. */
export function fieldReader(field: DescField): string {
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
