// What a sample calls and with what: one operation with the short form of its own example. Every language writes the same call.

import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { camel, type Operation, type Resource, snake } from '../client.ts';
import type { Contract, HttpRule } from '../contract.ts';
import type { Examples } from '../example.ts';
import type { Json, JsonObject } from '../schema.ts';

/** A field with its value. */
export interface Argument {
  field: DescField;
  value: Json;
}

export interface Call {
  resource: Resource;
  operation: Operation;
  /** By which REST reaches it, streams too. */
  http: HttpRule;
  /** The answer is many: pages, or a stream. */
  isLoop: boolean;
  /** What stands in the path, in its order. */
  path: { field: DescField; value: string }[];
  /** The rest, in the order of the contract. */
  given: Argument[];
  /** It wants the admin token in place of an API key. */
  isAdmin: boolean;
  /** snake_case: what the answer is kept as; none where there is nothing in it. */
  result: string | undefined;
}

/** Shown of what is all optional: enough to see how it is written. */
const mostOptional = 2;

export function callOf(contract: Contract, examples: Examples, resource: Resource, operation: Operation): Call {
  const { method, pathFields, otherFields, kind, answer, items, access } = operation;
  const of = (field: DescField) => String(contract.rules(field)?.example || field.name);
  return {
    resource,
    operation,
    http: contract.http(method) as HttpRule,
    isLoop: kind !== 'unary',
    path: pathFields.map((field) => ({ field, value: of(field) })),
    given: kind === 'list' ? pageOf(contract, otherFields) : bodyOf(examples, method.input, pathFields, otherFields),
    isAdmin: access === 'admin' || access === 'registration',
    result: resultOf(items?.message ?? answer),
  };
}

/** Lists are shown by the page: filters are in the reference beside the sample. */
function pageOf(contract: Contract, fields: readonly DescField[]): Argument[] {
  return fields
    .filter(({ name }) => name === 'page_size')
    .map((field) => ({ field, value: JSON.parse(contract.rules(field)?.example || '20') as Json }));
}

function bodyOf(
  examples: Examples,
  message: DescMessage,
  path: readonly DescField[],
  fields: readonly DescField[],
): Argument[] {
  const { minimal, full } = examples.request(message, new Set(path.map(({ name }) => name)));
  const values = ((minimal ?? full) as { value: JsonObject } | undefined)?.value ?? {};
  const given = fields.flatMap((field): Argument[] => {
    const value = values[field.name];
    return value === undefined ? [] : [{ field, value }];
  });
  // Times and messages would make a sample longer than what it shows.
  return minimal ? given : given.filter(({ field }) => !field.message).slice(0, mostOptional);
}

/** Answers without a noun of their own. */
const results: Readonly<Record<string, string>> = {
  SendResponse: 'session',
  GetMeasuresResponse: 'measures',
  WatchSessionResponse: 'state',
};

function resultOf({ name, fields }: DescMessage): string | undefined {
  if (fields.length === 0) return undefined;
  return results[name] ?? (name.endsWith('Response') ? 'answer' : snake(name));
}

/** `given` as an object of the contract, by the names that `nameOf` gives. */
export const objectOf = (given: readonly Argument[], nameOf = (name: string): string => name): JsonObject =>
  Object.fromEntries(given.map(({ field, value }) => [nameOf(field.name), value]));

/** The keys of a value in camelCase, at every depth. */
export function camelKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(camelKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [camel(name), camelKeys(each)]));
}

/** A longer line is broken. What is read in a narrow column has less room than a file. */
const width = 88;

/** `before(a, b)after` where it fits into a line behind `indent`, else one entry a line, each ending with `comma`. */
export function broken(
  [before, after]: readonly [string, string],
  entries: readonly string[],
  indent: string,
  step = '    ',
): string {
  const line = `${indent}${before}${entries.join(', ')}${after}`;
  if (line.length <= width || entries.length < 2) return line;
  return [
    `${indent}${before.trimEnd()}`,
    ...entries.map((each) => `${indent}${step}${each},`),
    `${indent}${after.trimStart()}`,
  ].join('\n');
}
