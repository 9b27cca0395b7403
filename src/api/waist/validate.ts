// Validation of a message by its descriptor: the first field that breaks a rule of the contract. Rules are compiled once per
// message type, because every call is validated.

import {
  type DescField,
  type DescMessage,
  type DescOneof,
  isMessage,
  type Message,
  type MessageShape,
} from '@bufbuild/protobuf';
import { isOneLine } from '../../core/one-line.ts';
import type { FieldRules } from '../../gen/ramz/v1/options_pb.ts';
import { valueSets } from '../../gen/values.ts';
import type { ErrorCode } from './errors.ts';
import { fieldRules, isRequired } from './method-options.ts';

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
  const needed = desc.oneofs.filter(isRequired);
  const pairs = isOurs(desc) ? desc.fields.flatMap(pairOf) : [];
  // A message that holds itself finds this entry, and the fields once they are compiled.
  const fields: [DescField, FieldValidator][] = [];
  const validator: Validator = (message, path) => {
    for (const oneof of needed) {
      if (!isGiven(chosen(message, oneof).value, false)) return oneOfViolation(oneof, oneof.fields[0], path);
    }
    for (const [field, check] of fields) {
      const violation = check(held(message, field), path);
      if (violation) return violation;
    }
    for (const { given, wanted } of pairs) {
      if (isGiven(held(message, given), false) && !isGiven(held(message, wanted), false))
        return lacking(message, { wanted, given }, path);
    }
    return undefined;
  };
  validators.set(desc, validator);
  if (isOurs(desc)) for (const field of desc.fields) fields.push([field, fieldValidator(field)]);
  return validator;
}

/** Two fields, the second of which must be given if the first is. */
interface Pair {
  given: DescField;
  wanted: DescField;
}

function pairOf(given: DescField): Pair[] {
  const name = fieldRules(given)?.needs;
  return given.parent.fields.filter((field) => name && field.name === name).map((wanted) => ({ given, wanted }));
}

function lacking(message: Message, { given, wanted }: Pair, path: string): Violation {
  const at = ({ name }: DescField) => (path === '' ? name : `${path}.${name}`);
  const code = 'invalid_argument';
  // Where another field of its oneof is given, the one that is wanted can't be added.
  if (wanted.oneof && chosen(message, wanted.oneof).case !== undefined)
    return { field: at(given), message: `${at(given)} is taken with ${wanted.name} only`, code };
  return { field: at(wanted), message: `${at(wanted)} is required with ${given.name}`, code };
}

/** A oneof of a message as protobuf-es keeps it. */
interface Chosen {
  case: string | undefined;
  value?: unknown;
}

const chosen = (message: Message, { localName }: DescOneof): Chosen =>
  (message as unknown as Record<string, Chosen>)[localName] ?? { case: undefined };

function held(message: Message, { localName, oneof }: DescField): unknown {
  if (!oneof) return (message as unknown as Record<string, unknown>)[localName];
  const given = chosen(message, oneof);
  return given.case === localName ? given.value : undefined;
}

/** What is wrong where fewer or more of a oneof's fields are given than may be. `field`: the one that is named. */
export function oneOfViolation(oneof: DescOneof, field: DescField | undefined, path: string): Violation {
  const name = field?.name ?? oneof.name;
  const list = oneof.fields.map((each) => each.name).join(' or ');
  const message = `give ${isRequired(oneof) ? 'exactly' : 'only'} one of ${list}`;
  return { field: path === '' ? name : `${path}.${name}`, message, code: 'invalid_argument' };
}

const isOurs = (desc: DescMessage): boolean => desc.typeName.startsWith('ramz.');

function fieldValidator(field: DescField): FieldValidator {
  const rules = fieldRules(field);
  const code = (rules?.errorCode || 'invalid_argument') as ErrorCode;
  const violation = (at: string, problem: string): Violation => ({ field: at, message: `${at} ${problem}`, code });
  const single = singleValidator(field, valueChecks(field, rules), violation);
  const whole = sizeChecks(rules, field.fieldKind === 'map' ? 'entries' : 'items');
  const keys = rules ? keyChecks(rules) : [];
  const explicit = field.fieldKind === 'scalar' && field.proto.proto3Optional;
  return (value, path) => {
    const at = path === '' ? field.name : `${path}.${field.name}`;
    if (!isGiven(value, explicit)) return rules?.required ? violation(at, 'is required') : undefined;
    const isMap = field.fieldKind === 'map';
    if (!isMap && !Array.isArray(value)) return single(value, at);
    const problem = firstProblem(whole, isMap ? Object.keys(value as object) : value);
    if (problem) return violation(at, problem);
    for (const [key, item] of isMap ? Object.entries(value as object) : (value as unknown[]).entries()) {
      const inside = isMap ? `${at}.${shown(String(key))}` : `${at}[${key}]`;
      const unfit = isMap ? firstProblem(keys, key) : undefined;
      const found = unfit ? violation(inside, unfit) : single(item, inside);
      if (found) return found;
    }
    return undefined;
  };
}

/** A client's own name goes into a response: not all of a long one. */
export const shown = (name: string): string => (name.length > 60 ? `${name.slice(0, 60)}…` : name).toWellFormed();

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

/** For fields without presence, an empty value counts as absent. */
function isGiven(value: unknown, explicit: boolean): boolean {
  if (value === undefined || value === null) return false;
  if (explicit) return true;
  return value !== '' && value !== 0 && value !== false && !(Array.isArray(value) && value.length === 0);
}

export interface Violation {
  /** Path on the wire, e.g. `cascade[0].timeout_seconds`. */
  field: string;
  message: string;
  code: ErrorCode;
}

/** Finds the fault of a value, as the end of a sentence: "must be ..."; undefined = none. */
export type Check = (value: unknown) => string | undefined;

/** Checks of one value; for a list of one item, for a map of one entry's value. */
function valueChecks(field: DescField, rules: FieldRules | undefined): Check[] {
  if (field.scalar === undefined) return [];
  if (!rules) return [wellFormed];
  const line = rules.oneLine ? [oneLine] : [];
  return [wellFormed, ...line, ...lengthChecks(rules), ...wordChecks(rules), ...numberChecks(rules)];
}

/** Checks of a list as a whole, or of the keys of a map. */
function sizeChecks(rules: FieldRules | undefined, parts: 'entries' | 'items'): Check[] {
  if (!rules) return [];
  const { minItems, maxItems, unique } = rules;
  const checks: Check[] = [];
  const size = (value: unknown): number => (Array.isArray(value) ? value.length : 0);
  if (minItems !== undefined)
    checks.push((value) => (size(value) < minItems ? `must have at least ${minItems} ${parts}` : undefined));
  if (maxItems !== undefined)
    checks.push((value) => (size(value) > maxItems ? `must have at most ${maxItems} ${parts}` : undefined));
  if (unique) {
    checks.push((value) =>
      Array.isArray(value) && new Set(value).size < value.length ? 'must not repeat an item' : undefined,
    );
  }
  return checks;
}

/** Postgres has no place for NUL, and no encoding for half a surrogate pair: refused at the door in every string. */
const wellFormed: Check = (value) =>
  typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())
    ? 'must be well-formed text without NUL'
    : undefined;

const oneLine: Check = (value) =>
  typeof value === 'string' && !isOneLine(value)
    ? 'must be one line, without control characters and direction marks'
    : undefined;

function lengthChecks({ minLength = 0, maxLength = Number.POSITIVE_INFINITY }: FieldRules): Check[] {
  if (minLength === 0 && maxLength === Number.POSITIVE_INFINITY) return [];
  return [
    (value) => {
      if (typeof value !== 'string') return undefined;
      // A code point is one UTF-16 unit or two, so most values need no counting.
      const units = value.length;
      const length = units <= maxLength && units >= 2 * minLength ? units : [...value].length;
      if (length > maxLength) return `must be at most ${maxLength} characters long`;
      return length < minLength ? `must be at least ${minLength} characters long` : undefined;
    },
  ];
}

function wordChecks({ pattern, patternHint, values }: FieldRules): Check[] {
  const checks: Check[] = [];
  if (pattern) {
    const expression = new RegExp(pattern, 'u');
    const hint = patternHint || `match ${pattern}`;
    checks.push((value) => (typeof value === 'string' && !expression.test(value) ? `must be ${hint}` : undefined));
  }
  if (values) {
    const words = valueSets[values as keyof typeof valueSets] as readonly string[] | undefined;
    if (!words) throw new Error(`no value set ${values}`);
    const set = new Set(words);
    const message = `must be ${alternatives(words)}`;
    checks.push((value) => (typeof value === 'string' && !set.has(value) ? message : undefined));
  }
  return checks;
}

function keyChecks({ keyPattern, keyPatternHint }: FieldRules): Check[] {
  if (keyPattern === '') return [];
  const expression = new RegExp(keyPattern, 'u');
  return [(key) => (expression.test(String(key)) ? undefined : `must have a key of ${keyPatternHint}`)];
}

function numberChecks({ minimum, maximum }: FieldRules): Check[] {
  if (minimum === undefined && maximum === undefined) return [];
  const message = range(minimum, maximum);
  return [
    (value) =>
      typeof value === 'number' &&
      !(value >= (minimum ?? Number.NEGATIVE_INFINITY) && value <= (maximum ?? Number.POSITIVE_INFINITY))
        ? message
        : undefined,
  ];
}

function range(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum === undefined) return `must be at most ${maximum}`;
  return maximum === undefined ? `must be at least ${minimum}` : `must be ${minimum} to ${maximum}`;
}

/** `a, b or c`. */
function alternatives(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}
