// The OpenAPI 3.1 document: operations from the services, webhooks from the event types, and what they share.

import { type Contract, comment, type EventType } from './contract.ts';
import { errorSchemas, requestIdExample } from './error.ts';
import { eventName, eventSchemas } from './event.ts';
import { createExamples, type Examples } from './example.ts';
import { operationOf, tagOf } from './operation.ts';
import { createSamples } from './samples/samples.ts';
import { createSchemas, type JsonObject, type Schemas } from './schema.ts';

export function openapi(contract: Contract): JsonObject {
  const schemas = createSchemas(contract);
  const examples = createExamples(contract);
  const paths = pathsOf(contract, schemas, examples);
  const webhooks = webhooksOf(contract, examples);
  const events = eventSchemas(contract, schemas);
  const errors = errorSchemas(contract, schemas);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ramz',
      version: 'v1',
      summary: 'Verifies that a user controls a phone number.',
      description: introduction,
      contact: { name: 'The operator of the service' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      {
        url: '{base_url}',
        description: 'Your deployment',
        variables: { base_url: { default: 'http://localhost:8080' } },
      },
    ],
    tags: [
      ...contract.services.map((service) => ({ name: tagOf(service.name), description: comment(service) })),
      { name: webhooksTag, description: 'Requests that the service makes to your webhook endpoints.' },
    ],
    security: [{ apiKey: [] }],
    paths,
    webhooks,
    components: {
      schemas: { ...schemas.components(), ...events, ...errors },
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `Authorization: Bearer <key>`.' },
        adminToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token of an administrator of the deployment: `Authorization: Bearer <token>`.',
        },
      },
      parameters: { IdempotencyKey: idempotencyKey, LastEventId: lastEventId },
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
  'One call sends a one-time code, another checks it. Requests and responses are JSON; field names are snake_case, and',
  'camelCase is accepted too. Unknown fields are refused, and so is `null`: leave out what is not given. A `PATCH` changes',
  'what its body names and nothing else; an empty list clears the field. New values may come in responses (statuses, reasons,',
  'types): accept those you do not know. Every response has an `X-Request-Id`.',
].join(' ');

const idempotencyKey: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes the call safe to repeat for 24 hours: the same key and request get the same response, and take effect once.',
  // Printable ASCII.
  schema: { type: 'string', minLength: 1, maxLength: 256, pattern: '^[ -~]*$' },
  example: '4f6c1c1e-0f0e-4d0c-9a54-6c1d5f4f8a1b',
};

const lastEventId: JsonObject = {
  name: 'Last-Event-ID',
  in: 'header',
  description: 'The `id` of the last event received: the stream continues after it. Browsers send it automatically.',
  schema: { type: 'string', pattern: '^[0-9]{1,9}-[0-9]{1,9}$' },
  example: '1-2',
};

const sharedHeaders: JsonObject = {
  RequestId: {
    description: 'Identifies the call, in logs too.',
    required: true,
    schema: { type: 'string' },
    example: requestIdExample,
  },
  IdempotentReplayed: {
    description:
      '`true` if this is the response to an earlier call with the same `Idempotency-Key`: this call had no effect of its own. Otherwise absent.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  RateLimit: {
    description:
      'What remains of each limit that the call counts against, and in how many seconds one more is available (draft-ietf-httpapi-ratelimit-headers-11). A hint: other clients of the account share the limits.',
    schema: { type: 'string' },
    example: '"calls";r=199;t=1, "sends";r=42;t=1',
  },
  RateLimitPolicy: {
    description: 'The limits: at most `q` at once, and `q` in `w` seconds.',
    schema: { type: 'string' },
    example: '"calls";q=200;w=1, "sends";q=100;w=2',
  },
  RetryAfter: {
    description: 'Seconds to wait before the next attempt.',
    schema: { type: 'integer', minimum: 1 },
    example: 30,
  },
  WwwAuthenticate: {
    description: 'How to authenticate (RFC 6750).',
    required: true,
    schema: { type: 'string' },
    example: 'Bearer realm="ramz", error="invalid_token"',
  },
};

function pathsOf(contract: Contract, schemas: Schemas, examples: Examples): JsonObject {
  const paths: Record<string, JsonObject> = {};
  const samples = createSamples(contract, examples);
  for (const method of contract.services.flatMap((service) => service.methods)) {
    const rule = contract.http(method);
    if (!rule) continue;
    const operation = operationOf({ contract, schemas, examples, samples }, method, rule);
    const called = method.name === 'CreateWebhookEndpoint' ? { callbacks } : {};
    paths[rule.path] = { ...paths[rule.path], [rule.verb]: { ...operation, ...called } };
  }
  return paths;
}

/** Not the tag of the endpoints' operations: openapi-generator writes a file for each tag, and one for the webhooks of it over the same. */
const webhooksTag = 'Webhooks';

const received: JsonObject = {
  '2XX': { description: 'Received. Any other response is a failure, and the event is sent again.' },
  '410': { description: 'Disables the endpoint.' },
};

/** Ties `webhooks` to the operations: oapi-codegen drops a schema that no operation leads to, and makes code for it all the same. */
const callbacks: JsonObject = {
  event: {
    '{$request.body#/url}': {
      post: {
        operationId: 'onEvent',
        tags: [webhooksTag],
        summary: 'Any event',
        description: 'Each type of event is one of the webhooks of this document.',
        security: [],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/WebhookEvent' } } },
        },
        responses: received,
      },
    },
  },
};

function webhooksOf(contract: Contract, examples: Examples): JsonObject {
  return Object.fromEntries(contract.eventTypes.map((type) => [type.name, { post: webhookOf(examples, type) }]));
}

function webhookOf(examples: Examples, type: EventType): JsonObject {
  const schema = { $ref: `#/components/schemas/${eventName(type)}` };
  const example = examples.event(type);
  return {
    operationId: `on${eventName(type).replace(/Event$/, '')}`,
    tags: [webhooksTag],
    summary: type.name,
    description: type.description,
    // The signature is what tells that it is genuine: no key of the API is in it.
    security: [],
    parameters: [
      header('webhook-id', 'Identifies the event; the same on every retry.', 'evt_01k6h2q9b2e0f3c8f1h4k7n0qv'),
      header('webhook-timestamp', 'Time of this attempt, in Unix seconds.', '1772360133'),
      header(
        'webhook-signature',
        '`v1,` and the base64 HMAC-SHA-256 over `id.timestamp.body`; several while a secret is rotated.',
        'v1,5c2+ogGuFmcHWtkXwtPrRPCvS5MyUpxWiRMZx/zjdnE=',
      ),
    ],
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses: received,
  };
}

const header = (name: string, description: string, example: string): JsonObject => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});
