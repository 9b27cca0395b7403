// The part of our own OpenAPI document that the page reads. It is generated, so its shape is known.

export interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  allOf?: Schema[];
  oneOf?: Schema[];
  not?: Schema;
  enum?: string[];
  const?: string;
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
  content?: { 'application/json': { schema: Schema } };
  'x-error-codes'?: string[];
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  'x-scope'?: string;
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content>;
}

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
