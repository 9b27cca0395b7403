// JSON schemas of messages. A message that is both asked for and answered has two: requests are closed (unknown fields and
// words are refused), answers are open (clients must accept words they do not know).

import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { type Contract, comment, type FieldRules, hasPresence, isMask, type ValueSet } from './contract.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };
export type Direction = 'request' | 'answer';

export interface Schemas {
  /** A reference to the message's component, which is made when it is first asked for. */
  reference(message: DescMessage, direction: Direction): JsonObject;
  /** The message without some of its fields, written out in place. */
  inline(message: DescMessage, direction: Direction, without: ReadonlySet<string>): JsonObject;
  field(field: DescField, direction: Direction): JsonObject;
  /** Every component so far, by name. */
  components(): JsonObject;
}

export function createSchemas(contract: Contract): Schemas {
  const made = new Map<string, JsonObject>();
  const sets = new Map(contract.valueSets.map((set) => [set.name, set]));

  const reference = (message: DescMessage, direction: Direction): JsonObject => {
    const name = componentName(message, direction);
    if (!made.has(name)) {
      // First a place for it: a message may hold itself.
      made.set(name, {});
      made.set(name, inline(message, direction, new Set()));
    }
    return { $ref: `#/components/schemas/${name}` };
  };

  const inline = (message: DescMessage, direction: Direction, without: ReadonlySet<string>): JsonObject => {
    const fields = message.fields.filter((each) => !without.has(each.name) && !isMask(each));
    const required = fields.filter((each) => isRequired(each, direction, contract.rules(each)));
    return {
      type: 'object',
      description: comment(message),
      properties: Object.fromEntries(fields.map((each) => [each.name, field(each, direction)])),
      ...(required.length > 0 ? { required: required.map(({ name }) => name) } : {}),
      ...(direction === 'request' ? { ...groups(contract, message), additionalProperties: false } : {}),
    };
  };

  const field = (desc: DescField, direction: Direction): JsonObject => {
    const rules = contract.rules(desc);
    const one = { ...typeOf(desc, direction, reference), ...contentRules(desc, rules, direction, sets) };
    const text = { description: comment(desc) };
    const examples = exampleOf(desc, rules);
    const isRequest = direction === 'request';
    switch (desc.fieldKind) {
      case 'list':
        return { type: 'array', items: one, ...(isRequest ? listRules(rules) : {}), ...text, ...examples };
      case 'map':
        return {
          type: 'object',
          additionalProperties: one,
          ...(isRequest ? mapRules(rules) : {}),
          ...text,
          ...examples,
        };
      default:
        return { ...one, ...text, ...examples };
    }
  };

  return {
    reference,
    inline,
    field,
    components: () => Object.fromEntries([...made].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/**
 * Requests have names of their own already; what both directions share gets one more. No schema is called `…Response`: oapi-codegen gives
 * that name to what a call of its client returns, and two types of one name do not compile.
 */
function componentName(message: DescMessage, direction: Direction): string {
  if (direction === 'request' && !message.name.endsWith('Request')) return `${message.name}Input`;
  return message.name.replace(/Response$/, 'Result');
}

/** Responses always write what has no presence of its own, and what the contract says is always there. */
function isRequired(field: DescField, direction: Direction, rules: FieldRules | undefined): boolean {
  if (direction === 'request') return rules?.required ?? false;
  if (rules?.leftOutOfWebhooks) return false;
  return !hasPresence(field) || (rules?.always ?? false);
}

function typeOf(field: DescField, direction: Direction, reference: Schemas['reference']): JsonObject {
  if (field.message?.typeName === 'google.protobuf.Timestamp') return { type: 'string', format: 'date-time' };
  if (field.message) return reference(field.message, direction);
  switch (field.scalar) {
    case ScalarType.STRING:
      return { type: 'string' };
    case ScalarType.BOOL:
      return { type: 'boolean' };
    case ScalarType.INT32:
      return { type: 'integer', format: 'int32' };
    case ScalarType.DOUBLE:
      return { type: 'number', format: 'double' };
    default:
      throw new Error(`${field.parent.typeName}.${field.name}: the public contract has no such type`);
  }
}

function contentRules(
  field: DescField,
  rules: FieldRules | undefined,
  direction: Direction,
  sets: Map<string, ValueSet>,
): JsonObject {
  const words = rules?.values ? sets.get(rules.values)?.values.map(({ name }) => name) : undefined;
  if (rules?.values && !words) throw new Error(`no value set ${rules.values}`);
  if (direction === 'answer') return words ? { 'x-known-values': words } : {};
  const isText = field.scalar === ScalarType.STRING && !words;
  if (!rules) return isText ? { pattern: noNul } : {};
  const { pattern, minLength, maxLength, minimum, maximum } = rules;
  // Empty is not given, also where one of several must be.
  const required = rules.required || field.oneof !== undefined;
  return {
    ...(words ? { enum: words } : {}),
    ...(pattern ? { pattern } : isText ? { pattern: noNul } : {}),
    ...(minLength !== undefined ? { minLength } : required && maxLength !== undefined ? { minLength: 1 } : {}),
    ...(maxLength !== undefined ? { maxLength } : {}),
    ...(minimum !== undefined ? { minimum } : {}),
    ...(maximum !== undefined ? { maximum } : {}),
  };
}

/** Postgres has no place for it. In a form that the expressions of every language know. */
const noNul = '^[^\\x00]*$';

function listRules(rules: FieldRules | undefined): JsonObject {
  const { minItems, maxItems, unique } = rules ?? {};
  return {
    ...(minItems !== undefined ? { minItems } : {}),
    ...(maxItems !== undefined ? { maxItems } : {}),
    ...(unique ? { uniqueItems: true } : {}),
  };
}

function mapRules(rules: FieldRules | undefined): JsonObject {
  const { maxItems, keyPattern } = rules ?? {};
  return {
    ...(maxItems !== undefined ? { maxProperties: maxItems } : {}),
    ...(keyPattern ? { propertyNames: { pattern: keyPattern } } : {}),
  };
}

function exampleOf(field: DescField, rules: FieldRules | undefined): JsonObject {
  if (!rules?.example) return {};
  const isOne = field.fieldKind !== 'list' && field.fieldKind !== 'map';
  const text = isOne && (field.scalar === ScalarType.STRING || field.message !== undefined);
  return { examples: [text ? rules.example : (JSON.parse(rules.example) as Json)] };
}

function groups(contract: Contract, message: DescMessage): JsonObject {
  const all = contract.groups(message);
  const exactly = all.find(({ required }) => required);
  const most = all.find(({ required }) => !required);
  return {
    ...(exactly ? { oneOf: exactly.fields.map((name) => ({ required: [name] })) } : {}),
    ...(most ? { not: { required: most.fields } } : {}),
  };
}
