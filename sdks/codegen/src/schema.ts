// JSON schemas of messages and value sets, each under a name of its own. What is both asked for and answered has two: requests are closed
// (unknown fields and values are refused), responses are open (clients must accept values they do not know).

import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { pascal } from './client.ts';
import { type Contract, comment, type FieldRules, hasPresence, isMask, type ValueSet } from './contract.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };
export type Direction = 'request' | 'answer';

export interface Schemas {
  /** A reference to the message's component, which is made when it is first asked for. `without`: fields that are left out of it. */
  reference(message: DescMessage, direction: Direction, without?: ReadonlySet<string>): JsonObject;
  /** A reference to the component of a value set. */
  values(set: string, direction: Direction): JsonObject;
  field(field: DescField, direction: Direction): JsonObject;
  /** Every component so far, by name. */
  components(): JsonObject;
}

export function createSchemas(contract: Contract): Schemas {
  const made = new Map<string, { of: DescMessage | ValueSet; schema: JsonObject }>();

  const component = (name: string, of: DescMessage | ValueSet, make: () => JsonObject): JsonObject => {
    const known = made.get(name);
    if (known && known.of !== of) throw new Error(`two schemas are called ${name}`);
    if (!known) {
      // First a place for it: a message may hold itself.
      made.set(name, { of, schema: {} });
      made.set(name, { of, schema: make() });
    }
    return { $ref: `#/components/schemas/${name}` };
  };

  const reference: Schemas['reference'] = (message, direction, without = new Set()) =>
    component(componentName(message, direction), message, () => whole(message, direction, without));

  const values: Schemas['values'] = (name, direction) => {
    const set = contract.valueSets.find((each) => each.name === name);
    if (!set) throw new Error(`no value set ${name}`);
    return component(`${pascal(name)}${direction === 'request' ? 'Input' : ''}`, set, () => setSchema(set, direction));
  };

  const whole = (message: DescMessage, direction: Direction, without: ReadonlySet<string>): JsonObject => {
    const fields = message.fields.filter((each) => !without.has(each.name) && !isMask(each));
    const required = fields.filter((each) => isRequired(each, direction, contract.rules(each)));
    const choice = direction === 'request' ? choiceOf(contract, message) : none;
    return {
      type: 'object',
      description: [comment(message), choice.text].join(' ').trim(),
      properties: Object.fromEntries(fields.map((each) => [each.name, field(each, direction)])),
      ...(required.length > 0 ? { required: required.map(({ name }) => name) } : {}),
      ...choice.schema,
      ...(direction === 'request' ? { ...needsOf(contract, fields), additionalProperties: false } : {}),
    };
  };

  const field = (desc: DescField, direction: Direction): JsonObject => {
    const rules = contract.rules(desc);
    const type = rules?.values ? values(rules.values, direction) : typeOf(desc, direction, reference);
    const one = { ...type, ...(direction === 'request' ? contentRules(desc, rules) : {}) };
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
    values,
    field,
    components: () =>
      Object.fromEntries([...made].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, { schema }]) => [name, schema])),
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

/**
 * The set as a type. In responses it is open: without `enum`, because generated clients refuse a value that is not in one, and such
 * a value may come at any time. `x-extensible-enum` is how others write that.
 */
function setSchema({ description, values }: ValueSet, direction: Direction): JsonObject {
  const names = values.map(({ name }) => name);
  const list = values.map((value) => `- \`${value.name}\`: ${value.description}`).join('\n');
  const isOpen = direction === 'answer';
  return {
    type: 'string',
    description: `${description}${isOpen ? ' More values may come: accept those you do not know.' : ''}\n\n${list}`,
    ...(isOpen ? { 'x-extensible-enum': names } : { enum: names }),
  };
}

function contentRules(field: DescField, rules: FieldRules | undefined): JsonObject {
  const isText = field.scalar === ScalarType.STRING && !rules?.values;
  if (!rules) return isText ? { pattern: noNul } : {};
  const { minLength, maxLength, minimum, maximum } = rules;
  const pattern = rules.pattern || (rules.oneLine ? noControl : isText ? noNul : '');
  // Empty is not given, also where one of several must be.
  const required = rules.required || field.oneof !== undefined;
  return {
    ...(pattern ? { pattern } : {}),
    ...(minLength !== undefined ? { minLength } : required && maxLength !== undefined ? { minLength: 1 } : {}),
    ...(maxLength !== undefined ? { maxLength } : {}),
    ...(minimum !== undefined ? { minimum } : {}),
    ...(maximum !== undefined ? { maximum } : {}),
    ...usually(field, rules),
  };
}

/**
 * What holds without a word from the client. Not `default` in the schema of a body: generated clients fill that in and send it (and one
 * then cannot leave the field out in TypeScript), although a value that is sent can mean more than none. `x-setting` is replaced in the
 * document that a service serves, by its own bounds and default.
 */
function usually(field: DescField, { setting, default: text }: FieldRules): JsonObject {
  return {
    ...(text ? { 'x-default': field.scalar === ScalarType.STRING ? text : (JSON.parse(text) as Json) } : {}),
    ...(setting ? { 'x-setting': setting } : {}),
  };
}

/** Postgres has no place for it. In a form that the expressions of every language know. */
const noNul = '^[^\\x00]*$';

/** Of a text on one line. The direction marks, which it has neither, have no form that the expressions of every language know. */
const noControl = '^[^\\x00-\\x1f\\x7f-\\x9f]*$';

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

function needsOf(contract: Contract, fields: readonly DescField[]): JsonObject {
  const needs = fields.flatMap((field): [string, string[]][] => {
    const needed = contract.rules(field)?.needs;
    return needed ? [[field.name, [needed]]] : [];
  });
  return needs.length > 0 ? { dependentRequired: Object.fromEntries(needs) } : {};
}

interface Choice {
  /** The rule for people: few generators and viewers read it from the schema. */
  text: string;
  schema: JsonObject;
}

const none: Choice = { text: '', schema: {} };

/** What of several fields may be given together, of a message that has at most one oneof of each kind. */
function choiceOf(contract: Contract, message: DescMessage): Choice {
  const [group, ...others] = contract.groups(message);
  if (others.length > 0) throw new Error(`${message.name}: two choices have no schema yet`);
  if (!group) return none;
  const names = group.fields.map((name) => `\`${name}\``).join(', ');
  return group.required
    ? { text: `Exactly one of ${names} must be given.`, schema: exactlyOne(group.fields) }
    : { text: `No more than one of ${names} may be given.`, schema: atMostOne(message, group.fields) };
}

/** Not `oneOf`, which generators take for types that differ: they make a class of each alternative, and none has all fields. */
function exactlyOne([first, ...rest]: readonly string[]): JsonObject {
  const given = { required: [first as string] };
  if (rest.length === 0) return given;
  const others = rest.map((name) => ({ required: [name] }));
  return {
    if: given,
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so, and nobody awaits a schema
    then: { not: rest.length > 1 ? { anyOf: others } : (others[0] as JsonObject) },
    else: exactlyOne(rest),
  };
}

/** Where the fields are all there are, the number of members says it, which every tool reads. */
const atMostOne = (message: DescMessage, names: string[]): JsonObject =>
  names.length === message.fields.length ? { maxProperties: 1 } : { not: { required: names } };
