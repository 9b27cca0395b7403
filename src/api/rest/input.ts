// The input message of a REST call, made from path variables, query (names as in the body, dots for nested fields) and JSON body. An error
// names the field that is unknown or of a wrong type; protobuf's JSON reader does not, so the descriptor is walked first.

import {
  create,
  type DescField,
  type DescMessage,
  fromJson,
  type JsonValue,
  type Message,
  ScalarType,
} from '@bufbuild/protobuf';
import type { JsonPath } from '../../core/duplicate-member.ts';
import { fail } from '../waist/errors.ts';
import { maskFieldOf } from '../waist/interceptors/update-mask.ts';
import { oneOfViolation, shown } from '../waist/validate.ts';

type JsonObject = Record<string, unknown>;

/** Throws `unknown_field` or `invalid_argument` with the field. */
export function messageFromJson(desc: DescMessage, json: unknown): Message {
  if (json === undefined) return create(desc);
  checkJson(desc, json);
  try {
    return fromJson(desc, json as JsonValue);
  } catch (cause) {
    throw fail('invalid_argument', 'the request does not fit the contract', { cause });
  }
}

/** Throws `unknown_field`, `invalid_argument` or `malformed_request` where the JSON is not that of the message. */
export const checkJson = (desc: DescMessage, json: unknown): void => checkMessage(desc, json, '');

/**
 * The update mask of a request that has one, as JSON, from the keys of its body: what is there changes, and an empty list empties.
 * A mask in the body would be a second answer to the same question, so it is refused.
 */
export function maskFromKeys(desc: DescMessage, keys: readonly string[]): JsonObject {
  const mask = maskFieldOf(desc);
  if (!mask) return {};
  const fields = keys.flatMap((key) => fieldByName(desc, key) ?? []);
  if (fields.includes(mask)) {
    throw fail('unknown_field', `there is no field ${mask.name}: what the body names is what changes`, {
      field: mask.name,
    });
  }
  return { [mask.name]: fields.map(({ jsonName }) => jsonName).join(',') };
}

/** The field that `name` is, in snake_case or camelCase; undefined = none. */
function fieldByName(desc: DescMessage, name: string): DescField | undefined {
  return namesOf(desc).get(name);
}

/** The path of a JSON value in errors: the contract's names as far as there are any, the client's own beyond. */
export function fieldAt(desc: DescMessage, path: JsonPath): string {
  let within: DescMessage | undefined = desc;
  let at = '';
  for (const step of path) {
    if (typeof step === 'number') {
      at += `[${step}]`;
      continue;
    }
    const field: DescField | undefined = within && fieldByName(within, step);
    at = join(at, field?.name ?? shown(step));
    within = field?.message;
  }
  return shown(at);
}

const nameCache = new WeakMap<DescMessage, Map<string, DescField>>();

function namesOf(desc: DescMessage): Map<string, DescField> {
  let names = nameCache.get(desc);
  if (!names) {
    names = new Map();
    for (const field of desc.fields) names.set(field.name, field).set(field.jsonName, field);
    nameCache.set(desc, names);
  }
  return names;
}

function checkMessage(desc: DescMessage, json: unknown, path: string): void {
  if (desc.typeName === 'google.protobuf.Timestamp') {
    if (typeof json !== 'string' || !isRfc3339(json)) throw wrong(path, 'must be a time like 2026-03-01T10:15:30Z');
    return;
  }
  if (desc.typeName === 'google.protobuf.FieldMask') {
    if (typeof json === 'string' && /^[A-Za-z0-9.,*]*$/.test(json)) return;
    throw wrong(path, 'must be names in camelCase with commas between them');
  }
  if (isProtobufs(desc)) return;
  if (!isObject(json)) throw wrong(path, 'must be a JSON object');
  const seen = new Set<DescField>();
  for (const [name, value] of Object.entries(json)) {
    const field = fieldByName(desc, name);
    const at = join(path, field?.name ?? shown(name));
    if (!field) throw fail('unknown_field', `there is no field ${at}`, { field: at });
    if (seen.has(field)) throw wrong(at, 'is given twice');
    seen.add(field);
    // In protobuf's JSON null means "not given"; elsewhere it means "remove". Nobody's guess is taken.
    if (value === null) throw wrong(at, 'must not be null: leave it out');
    if (field.oneof?.fields.some((other) => other !== field && seen.has(other))) {
      const { code, message, field: named } = oneOfViolation(field.oneof, field, path);
      throw fail(code, message, { field: named });
    }
    checkField(field, value, at);
  }
}

function checkField(field: DescField, value: unknown, at: string): void {
  switch (field.fieldKind) {
    case 'list':
      if (!Array.isArray(value)) throw wrong(at, 'must be a list');
      for (const [index, item] of value.entries()) {
        const itemAt = `${at}[${index}]`;
        if (field.listKind === 'message') checkMessage(field.message, item, itemAt);
        else if (field.listKind === 'scalar') checkScalar(field.scalar, item, itemAt);
      }
      return;
    case 'map':
      if (!isObject(value)) throw wrong(at, 'must be a JSON object');
      for (const [key, each] of Object.entries(value)) {
        const entryAt = join(at, shown(key));
        if (!key.isWellFormed()) throw wrong(entryAt, 'must have a key of well-formed text');
        if (field.mapKind === 'scalar') checkScalar(field.scalar, each, entryAt);
      }
      return;
    case 'message':
      checkMessage(field.message, value, at);
      return;
    case 'scalar':
      checkScalar(field.scalar, value, at);
      return;
    default:
      return;
  }
}

function checkScalar(scalar: ScalarType, value: unknown, at: string): void {
  switch (scalar) {
    case ScalarType.STRING:
      if (typeof value !== 'string') throw wrong(at, 'must be a string');
      // Half of a surrogate pair.
      if (!value.isWellFormed()) throw wrong(at, 'must be well-formed text');
      return;
    case ScalarType.BOOL:
      if (typeof value !== 'boolean') throw wrong(at, 'must be true or false');
      return;
    case ScalarType.INT32:
      if (!isInt32(value)) throw wrong(at, 'must be a whole number');
      return;
    default:
      return;
  }
}

/** A number, or (as protobuf's JSON allows) one in a string. */
function isInt32(value: unknown): boolean {
  const number = typeof value === 'string' && /^-?\d{1,10}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && Math.abs(number) <= 0x7fffffff;
}

const isProtobufs = ({ typeName }: DescMessage): boolean => typeName.startsWith('google.protobuf.');

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

function wrong(at: string, problem: string) {
  return at === ''
    ? fail('malformed_request', `the body ${problem}`)
    : fail('invalid_argument', `${at} ${problem}`, { field: at });
}

const form = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** Whether it is a time that exists, of the years 1 to 9999 in UTC as well: `2026-02-30` is none. */
export function isRfc3339(text: string): boolean {
  const [, year, month, day, hour, minute, second] = (form.exec(text) ?? []).map(Number);
  if (!year || !month || !day) return false;
  if ((hour ?? 24) > 23 || (minute ?? 60) > 59 || (second ?? 60) > 59) return false;
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  const utcYear = new Date(text).getUTCFullYear(); // NaN for an offset that there is not
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day && utcYear >= 1 && utcYear <= 9999;
}

/**
 * Throws `unknown_field` or `invalid_argument` with the parameter. Where the whole message is in the body, `open` is
 * false and every parameter is unknown: addresses are logged on the way, and numbers should not be in them.
 */
export function jsonFromQuery(desc: DescMessage, query: string, open = true): Record<string, unknown> {
  const json: Record<string, unknown> = {};
  if (query === '') return json;
  for (const [name, text] of new URLSearchParams(query)) {
    if (!open) throw unknown(name);
    put(json, desc, name, text);
  }
  return json;
}

function put(json: Record<string, unknown>, desc: DescMessage, name: string, text: string): void {
  const parts = name.split('.');
  let owner = json;
  let within = desc;
  let at = '';
  for (const [index, part] of parts.entries()) {
    const field = fieldByName(within, part);
    if (!field) throw unknown(name);
    at = join(at, field.name);
    if (index < parts.length - 1) {
      // A time is one text: protobuf's own types have no fields in JSON.
      if (field.fieldKind !== 'message' || isProtobufs(field.message)) throw unknown(name);
      const inner = owner[field.name] ?? {};
      if (!isObject(inner)) throw twice(at);
      owner[field.name] = inner;
      owner = inner;
      within = field.message;
    } else if (field.fieldKind === 'list') {
      const list = (owner[field.name] ?? []) as unknown[];
      owner[field.name] = [...list, jsonValue(field, text)];
    } else {
      if (owner[field.name] !== undefined) throw twice(at);
      owner[field.name] = jsonValue(field, text);
    }
  }
}

const twice = (field: string) => fail('invalid_argument', `${field} is given twice`, { field });

/** Text as the JSON type of its field; text of another form stays text, and is refused by name later. */
function jsonValue(field: DescField, text: string): unknown {
  const scalar = field.fieldKind === 'scalar' || field.fieldKind === 'list' ? field.scalar : undefined;
  if (scalar === ScalarType.BOOL && (text === 'true' || text === 'false')) return text === 'true';
  if (scalar === ScalarType.INT32 && /^-?\d{1,10}$/.test(text)) return Number(text);
  return text;
}

function unknown(name: string) {
  const field = shown(name);
  return fail('unknown_field', `there is no query parameter ${field}`, { field });
}
