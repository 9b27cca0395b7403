// Value sets as types: a union of the known values and `str`, because the sets grow. Editors complete what they know.

import type { DescField } from '@bufbuild/protobuf';
import { pascal } from '../client.ts';
import type { Contract, ValueSet } from '../contract.ts';
import { quote, wrap } from './text.ts';

/** `channel` → `ChannelValue`. Not the bare name, which is that of the constants. */
const typeName = ({ name }: Pick<ValueSet, 'name'>): string => `${pascal(name)}Value`;

export const wordNames = ({ valueSets }: Contract): string[] => valueSets.map(typeName);

/** The type of a field's values, if the contract declares them. */
export function valuesOf(contract: Contract, field: DescField): string | undefined {
  const set = contract.rules(field)?.values;
  return set ? typeName({ name: set }) : undefined;
}

export const renderWords = ({ valueSets }: Contract): string[] =>
  valueSets.flatMap((set) => [
    '',
    ...wrap(set.description, 3).map((line) => `#: ${line}`),
    `${typeName(set)} = Union[Literal[${set.values.map(({ name }) => quote(name)).join(', ')}], str]`,
  ]);
