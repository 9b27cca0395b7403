// The contract's JSON (snake_case, times as text) and what users see (camelCase, Date). Unknown fields and words go through.

import { ConfigurationError } from './errors.ts';
import { Mismatch } from './foreign.ts';
import { shapes } from './gen/shapes.ts';

export type Json = Record<string, unknown>;

/** `client_reference` → `clientReference` */
export const camel = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
/** `clientReference` → `client_reference` */
export const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * What the service said, as users see it. Absent fields get their default, or stay absent where the contract says so; a
 * field that this SDK does not know keeps its value, under its name in camelCase. Throws a Mismatch where a field is of another
 * type than the contract's.
 */
export function decode(shape: string, source: Json): Json {
  const fields = shapes[shape] ?? {};
  const result: Json = {};
  for (const [name, kind] of Object.entries(fields)) {
    const value = decodeField(name, kind, source[name]);
    if (value !== undefined) result[camel(name)] = value;
  }
  for (const [name, value] of Object.entries(source))
    if (!Object.hasOwn(fields, name) && !Object.hasOwn(result, camel(name))) put(result, camel(name), value);
  return result;
}

function decodeField(name: string, kind: string, value: unknown): unknown {
  const isList = kind.endsWith('[]');
  if (value === undefined || value === null) return isList ? [] : kind === 'map' ? {} : defaults[kind];
  if (!isList) return decodeOne(name, kind.replace('?', ''), value);
  if (!Array.isArray(value)) throw new Mismatch(`${name} is not a list`);
  return value.map((item) => decodeOne(name, kind.slice(0, -2), item));
}

const defaults: Readonly<Record<string, unknown>> = { string: '', number: 0, boolean: false };

function decodeOne(name: string, kind: string, value: unknown): unknown {
  if (kind === 'json') return value;
  if (kind === 'map') return isObject(value) ? entries(name, value) : mismatch(name, 'object');
  if (kind === 'time') return parseTime(value) ?? mismatch(name, kind);
  if (!Object.hasOwn(shapes, kind)) return typeof value === kind ? value : mismatch(name, kind);
  return isObject(value) ? decode(kind, value) : mismatch(name, 'object');
}

/** The keys are the user's own, and stay as they are. */
function entries(name: string, source: Json): Json {
  const result: Json = {};
  for (const [key, value] of Object.entries(source)) put(result, key, decodeOne(`${name}.${key}`, 'string', value));
  return result;
}

function mismatch(name: string, kind: string): never {
  throw new Mismatch(`${name} is not of the type ${kind}`);
}

const rfc3339 = /^(\d{4}-\d\d-(\d\d))(T\d\d:\d\d:\d\d)(?:(\.\d{1,3})\d*)?(Z|[+-]\d\d:\d\d)$/;

/** RFC 3339, cut off at milliseconds. What is no time is absent: `Date` alone takes more, such as a time of no zone for a local one. */
export function parseTime(text: unknown): Date | undefined {
  const found = rfc3339.exec(typeof text === 'string' ? text.toUpperCase() : '');
  const [, day = '', dayOfMonth, time, fraction = '', zone] = found ?? [];
  const date = new Date(`${day}${time}${fraction}${zone}`);
  // It takes the 30th of February for the 2nd of March.
  const isOfTheMonth = new Date(`${day}T00:00:00Z`).getUTCDate() === Number(dayOfMonth);
  return isOfTheMonth && !Number.isNaN(date.getTime()) ? date : undefined;
}

/** RFC 3339 in UTC, with milliseconds where there are any. */
export function printTime(date: Date): string {
  if (Number.isNaN(date.getTime())) throw new ConfigurationError('a Date is invalid');
  return date.toISOString().replace('.000Z', 'Z');
}

/** What the user gave, as the contract writes it, in the contract's order. Left out: what is undefined or null. */
export function encode(shape: string | undefined, given: object, name = 'what is given'): Json {
  // For those without TypeScript: a string has fields, too, one for each letter.
  if (!isObject(given)) throw new ConfigurationError("give an object, e.g. { to: '+213550000001' }");
  const fields = shapes[shape ?? ''] ?? {};
  const values = new Map(pairsOf(name, given).map(([field, value]) => [snake(field), value]));
  const names = [...Object.keys(fields), ...[...values.keys()].filter((name) => !Object.hasOwn(fields, name))];
  const result: Json = {};
  for (const name of names) {
    const value = encodeValue(camel(name), fields[name]?.replace('?', ''), values.get(name));
    if (value !== undefined) put(result, name, value);
  }
  return result;
}

function encodeValue(name: string, kind: string | undefined, value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  if (value instanceof Date) return printTime(value);
  // JSON.stringify makes null of the first and throws a TypeError at the second.
  if ((typeof value === 'number' && !Number.isFinite(value)) || typeof value === 'bigint')
    throw new ConfigurationError(`${name} must be a finite number, and no bigint`);
  if (kind === 'map' && isObject(value)) return given(name, value);
  const isList = Array.isArray(value) || (kind?.endsWith('[]') && isObject(value) && Symbol.iterator in value);
  if (isList)
    return [...(value as Iterable<unknown>)].map((item) => encodeValue(name, kind?.replace('[]', ''), item) ?? null);
  return isObject(value) && kind !== 'json' ? encode(kind, value, name) : value;
}

/** What is iterable, such as a Map, has no entries of an object's own: `{}` would be sent, which empties what the account had. */
function pairsOf(name: string, given: object): [string, unknown][] {
  if (!(Symbol.iterator in given)) return Object.entries(given);
  return [...(given as Iterable<unknown>)].map((pair) => {
    if (Array.isArray(pair) && pair.length === 2 && typeof pair[0] === 'string') return pair as [string, unknown];
    throw new ConfigurationError(`${name} must be an object of names and values`);
  });
}

/** Without what is undefined or null. */
function given(name: string, entries: Json): Json {
  const result: Json = {};
  for (const [key, entry] of pairsOf(name, entries)) {
    const value = encodeValue(`${name}.${key}`, 'json', entry);
    if (value !== undefined) put(result, key, value);
  }
  return result;
}

/** Also for `__proto__`, which would not be a field otherwise. */
function put(target: Json, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
}
