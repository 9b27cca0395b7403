// A call by the Go SDK: a whole program, as gofmt would leave it.

import type { DescField } from '@bufbuild/protobuf';
import { modulePath } from '../go/module.ts';
import { fields, goName, parameterName } from '../go/text.ts';
import { goField, typeOf } from '../go/types.ts';
import type { Model } from '../model.ts';
import type { Json, JsonObject } from '../schema.ts';
import type { Call } from './call.ts';

export function go(call: Call, model: Model): string {
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
    ...statements(call, model),
    '}',
  ].join('\n');
}

const failing = (indent: string): string[] => [`${indent}if err != nil {`, `${indent}\tlog.Fatal(err)`, `${indent}}`];

function statements(call: Call, model: Model): string[] {
  const { isLoop, result } = call;
  const name = parameterName(result ?? '');
  const line = (before: string, after: string) => called(before, call, model, after);
  const printed = `fmt.Printf("%+v\\n", ${name})`;
  if (isLoop) return [...line(`for ${name}, err := range `, ' {'), ...failing('\t\t'), `\t\t${printed}`, '\t}'];
  if (result === undefined) return [...line('if err := ', '; err != nil {'), '\t\tlog.Fatal(err)', '\t}'];
  return [...line(`${name}, err := `, ''), ...failing('\t'), `\t${printed}`];
}

/** A longer call has a line for each field of its request. */
const width = 100;

function called(before: string, { resource, operation, path, given }: Call, model: Model, after: string): string[] {
  const { method, otherFields } = operation;
  const values = ['context.Background()', ...path.map(({ value }) => JSON.stringify(value))];
  const open = `\t${before}client.${goName(resource.name)}.${goName(operation.name)}(${values.join(', ')}`;
  if (otherFields.length === 0) return [`${open})${after}`];
  const type = `&ramz.${goName(method.input.name)}`;
  const entries = given.map(({ field, value }): [string, string] => [
    goName(field.name),
    literal(model, field, value, true),
  ]);
  const line = `${open}, ${type}{${entries.map(([field, value]) => `${field}: ${value}`).join(', ')}})${after}`;
  if (line.length <= width) return [line];
  return [`${open}, ${type}{`, fields(entries, '\t\t'), `\t})${after}`];
}

function literal(model: Model, field: DescField, value: Json, isRequest = false): string {
  const one = typeOf(model, field);
  const type = /^[A-Z]/.test(one) ? `ramz.${one}` : one;
  if (Array.isArray(value)) return `[]${type}{${value.map((each) => item(model, field, each)).join(', ')}}`;
  if (field.fieldKind === 'map') return `map[string]${type}${entriesOf(value as JsonObject, JSON.stringify)}`;
  if (field.message) return `&${type}${item(model, field, value)}`;
  const text = JSON.stringify(value);
  return goField(model, field, isRequest).type.startsWith('*') ? `ramz.Ptr(${text})` : text;
}

function item(model: Model, field: DescField, value: Json): string {
  if (!field.message) return JSON.stringify(value);
  const inner = new Map(field.message.fields.map((each) => [each.name, each]));
  return entriesOf(value as JsonObject, goName, (name, each) => {
    const own = inner.get(name);
    if (!own) throw new Error(`${field.name} has no ${name}`);
    return literal(model, own, each);
  });
}

/** `{A: 1, B: 2}` */
function entriesOf(
  value: JsonObject,
  nameOf: (name: string) => string,
  write: (name: string, each: Json) => string = (_, each) => JSON.stringify(each),
): string {
  const entries = Object.entries(value).map(([name, each]) => `${nameOf(name)}: ${write(name, each)}`);
  return `{${entries.join(', ')}}`;
}
