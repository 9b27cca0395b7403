// The OpenAPI 3.1 document: operations from the services, webhooks from the event types, and what they share.

import type { DescMessage } from '@bufbuild/protobuf';
import { type Contract, comment, type EventType } from './contract.ts';
import { operationOf, tagOf } from './operation.ts';
import { createSchemas, type JsonObject, type Schemas } from './schema.ts';

export function openapi(contract: Contract): JsonObject {
  const schemas = createSchemas(contract);
  const paths = pathsOf(contract, schemas);
  const webhooks = webhooksOf(contract, schemas);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ramz',
      version: 'v1',
      summary: 'Verifies that somebody controls a phone number.',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      {
        url: '{base_url}',
        description: 'Your deployment',
        variables: { base_url: { default: 'http://localhost:8080' } },
      },
    ],
    tags: contract.services.map((service) => ({ name: tagOf(service.name), description: comment(service) })),
    security: [{ apiKey: [] }],
    paths,
    webhooks,
    components: {
      schemas: { ...schemas.components(), Error: errorSchema(contract) },
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `Authorization: Bearer <key>`.' },
        adminToken: { type: 'http', scheme: 'bearer', description: 'The admin token of the deployment.' },
      },
      parameters: { IdempotencyKey: idempotencyKey },
      headers: sharedHeaders,
    },
    'x-value-sets': Object.fromEntries(
      contract.valueSets.map(({ name, description, values }) => [
        name,
        { description, values: Object.fromEntries(values.map((value) => [value.name, value.description])) },
      ]),
    ),
  };
}

const introduction = [
  'One call sends a one-time code, one call checks it. All requests and answers are JSON; field names are snake_case,',
  'and camelCase is understood too. Unknown fields are refused. Words in answers (statuses, reasons, types) may grow:',
  'accept those you do not know. Every answer has an `X-Request-Id`.',
].join(' ');

const idempotencyKey: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes the call safe to repeat for 24 hours: the same key and request give the same answer, and have their effect once.',
  schema: { type: 'string', minLength: 1, maxLength: 256 },
};

const sharedHeaders: JsonObject = {
  RequestId: { description: 'Identifies the call, in logs too.', schema: { type: 'string' } },
  RetryAfter: { description: 'Seconds after which it makes sense to try again.', schema: { type: 'integer' } },
  WwwAuthenticate: { description: 'How to authenticate (RFC 6750).', schema: { type: 'string' } },
};

function pathsOf(contract: Contract, schemas: Schemas): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const method of contract.services.flatMap((service) => service.methods)) {
    const rule = contract.http(method);
    if (rule) paths[rule.path] = { ...paths[rule.path], [rule.verb]: operationOf(contract, schemas, method, rule) };
  }
  return paths;
}

function webhooksOf(contract: Contract, schemas: Schemas): JsonObject {
  const envelope = contract.message('ramz.v1.WebhookEvent');
  return Object.fromEntries(
    contract.eventTypes.map((type) => [type.name, { post: webhookOf(contract, schemas, envelope, type) }]),
  );
}

function webhookOf(contract: Contract, schemas: Schemas, envelope: DescMessage, type: EventType): JsonObject {
  const data = schemas.reference(contract.message(type.data), 'answer');
  const schema = {
    allOf: [schemas.reference(envelope, 'answer')],
    properties: { type: { const: type.name }, data },
  };
  const header = (name: string, description: string): JsonObject => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
  });
  return {
    operationId: `on${type.name.replace(/(^|[._])([a-z])/g, (_, __, letter: string) => letter.toUpperCase())}`,
    tags: ['Webhook Endpoint'],
    summary: type.description.replace(/\.$/, ''),
    description: type.description,
    parameters: [
      header('webhook-id', 'Identifies the event; the same on every retry.'),
      header('webhook-timestamp', 'When this attempt was made, in Unix seconds.'),
      header(
        'webhook-signature',
        '`v1,` and the base64 HMAC-SHA-256 over `id.timestamp.body`; several while a secret is rotated.',
      ),
    ],
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: {
      '2XX': { description: 'Received. Anything else is a failure and is tried again.' },
      '410': { description: 'Switches the endpoint off.' },
    },
  };
}

function errorSchema(contract: Contract): JsonObject {
  const text = (description: string): JsonObject => ({ type: 'string', description });
  return {
    type: 'object',
    description: 'What every error looks like.',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message', 'request_id'],
        properties: {
          code: {
            ...text('What went wrong, for programs.'),
            'x-known-values': contract.errorCodes.map(({ name }) => name),
          },
          message: text('What went wrong, for people. Its wording may change.'),
          field: text('The field at fault, e.g. `cascade[0].timeout_seconds`.'),
          request_id: text('Identifies the call.'),
          session_id: text('The session that stands in the way, with 429 and 409 of send.'),
          resend_after: { ...text('When the next send may come, with 429 of send.'), format: 'date-time' },
        },
        additionalProperties: { type: 'string' },
      },
    },
  };
}
