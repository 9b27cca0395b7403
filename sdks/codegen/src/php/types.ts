// What a field is in PHP: its type, its default, and the expressions that read it from decoded JSON and write it back.

import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { camel, pascal } from '../client.ts';
import { type Contract, comment, hasPresence } from '../contract.ts';
import { quoted } from './text.ts';

export interface PhpField {
  /** As in JSON. */
  key: string;
  /** As in PHP: `createdAt`. */
  name: string;
  /** Native type, with `?` where the field can be absent. */
  type: string;
  /** The same for PHPDoc. */
  docType: string;
  /** PHP literal; none where there is nothing to fall back to. */
  fallback: string;
  /** Reads it out of `$data`. */
  read: string;
  /** Writes it the way answers are written; null leaves it out. */
  write: string;
  /** Writes it into a request: as an answer, but without what is empty. */
  writeInput: string;
  /** Words of which value set it holds, and what the contract says of it. */
  description: string;
  /** It can be told apart from its default. */
  nullable: boolean;
}

/** Messages that are classes of the SDK: not the well-known ones. */
export const isModel = (message: DescMessage): boolean => !message.typeName.startsWith('google.protobuf.');

export const isTime = (field: DescField): boolean => field.message?.typeName === 'google.protobuf.Timestamp';

interface Scalar {
  type: string;
  fallback: string;
  reader: string;
}

function scalarOf(field: DescField): Scalar {
  switch (field.scalar) {
    case ScalarType.STRING:
      return { type: 'string', fallback: "''", reader: 'text' };
    case ScalarType.BOOL:
      return { type: 'bool', fallback: 'false', reader: 'flag' };
    case ScalarType.INT32:
      return { type: 'int', fallback: '0', reader: 'integer' };
    case ScalarType.DOUBLE:
      return { type: 'float', fallback: '0.0', reader: 'number' };
    default:
      throw new Error(`${field.parent.typeName}.${field.name}: the public contract has no such type`);
  }
}

export function phpField(contract: Contract, field: DescField): PhpField {
  const key = field.name;
  const name = camel(key);
  const own = `$this->${name}`;
  const base = { key, name, description: describe(contract, field) };
  if (field.fieldKind === 'list') return { ...base, ...listOf(field, key, own) };
  if (field.fieldKind === 'map') return { ...base, ...mapOf(field, key, own) };
  if (isTime(field)) {
    const write = `Timestamp::write(${own})`;
    const read = `Json::time($data, ${quoted(key)})`;
    return { ...base, ...optional('\\DateTimeImmutable'), read, write, writeInput: write };
  }
  if (field.message) {
    const read = `Json::one($data, ${quoted(key)}, ${field.message.name}::fromArray(...))`;
    const writes = { write: `${own}?->toArray()`, writeInput: `${own}?->toRequest()` };
    return { ...base, ...optional(field.message.name), read, ...writes };
  }
  const { type, fallback, reader } = scalarOf(field);
  if (hasPresence(field)) {
    const read = `Json::${reader}OrNull($data, ${quoted(key)})`;
    return { ...base, ...optional(type), read, write: own, writeInput: own };
  }
  const one = { type, docType: type, fallback, nullable: false };
  const writeInput = `${own} === ${fallback} ? null : ${own}`;
  return { ...base, ...one, read: `Json::${reader}($data, ${quoted(key)})`, write: own, writeInput };
}

const optional = (type: string) => ({ type: `?${type}`, docType: `${type}|null`, fallback: 'null', nullable: true });

function listOf(field: DescField, key: string, own: string) {
  const one = { type: 'array', fallback: '[]', nullable: false };
  if (field.message && isModel(field.message)) {
    const item = field.message.name;
    const each = (method: string) => `array_map(static fn (${item} $one): array => $one->${method}(), ${own})`;
    return {
      ...one,
      docType: `list<${item}>`,
      read: `Json::many($data, ${quoted(key)}, ${item}::fromArray(...))`,
      write: each('toArray'),
      writeInput: `${each('toRequest')} ?: null`,
    };
  }
  if (field.message) throw new Error(`${field.parent.typeName}.${field.name}: lists are of models or of plain values`);
  const { type, reader } = scalarOf(field);
  const read = `Json::all($data, ${quoted(key)}, Json::${reader}OrNull(...))`;
  return { ...one, docType: `list<${type}>`, read, write: own, writeInput: `${own} === [] ? null : ${own}` };
}

/** PHP has one type for lists and maps. */
function mapOf(field: DescField, key: string, own: string) {
  const { type, reader } = scalarOf(field);
  return {
    type: 'array',
    docType: `array<string, ${type}>`,
    fallback: '[]',
    nullable: false,
    read: `Json::entries($data, ${quoted(key)}, Json::${reader}OrNull(...))`,
    write: `Json::object(${own})`,
    writeInput: `${own} === [] ? null : ${own}`,
  };
}

function describe(contract: Contract, field: DescField): string {
  const words = contract.rules(field)?.values;
  return words ? `${comment(field)} Words: {@see \\Ramz\\Value\\${pascal(words)}}.` : comment(field);
}
