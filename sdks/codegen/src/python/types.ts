// The messages of the contract as frozen dataclasses, each with the reader of its JSON.

import type { DescMessage } from '@bufbuild/protobuf';
import type { Client } from '../client.ts';
import { type Contract, comment } from '../contract.ts';
import { eventNames, renderEvents } from './events.ts';
import { fieldReader, renderFields } from './fields.ts';
import { inputNames, renderInputs } from './inputs.ts';
import { described, header, pyName, quote } from './text.ts';
import { renderWords, wordNames } from './words.ts';

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
    '"""Requests and responses of the service. What is absent there is empty here, or `None`."""',
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
