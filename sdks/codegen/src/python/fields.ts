// The fields of a message in Python: attributes, their types and defaults, and the readers of their JSON.

import { type DescField, ScalarType } from '@bufbuild/protobuf';
import { pascal } from '../client.ts';
import { type Contract, comment, hasPresence, isSecret } from '../contract.ts';
import { described, pyName, quote } from './text.ts';
import { valuesOf } from './words.ts';

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
  if (field.fieldKind === 'map') return `Mapping[str, ${one}]`;
  return hasPresence(field) ? `Optional[${one}]` : one;
}

/** What a caller may give. */
export function givenType({ fieldKind }: DescField, one: string): string {
  if (fieldKind === 'list') return `Sequence[${one}]`;
  return fieldKind === 'map' ? `Mapping[str, ${one}]` : one;
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

function fieldDefault(field: DescField): string {
  if (isSecret(field)) return 'field(default="", repr=False)';
  if (field.fieldKind === 'list') return '()';
  if (field.fieldKind === 'map') return 'field(default_factory=dict, hash=False)';
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
      if (field.fieldKind === 'map') return `_read.entries(${at}, _read.to_${reader})`;
      return hasPresence(field) ? `_read.optional(${at}, _read.to_${reader})` : `_read.${reader}(${at})`;
    }
    default:
      return `_read.${list ? 'items' : 'optional'}(${at}, ${field.message?.name}.from_dict)`;
  }
}
