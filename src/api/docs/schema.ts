// Schemas of openapi.json as tables of fields, for the page at /docs. A field shows its rules beside its description, because readers of
// the contract look for both at once.

import { type Html, html, inline, slug } from '../../pages/html.ts';

/** The schema itself where it is a reference. */
export type Named = (schema: Schema) => Schema;

/** A table of an object's fields; a link where the object is described elsewhere. */
export function fieldTable(schema: Schema, named: Named): Html {
  if (schema.$ref) return html`<p>${typeName(schema, named)}</p>`;
  if (schema.discriminator)
    return html`<ul>${schema.oneOf?.map((each) => html`<li>${typeName(each, named)}</li>`)}</ul>`;
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return html`<p class="quiet">No fields.</p>`;
  const required = new Set(schema.required);
  // Requests are closed, responses are open.
  const mark = schema.additionalProperties === false ? 'required' : 'always present';
  const row = ([name, field]: [string, Schema]) => fieldRow({ name, field, mark: required.has(name) && mark }, named);
  return html`<table>${fields.map(row)}</table>`;
}

export interface Row {
  name: string;
  field: Schema;
  /** Shown beside the name; false: nothing is. */
  mark: string | false;
}

export function fieldRow({ name, field, mark }: Row, named: Named): Html {
  const example = field.examples?.[0];
  const shown = typeof example === 'string' ? example : JSON.stringify(example);
  return html`<tr>
<td><code>${name}</code>${mark && html` <span class="need">${mark}</span>`}<br><span class="quiet">${typeName(field, named)}</span></td>
<td>${field.description && inline(field.description)} ${rules(field, named)}${shown && html` <span class="quiet">e.g.</span> <code>${shown}</code>`}</td>
</tr>`;
}

/** Value sets are named, but to a reader they are text with a list of values beside it. */
export const isObject = ({ type, oneOf }: Schema): boolean => type === 'object' || oneOf !== undefined;

function typeName(schema: Schema, named: Named): Html {
  if (schema.$ref && isObject(named(schema)))
    return html`<a href="#schema-${slug(refName(schema.$ref))}">${refName(schema.$ref)}</a>`;
  const { type, items, format } = named(schema);
  if (type === 'array') return html`list of ${typeName(items ?? {}, named)}`;
  if (format === 'date-time') return html`time (RFC 3339)`;
  return html`${type ?? 'any'}`;
}

function rules(field: Schema, named: Named): Html {
  // Those of an object stand with the object.
  const schema = field.$ref && !isObject(named(field)) ? { ...named(field), ...field } : field;
  const said = [
    words(schema.enum, 'One of'),
    words(schema['x-extensible-enum'], 'Known values:'),
    span(schema.minimum, schema.maximum, ''),
    span(schema.minLength, schema.maxLength, ' characters'),
    span(schema.minItems, schema.maxItems, ' items'),
    usual(schema.default ?? schema['x-default']),
    schema.items ? rules(schema.items, named) : undefined,
  ];
  return html`${said}`;
}

const words = (list: string[] | undefined, lead: string): Html | undefined =>
  list &&
  html` <span class="quiet">${lead}</span> ${list.map((word, index) => html`${index > 0 && ', '}<code>${word}</code>`)}.`;

/** One value, or one for each channel. */
function usual(value: Schema['default']): Html | undefined {
  if (value === undefined) return undefined;
  const each = typeof value === 'object' ? Object.entries(value).map(([name, one]) => `${one} (${name})`) : [value];
  return html` <span class="quiet">Default</span> ${each.join(', ')}.`;
}

function span(least: number | undefined, most: number | undefined, unit: string): Html | undefined {
  if (least === undefined && most === undefined) return undefined;
  if (least === undefined) return html` At most ${most}${unit}.`;
  return most === undefined ? html` At least ${least}${unit}.` : html` ${least} to ${most}${unit}.`;
}

export interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  oneOf?: Schema[];
  discriminator?: { propertyName: string };
  additionalProperties?: boolean;
  enum?: string[];
  'x-extensible-enum'?: string[];
  default?: Usual;
  /** Stands in bodies in place of `default`. */
  'x-default'?: Usual;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  examples?: unknown[];
}

/** The value that holds where a field is absent; where it depends on the channel, one for each. */
type Usual = string | number | Record<string, number>;

export interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
}

export interface Content {
  description?: string;
  /** The second in place of the first. */
  content?: { 'application/json': { schema: Schema }; 'text/event-stream'?: { 'x-event-data': Schema } };
  'x-error-codes'?: string[];
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  'x-scope'?: string;
  'x-codeSamples'?: { lang: string; label: string; source: string }[];
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content>;
}

/** The part of our own OpenAPI document that the page reads. It is generated, so its shape is known. */
export interface OpenApi {
  info: { title: string; version: string; summary: string; description: string };
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
  'x-value-sets': Record<string, { description: string; values: Record<string, string> }>;
}

/** `#/components/schemas/Session` → `Session`. */
export const refName = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);
