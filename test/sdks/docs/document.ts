// The OpenAPI document as the running service serves it, and its schemas as functions that say what is wrong with a value.

import { Ajv2020 } from 'ajv/dist/2020.js';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export interface Content {
  content?: {
    'application/json': { schema: JsonObject; example?: Json; examples?: Record<string, { value: Json }> };
    /** In place of JSON. */
    'text/event-stream'?: { example: string; 'x-event-data': JsonObject };
  };
}
export interface Parameter {
  $ref?: string;
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: JsonObject;
  example?: Json;
}
export interface Operation {
  operationId: string;
  security?: JsonObject[];
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content & { headers?: Record<string, { $ref: string }>; 'x-error-codes'?: string[] }>;
}
export interface Document {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: {
    schemas: Record<string, JsonObject>;
    parameters: Record<string, Parameter>;
    headers: Record<string, { schema: JsonObject; required?: boolean; example?: Json }>;
  };
}

const base = process.env.RAMZ_BASE_URL;
if (!base) throw new Error('RAMZ_BASE_URL is not set: run by test/sdks/run.ts');

export const document = (await (await fetch(`${base}/openapi.json`)).json()) as Document;

export interface Route {
  verb: string;
  path: string;
  operation: Operation;
}

export const routes: readonly Route[] = Object.entries(document.paths).flatMap(([path, verbs]) =>
  Object.entries(verbs).map(([verb, operation]) => ({ verb, path, operation })),
);

/** What is wrong with a value, as one text; undefined where nothing is. */
export type Check = (schema: JsonObject, value: unknown) => string | undefined;

/** The schema itself where it is a reference. */
export const resolved = (schema: JsonObject): JsonObject =>
  document.components.schemas[String(schema.$ref ?? '').replace('#/components/schemas/', '')] ?? schema;

/** As clients must read it: what is not described may come. */
export const check: Check = checker(document);

/** As the service of the same version must write it: every member and every word is in the document. */
export const checkClosed: Check = checker(closed(document) as unknown as Document);

function checker(from: Document): Check {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allErrors: true });
  ajv.addVocabulary(['x-extensible-enum', 'x-default', 'components']);
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
  ajv.addFormat('int32', { type: 'number', validate: (value) => Math.abs(value) <= 2 ** 31 });
  ajv.addFormat('double', { type: 'number', validate: Number.isFinite });
  ajv.addSchema({ $id: 'https://ramz.test/document', components: { schemas: from.components.schemas } });
  return (schema, value) => {
    const absolute = JSON.parse(
      JSON.stringify(schema).replaceAll('"#/components/', '"https://ramz.test/document#/components/'),
    ) as JsonObject;
    const validate = ajv.compile(from === document ? absolute : (closed(absolute) as JsonObject));
    return validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'it' });
  };
}

/** The same schema without room for members and words that it does not name. Empty text is the absence of a word. */
function closed(node: Json | Document): Json {
  if (Array.isArray(node)) return node.map(closed);
  if (node === null || typeof node !== 'object') return node;
  const copy = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, closed(value)]));
  const words = copy['x-extensible-enum'];
  if (copy.type === 'string' && Array.isArray(words)) copy.enum = [...words, ''];
  if (copy.type === 'object' && copy.properties && copy.additionalProperties === undefined)
    copy.additionalProperties = false;
  return copy;
}
