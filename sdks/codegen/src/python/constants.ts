// The words of the contract as constants: plain strings, because the sets grow. And what SDKs know of each error code.

import { pascal } from '../client.ts';
import type { Contract, Value, ValueSet } from '../contract.ts';
import { constantName, described, header, quote } from './text.ts';

export function renderConstants({ valueSets }: Contract): string {
  return [
    header,
    '"""The words that the service says and understands. They are plain strings, and more may come."""',
    '',
    'from __future__ import annotations',
    '',
    'from typing import Final',
    '',
    `__all__ = [${valueSets.map(({ name }) => quote(pascal(name))).join(', ')}]`,
    '',
    ...valueSets.flatMap(renderSet),
  ].join('\n');
}

function renderSet({ name, description, values }: ValueSet): string[] {
  return ['', `class ${pascal(name)}:`, ...described(description, 4), '', ...values.flatMap(renderValue), ''];
}

const renderValue = ({ name, description }: Value): string[] => [
  `    ${constantName(name)}: Final = ${quote(name)}`,
  ...described(description, 4),
];

export function renderErrorCodes({ errorCodes }: Contract): string {
  return [
    header,
    '"""What the SDK knows of each error code."""',
    '',
    'from __future__ import annotations',
    '',
    '#: Code → HTTP status.',
    'STATUS_OF: dict[str, int] = {',
    ...errorCodes.map(({ name, httpStatus }) => `    ${quote(name)}: ${httpStatus},`),
    '}',
    '',
    '#: Codes after which the same call may succeed if it is made again a little later.',
    'RETRIED = frozenset(',
    `    [${errorCodes.filter(({ retry }) => retry).map(({ name }) => quote(name))}]`,
    ')',
    '',
  ].join('\n');
}
