// Messages that requests hold, as dictionaries: a TypedDict for each, so that a misspelled key is an error of the type checker.

import type { DescField, DescMessage } from '@bufbuild/protobuf';
import type { Client } from '../client.ts';
import { type Contract, comment } from '../contract.ts';
import { givenType, typeOf } from './fields.ts';
import { described, pyName } from './text.ts';

/** `CascadeLeg` → `CascadeLegInput`. */
export const inputOf = ({ message }: Pick<DescField, 'message'>): string => `${message?.name}Input`;

export const inputNames = (contract: Contract, client: Client): string[] =>
  inputs(contract, client).map((message) => inputOf({ message }));

export const renderInputs = (contract: Contract, client: Client): string[] =>
  inputs(contract, client).flatMap((message) => renderInput(contract, message));

/** Each after those it holds. */
function inputs(_: Contract, { resources, messages }: Client): DescMessage[] {
  const found = new Set<DescMessage>();
  const visit = ({ message }: DescField): void => {
    if (!message || message.typeName.startsWith('google.protobuf.') || found.has(message)) return;
    found.add(message);
    message.fields.forEach(visit);
  };
  for (const { operations } of resources) for (const { otherFields } of operations) otherFields.forEach(visit);
  return messages.filter((message) => found.has(message));
}

/** Python 3.9 has no `Required`: what must be there is in a class of its own. */
function renderInput(contract: Contract, message: DescMessage): string[] {
  const name = inputOf({ message });
  const isRequired = (field: DescField) => contract.rules(field)?.required === true;
  const required = message.fields.filter(isRequired);
  const optional = message.fields.filter((field) => !isRequired(field));
  const member = (field: DescField) => `    ${pyName(field.name)}: ${typeIn(contract, field)}`;
  const about = described(`A \`${message.name}\` as a dictionary: ${comment(message)}`, 4);
  if (required.length === 0)
    return ['', `class ${name}(TypedDict, total=False):`, ...about, '', ...optional.map(member), ''];
  if (optional.length === 0) return ['', `class ${name}(TypedDict):`, ...about, '', ...required.map(member), ''];
  return [
    '',
    `class _${name}Required(TypedDict):`,
    ...required.map(member),
    '',
    '',
    `class ${name}(_${name}Required, total=False):`,
    ...about,
    '',
    ...optional.map(member),
    '',
  ];
}

function typeIn(contract: Contract, field: DescField): string {
  const isOwn = field.message !== undefined && !field.message.typeName.startsWith('google.protobuf.');
  const one = isOwn ? `Union[${typeOf(contract, field)}, ${inputOf(field)}]` : typeOf(contract, field);
  return givenType(field, one);
}
