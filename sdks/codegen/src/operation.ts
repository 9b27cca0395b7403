// One method of the contract as an operation of OpenAPI: parameters, body, answer, and every error it can give.

import type { DescField, DescMethod } from '@bufbuild/protobuf';
import { type Contract, comment, type HttpRule, isMask, type MethodRules } from './contract.ts';
import { errorsOf, limitHeaders, requestIdHeader } from './error.ts';
import type { Examples } from './example.ts';
import type { JsonObject, Schemas } from './schema.ts';

/** What operations are made from. */
export interface Source {
  contract: Contract;
  schemas: Schemas;
  examples: Examples;
  samples: (method: DescMethod) => JsonObject[];
}

export function operationOf(source: Source, method: DescMethod, rule: HttpRule): JsonObject {
  const { contract, schemas } = source;
  const rules = contract.methodRules(method);
  const inPath = new Set([...rule.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string));
  const rest = method.input.fields.filter((field) => !inPath.has(field.name) && !isMask(field));
  const hasBody = rule.body !== '' && rest.length > 0;
  const parameters = [
    ...method.input.fields.filter((field) => inPath.has(field.name)).map((field) => parameter(schemas, field, 'path')),
    ...(hasBody ? [] : rest.map((field) => parameter(schemas, field, 'query'))),
    ...(rules.idempotencyKey ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(isStream(method) ? [{ $ref: '#/components/parameters/LastEventId' }] : []),
  ];
  return {
    operationId: lowerFirst(method.name),
    tags: [tagOf(method.parent.name)],
    summary: rules.title || firstSentence(comment(method)),
    description: comment(method),
    ...(rules.scope || rules.adminScope ? { 'x-scope': rules.scope || rules.adminScope } : {}),
    security: securityOf(rules),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(hasBody ? { requestBody: bodyOf(source, method, inPath) } : {}),
    responses: {
      ...(isStream(method) ? eventsOf(source, method, rules) : { '200': answerOf(source, method, rule, rules) }),
      ...errorsOf(contract, rules, hasBody),
    },
    'x-codeSamples': source.samples(method),
  };
}

const isStream = ({ methodKind }: DescMethod): boolean => methodKind === 'server_streaming';

/** What people call them; a new service goes by its own name until it has a line here. */
const tags: Readonly<Record<string, string>> = {
  AccountService: 'Accounts',
  AdminService: 'Administration',
  AuditService: 'Audit log',
  ApiKeyService: 'API keys',
  LimitListService: 'Allow and block lists',
  SenderIdService: 'Sender names',
  WabaService: 'WhatsApp account',
  WebhookEndpointService: 'Webhook endpoints',
};

/** `WebhookEndpointService` → `Webhook endpoints`. */
export const tagOf = (service: string): string =>
  tags[service] ?? service.replace(/Service$/, '').replace(/([a-z])([A-Z])/g, '$1 $2');

const lowerFirst = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/** What stands in for a title until the contract has one. */
function firstSentence(text: string): string {
  const first = /^(.*?[.:])(\s|$)/s.exec(text)?.[1] ?? text;
  return first.replace(/[.:]$/, '');
}

function parameter(schemas: Schemas, field: DescField, where: 'path' | 'query'): JsonObject {
  const { description = '', examples, 'x-default': usual, ...schema } = schemas.field(field, 'request');
  const example = Array.isArray(examples) ? { example: examples[0] ?? null } : {};
  return {
    name: field.name,
    in: where,
    description,
    ...(where === 'path' ? { required: true } : {}),
    schema: usual === undefined ? schema : { ...schema, default: usual },
    ...example,
  };
}

function bodyOf({ contract, schemas, examples }: Source, method: DescMethod, inPath: ReadonlySet<string>): JsonObject {
  const { input } = method;
  const isNeeded = (field: DescField) => !inPath.has(field.name) && (contract.rules(field)?.required ?? false);
  // A body that may be empty may be missing, too.
  const required = input.fields.some(isNeeded) || contract.groups(input).some((group) => group.required);
  const schema = schemas.reference(input, 'request', inPath);
  return { required, content: { 'application/json': { schema, examples: examples.request(input, inPath) } } };
}

function answerOf(
  { schemas, examples }: Source,
  method: DescMethod,
  { responseBody }: HttpRule,
  rules: MethodRules,
): JsonObject {
  const whole = method.output.fields.find((field) => field.name === responseBody);
  const message = whole?.message ?? method.output;
  return {
    description: comment(whole ?? method.output),
    headers: {
      ...requestIdHeader,
      ...limitHeaders(rules),
      ...(rules.idempotencyKey ? { 'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' } } : {}),
    },
    content: {
      'application/json': { schema: schemas.reference(message, 'answer'), example: examples.answer(message, method) },
    },
  };
}

/** OpenAPI 3.1 has no words for events: their format is in the description, the schema of their data in `x-event-data`. */
function eventsOf({ schemas, examples }: Source, method: DescMethod, rules: MethodRules): JsonObject {
  const data = examples.answer(method.output, method);
  const { event_id } = data as { event_id?: string };
  return {
    '200': {
      description: streamText,
      headers: { ...requestIdHeader, ...limitHeaders(rules) },
      content: {
        'text/event-stream': {
          schema: { type: 'string' },
          example: `retry: 1000\n\nid: ${event_id}\ndata: ${JSON.stringify(data)}\n\n:\n\nevent: end\ndata: {}\n\n`,
          'x-event-data': schemas.reference(method.output, 'answer'),
        },
      },
    },
    '204': {
      description: 'The session is over, and `Last-Event-ID` is its last event: do not connect again.',
      headers: requestIdHeader,
    },
  };
}

const streamText = [
  'Server-Sent Events (WHATWG HTML, section 9.2). The `data` of each event without a name is a JSON object, its `id` is the',
  '`event_id` in it. The last event is named `end`: its data is `{}` if the stream is complete, and `{"error": …}`, as in an',
  'error response, if it ends early. A comment is sent every 15 seconds.',
].join(' ');

function securityOf({ access }: MethodRules): JsonObject[] {
  switch (access) {
    case 'key':
      return [{ apiKey: [] }];
    case 'admin':
      return [{ adminToken: [] }];
    case 'registration':
      return [{ adminToken: [] }, {}];
    default:
      return [];
  }
}
