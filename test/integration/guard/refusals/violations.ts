// Every way in which one field of a request can break what the contract says of it, made from the descriptors: a rule that is
// lost takes its case along, and the snapshot misses it.
import {
  type DescField,
  type DescMessage,
  type DescOneof,
  getOption,
  hasOption,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from '@bufbuild/protobuf';
import { type FieldRules, required, rules as rulesOption } from '../../../../src/gen/ramz/v1/options_pb.ts';

export interface Violation {
  name: string;
  input: JsonObject;
}

const rulesOf = (field: DescField): FieldRules | undefined =>
  hasOption(field, rulesOption) ? getOption(field, rulesOption) : undefined;

/** What is required, by the examples of the contract, and the first of each group of which one must be given. */
export function validInput(message: DescMessage): JsonObject {
  const chosen = needed(message).flatMap(({ fields }) => fields.slice(0, 1));
  const given = message.fields.filter((field) => rulesOf(field)?.required || chosen.includes(field));
  return Object.fromEntries(given.map((field) => [field.name, exampleOf(field)]));
}

export function violations(message: DescMessage): Violation[] {
  const base = validInput(message);
  const found: Violation[] = message.fields.flatMap((field) =>
    ofField(field).map(({ what, value, at }) => {
      const others = without(base, [field.name, ...rivalsOf(message, field.name)]);
      const input = value === undefined ? others : { ...others, [field.name]: value };
      return { name: `${at} ${what}`, input };
    }),
  );
  return [...found, ...ofGroups(message, base)];
}

/** Oneofs of which a field must be given. */
const needed = ({ oneofs }: DescMessage): DescOneof[] =>
  oneofs.filter((oneof) => hasOption(oneof, required) && getOption(oneof, required));

/** Fields beside which the field may not be given. */
const rivalsOf = (message: DescMessage, name: string): string[] =>
  message.oneofs.map(({ fields }) => fields.map((field) => field.name)).find((names) => names.includes(name)) ?? [];

const without = (object: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

/** No client of the contract can write more than one field of a oneof: see raw.ts. */
const ofGroups = (message: DescMessage, base: JsonObject): Violation[] =>
  needed(message).map(({ fields }) => {
    const names = fields.map(({ name }) => name);
    return { name: `none of ${names.join(', ')}`, input: without(base, names) };
  });

interface Broken {
  what: string;
  at: string;
  /** Undefined = not given. */
  value: JsonValue | undefined;
}

function ofField(field: DescField): Broken[] {
  const rules = rulesOf(field);
  const missing: Broken[] = rules?.required ? [{ what: 'missing', at: field.name, value: undefined }] : [];
  if (field.fieldKind === 'list') return [...missing, ...ofList(field, rules)];
  if (field.fieldKind === 'map') return [...missing, ...ofMap(field, rules)];
  if (field.message) return [...missing, ...ofMessage(field.message, field.name)];
  return [...missing, ...ofValue(field.scalar, rules).map(({ what, value }) => ({ what, at: field.name, value }))];
}

function ofList(field: DescField & { fieldKind: 'list' }, rules: FieldRules | undefined): Broken[] {
  const at = field.name;
  const [item] = exampleOf(field) as JsonValue[];
  const items = field.message
    ? ofMessage(field.message, `${at}[0]`)
    : ofValue(field.scalar, rules).map(({ what, value }) => ({ what, at: `${at}[0]`, value }));
  const many =
    rules?.maxItems === undefined ? [] : [{ what: 'too many', at, value: Array(rules.maxItems + 1).fill(item) }];
  return [
    ...items.map((broken) => ({ ...broken, value: [broken.value as JsonValue] })),
    ...many,
    ...(rules?.unique ? [{ what: 'twice the same', at, value: [item as JsonValue, item as JsonValue] }] : []),
  ];
}

function ofMap(field: DescField, rules: FieldRules | undefined): Broken[] {
  const at = field.name;
  const many = Object.fromEntries(Array.from({ length: (rules?.maxItems ?? 0) + 1 }, (_, n) => [`k${n}`, '']));
  return [
    ...ofValue(field.scalar, rules).map(({ what, value }) => ({ what, at: `${at}.key`, value: { key: value } })),
    ...(rules?.keyPattern ? [{ what: 'with a key of other characters', at, value: { é: '' } }] : []),
    ...(rules?.maxItems === undefined ? [] : [{ what: 'too many', at, value: many }]),
  ];
}

const ofMessage = (message: DescMessage, at: string): Broken[] =>
  message.typeName.startsWith('google.')
    ? []
    : violations(message).map(({ name, input }) => ({ what: `· ${name}`, at, value: input }));

/** Rules of one value: of a field, or of an item of a list. */
function ofValue(scalar: ScalarType | undefined, rules: FieldRules | undefined): { what: string; value: JsonValue }[] {
  const broken: { what: string; value: JsonValue }[] = [];
  if (rules?.minimum !== undefined) broken.push({ what: 'too small', value: rules.minimum - 1 });
  if (rules?.maximum !== undefined) broken.push({ what: 'too large', value: rules.maximum + 1 });
  if (scalar !== ScalarType.STRING) return broken;
  if (rules?.minLength) broken.push({ what: 'too short', value: 'x'.repeat(rules.minLength - 1) });
  if (rules?.maxLength !== undefined) broken.push({ what: 'too long', value: 'x'.repeat(rules.maxLength + 1) });
  if (rules?.pattern) broken.push({ what: 'of other characters', value: 'é' });
  if (rules?.values) broken.push({ what: 'no such word', value: 'no_such_word' });
  broken.push({ what: 'with a NUL', value: 'a\0b' });
  return broken;
}

/** The example of the contract; of a list, one item. */
function exampleOf(field: DescField): JsonValue {
  const text = rulesOf(field)?.example ?? '';
  if (field.fieldKind === 'list')
    return field.message ? [validInput(field.message)] : (JSON.parse(text) as JsonValue[]).slice(0, 1);
  if (field.fieldKind === 'map') return JSON.parse(text);
  if (field.message) return validInput(field.message);
  return field.scalar === ScalarType.STRING ? text : JSON.parse(text);
}
