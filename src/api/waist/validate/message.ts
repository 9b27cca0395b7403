// Walks a message by its descriptor and finds the first field that breaks a rule of the contract.
// The rules themselves are in field.ts; they are compiled once per message type.

import { type DescField, type DescMessage, isMessage, type Message, type MessageShape } from '@bufbuild/protobuf';
import type { ErrorCode } from '../errors.ts';
import { fieldRules, messageRules } from '../method-options.ts';
import { type Check, listChecks, type Violation, valueChecks } from './field.ts';

export type { Violation } from './field.ts';

/** The first violation in `message`, in the order its fields are declared; undefined = none. */
export function violationIn<Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>): Violation | undefined {
  return compiled(desc)(message, '');
}

type Validator = (message: Message, path: string) => Violation | undefined;
type FieldValidator = (value: unknown, path: string) => Violation | undefined;

const validators = new WeakMap<DescMessage, Validator>();

function compiled(desc: DescMessage): Validator {
  const known = validators.get(desc);
  if (known) return known;
  const groups = groupValidators(desc);
  // A message that holds itself finds this entry, and the fields once they are compiled.
  const fields: [string, FieldValidator][] = [];
  const validator: Validator = (message, path) => {
    const values = message as unknown as Record<string, unknown>;
    for (const group of groups) {
      const violation = group(values, path);
      if (violation) return violation;
    }
    for (const [name, check] of fields) {
      const violation = check(values[name], path);
      if (violation) return violation;
    }
    return undefined;
  };
  validators.set(desc, validator);
  // The public contract has no oneofs; their members would have to be looked up by case.
  if (desc.oneofs.length > 0) throw new Error(`${desc.typeName}: oneofs can't be validated`);
  if (isOurs(desc)) for (const field of desc.fields) fields.push([field.localName, fieldValidator(field)]);
  return validator;
}

const isOurs = (desc: DescMessage): boolean => desc.typeName.startsWith('ramz.');

function fieldValidator(field: DescField): FieldValidator {
  const rules = fieldRules(field);
  const code = (rules?.errorCode || 'invalid_argument') as ErrorCode;
  const violation = (at: string, problem: string): Violation => ({ field: at, message: `${at} ${problem}`, code });
  const single = singleValidator(field, valueChecks(field, rules), violation);
  const whole = listChecks(rules);
  const explicit = field.fieldKind === 'scalar' && field.proto.proto3Optional;
  return (value, path) => {
    const at = path === '' ? field.name : `${path}.${field.name}`;
    if (!isGiven(value, explicit)) return rules?.required ? violation(at, 'is required') : undefined;
    if (!Array.isArray(value)) return single(value, at);
    const problem = firstProblem(whole, value);
    if (problem) return violation(at, problem);
    for (const [index, item] of value.entries()) {
      const inside = single(item, `${at}[${index}]`);
      if (inside) return inside;
    }
    return undefined;
  };
}

function singleValidator(
  field: DescField,
  checks: Check[],
  violation: (at: string, problem: string) => Violation,
): FieldValidator {
  return (value, at) => {
    const problem = firstProblem(checks, value);
    if (problem) return violation(at, problem);
    return field.message && isMessage(value) ? compiled(field.message)(value, at) : undefined;
  };
}

function firstProblem(checks: Check[], value: unknown): string | undefined {
  for (const check of checks) {
    const problem = check(value);
    if (problem) return problem;
  }
  return undefined;
}

/** Without presence, an empty value and none are the same. */
function isGiven(value: unknown, explicit: boolean): boolean {
  if (value === undefined || value === null) return false;
  if (explicit) return true;
  return value !== '' && value !== 0 && value !== false && !(Array.isArray(value) && value.length === 0);
}

function groupValidators(
  desc: DescMessage,
): ((values: Record<string, unknown>, path: string) => Violation | undefined)[] {
  const rules = messageRules(desc);
  if (!rules) return [];
  const groups = [
    ...rules.exactlyOne.map((group) => ({ names: group.fields, required: true })),
    ...rules.atMostOne.map((group) => ({ names: group.fields, required: false })),
  ];
  return groups.map(({ names, required }) => {
    const fields = names.map((name) => fieldNamed(desc, name));
    const list = names.join(' or ');
    return (values, path) => {
      const given = fields.filter((field) => isGiven(values[field.localName], false));
      const [wrong] = given.length > 1 ? given.slice(1) : required && given.length === 0 ? fields : [];
      if (!wrong) return undefined;
      const at = path === '' ? wrong.name : `${path}.${wrong.name}`;
      const problem = required ? `give exactly one of ${list}` : `give only one of ${list}`;
      return { field: at, message: problem, code: 'invalid_argument' };
    };
  });
}

function fieldNamed(desc: DescMessage, name: string): DescField {
  const field = desc.fields.find((each) => each.name === name);
  if (!field) throw new Error(`${desc.typeName} has no field ${name}`);
  return field;
}
