// Schemas of openapi.json as tables of fields, for the page at /docs. A field shows its rules beside its description, because readers of
// the contract look for both at once.

import { type Html, html, inline, slug } from '../../pages/html.ts';

/** A table of an object's fields; a link where the object is described elsewhere. */
export function fieldTable(schema: Schema): Html {
  if (schema.$ref) return html`<p>${typeName(schema)}</p>`;
  if (schema.discriminator) return html`<ul>${schema.oneOf?.map((each) => html`<li>${typeName(each)}</li>`)}</ul>`;
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return html`<p class="quiet">No fields.</p>`;
  const required = new Set(schema.required);
  return html`<table>${fields.map(([name, field]) => fieldRow(name, field, required.has(name)))}</table>${between(schema)}`;
}

export function fieldRow(name: string, field: Schema, required: boolean): Html {
  const example = field.examples?.[0];
  const shown = typeof example === 'string' ? example : JSON.stringify(example);
  return html`<tr>
<td><code>${name}</code>${required && html` <span class="need">always</span>`}<br><span class="quiet">${typeName(field)}</span></td>
<td>${field.description && inline(field.description)} ${rules(field)}${shown && html` <span class="quiet">e.g.</span> <code>${shown}</code>`}</td>
</tr>`;
}

function typeName(schema: Schema): Html {
  if (schema.$ref) return html`<a href="#schema-${slug(refName(schema.$ref))}">${refName(schema.$ref)}</a>`;
  if (schema.type === 'array') return html`list of ${typeName(schema.items ?? {})}`;
  if (schema.format === 'date-time') return html`time (RFC 3339)`;
  return html`${schema.type ?? 'any'}`;
}

function rules(schema: Schema): Html {
  const said = [
    words(schema.enum, 'One of'),
    words(schema['x-known-values'], 'Known words:'),
    span(schema.minimum, schema.maximum, ''),
    span(schema.minLength, schema.maxLength, ' characters'),
    span(schema.minItems, schema.maxItems, ' items'),
    schema.items ? rules(schema.items) : undefined,
  ];
  return html`${said}`;
}

const words = (list: string[] | undefined, lead: string): Html | undefined =>
  list &&
  html` <span class="quiet">${lead}</span> ${list.map((word, index) => html`${index > 0 && ', '}<code>${word}</code>`)}.`;

function span(least: number | undefined, most: number | undefined, unit: string): Html | undefined {
  if (least === undefined && most === undefined) return undefined;
  if (least === undefined) return html` At most ${most}${unit}.`;
  return most === undefined ? html` At least ${least}${unit}.` : html` ${least} to ${most}${unit}.`;
}

function between(schema: Schema): Html | undefined {
  const one = schema.oneOf?.flatMap((each) => each.required ?? []);
  if (one?.length) return html`<p>Exactly one of ${one.map((name) => html`<code>${name}</code> `)}must be given.</p>`;
  const both = schema.not?.required;
  return both && html`<p>No more than one of ${both.map((name) => html`<code>${name}</code> `)}may be given.</p>`;
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
  not?: Schema;
  enum?: string[];
  'x-known-values'?: string[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  examples?: unknown[];
}

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
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
  'x-value-sets': Record<string, { description: string; values: Record<string, string> }>;
}

/** `#/components/schemas/Session` → `Session`. */
export const refName = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);
