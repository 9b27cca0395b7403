// A call by the Go SDK: a whole program, as gofmt would leave it.

import { type DescField, ScalarType } from '@bufbuild/protobuf';
import { pascal } from '../client.ts';
import { modulePath } from '../go/module.ts';
import { fieldName, fields, parameterName } from '../go/text.ts';
import type { Json, JsonObject } from '../schema.ts';
import type { Call } from './call.ts';

export function go(call: Call): string {
  const { isAdmin } = call;
  const imports = ['context', 'fmt', 'log', ...(isAdmin ? ['os'] : [])]
    .filter((name) => name !== 'fmt' || call.result !== undefined)
    .map((name) => `\t${JSON.stringify(name)}`);
  const client = isAdmin
    ? '\tclient, err := ramz.NewClient(ramz.WithAPIKey(os.Getenv("RAMZ_ADMIN_TOKEN")))'
    : '\tclient, err := ramz.NewClient() // RAMZ_BASE_URL and RAMZ_API_KEY';
  return [
    'package main',
    '',
    'import (',
    ...imports,
    '',
    `\tramz ${JSON.stringify(modulePath)}`,
    ')',
    '',
    'func main() {',
    client,
    ...failing('\t'),
    ...statements(call),
    '}',
  ].join('\n');
}

const failing = (indent: string): string[] => [`${indent}if err != nil {`, `${indent}\tlog.Fatal(err)`, `${indent}}`];

function statements(call: Call): string[] {
  const { operation, result } = call;
  const name = result === undefined ? '_' : parameterName(result);
  if (operation.kind === 'list')
    return [...called(`for ${name}, err := range `, call, ' {'), ...failing('\t\t'), `\t\tfmt.Println(${name})`, '\t}'];
  if (result === undefined) return [...called('if _, err := ', call, '; err != nil {'), '\t\tlog.Fatal(err)', '\t}'];
  return [...called(`${name}, err := `, call, ''), ...failing('\t'), `\tfmt.Println(${name})`];
}

/** A longer call has a line for each field of its request. */
const width = 100;

function called(before: string, { resource, operation, path, given }: Call, after: string): string[] {
  const { method, otherFields } = operation;
  const values = ['context.Background()', ...path.map(({ value }) => JSON.stringify(value))];
  const open = `\t${before}client.${pascal(resource.name)}.${pascal(operation.name)}(${values.join(', ')}`;
  if (otherFields.length === 0) return [`${open})${after}`];
  const type = `&ramz.${method.input.name}`;
  const entries = given.map(({ field, value }): [string, string] => [fieldName(field.name), literal(field, value)]);
  const line = `${open}, ${type}{${entries.map(([field, value]) => `${field}: ${value}`).join(', ')}})${after}`;
  if (line.length <= width) return [line];
  return [`${open}, ${type}{`, fields(entries, '\t\t'), `\t})${after}`];
}

function literal(field: DescField, value: Json): string {
  if (Array.isArray(value)) {
    const type = field.message ? `*ramz.${field.message.name}` : scalarType(field);
    return `[]${type}{${value.map((each) => item(field, each)).join(', ')}}`;
  }
  if (field.message) return `&ramz.${field.message.name}${members(field, value as JsonObject)}`;
  const text = JSON.stringify(value);
  if (!field.proto.proto3Optional) return text;
  return scalarType(field) === 'int32' ? `ramz.Ptr(int32(${text}))` : `ramz.Ptr(${text})`;
}

const item = (field: DescField, value: Json): string =>
  field.message ? members(field, value as JsonObject) : JSON.stringify(value);

function members(field: DescField, value: JsonObject): string {
  const inner = new Map(field.message?.fields.map((each) => [each.name, each]));
  const entries = Object.entries(value).map(([name, each]) => {
    const own = inner.get(name);
    if (!own) throw new Error(`${field.name} has no ${name}`);
    return `${fieldName(name)}: ${literal(own, each)}`;
  });
  return `{${entries.join(', ')}}`;
}

function scalarType(field: DescField): string {
  switch (field.scalar) {
    case ScalarType.STRING:
      return 'string';
    case ScalarType.BOOL:
      return 'bool';
    case ScalarType.INT32:
      return 'int32';
    default:
      return 'float64';
  }
}
