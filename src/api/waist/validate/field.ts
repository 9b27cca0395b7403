// The rules of one field, compiled into checks of its value.

import type { DescField } from '@bufbuild/protobuf';
import type { FieldRules } from '../../../gen/ramz/v1/options_pb.ts';
import { valueSets } from '../../../gen/values.ts';
import type { ErrorCode } from '../errors.ts';

export interface Violation {
  /** Path on the wire, e.g. `cascade[0].timeout_seconds`. */
  field: string;
  message: string;
  code: ErrorCode;
}

/** What is wrong with a value, as the end of a sentence: "must be ..."; undefined = nothing. */
export type Check = (value: unknown) => string | undefined;

/** Checks of one value; for a list, of one item. */
export function valueChecks(field: DescField, rules: FieldRules | undefined): Check[] {
  const scalar = field.fieldKind === 'scalar' || (field.fieldKind === 'list' && field.listKind === 'scalar');
  if (!scalar) return [];
  return [wellFormed, ...(rules ? [...lengthChecks(rules), ...wordChecks(rules), ...numberChecks(rules)] : [])];
}

/** Checks of a list as a whole. */
export function listChecks(rules: FieldRules | undefined): Check[] {
  if (!rules) return [];
  const { minItems, maxItems, unique } = rules;
  const checks: Check[] = [];
  const size = (value: unknown): number => (Array.isArray(value) ? value.length : 0);
  if (minItems !== undefined)
    checks.push((value) => (size(value) < minItems ? `must have at least ${minItems} items` : undefined));
  if (maxItems !== undefined)
    checks.push((value) => (size(value) > maxItems ? `must have at most ${maxItems} items` : undefined));
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
