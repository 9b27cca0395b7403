// One method of the contract as an operation of OpenAPI: parameters, body, answer, and every error it can give.

import type { DescMethod } from '@bufbuild/protobuf';
import { type Contract, comment, type ErrorCode, type HttpRule, type MethodRules } from './contract.ts';
import type { JsonObject, Schemas } from './schema.ts';

export function operationOf(contract: Contract, schemas: Schemas, method: DescMethod, rule: HttpRule): JsonObject {
  const rules = contract.methodRules(method);
  const inPath = new Set([...rule.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string));
  const rest = method.input.fields.filter((field) => !inPath.has(field.name));
  const hasBody = rule.body !== '' && rest.length > 0;
  const parameters = [
    ...method.input.fields.filter((field) => inPath.has(field.name)).map((field) => parameter(schemas, field, 'path')),
    ...(hasBody ? [] : rest.map((field) => parameter(schemas, field, 'query'))),
    ...(rules.idempotencyKey ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ];
  return {
    operationId: lowerFirst(method.name),
    tags: [tagOf(method.parent.name)],
    ...summary(comment(method)),
    ...(rules.scope ? { 'x-scope': rules.scope } : {}),
    security: securityOf(rules),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(hasBody ? { requestBody: bodyOf(schemas, method, inPath) } : {}),
    responses: { '200': answerOf(schemas, method, rule), ...errorsOf(contract, rules, hasBody) },
  };
}

/** `WebhookEndpointService` → `Webhook Endpoint`. */
export const tagOf = (service: string): string => service.replace(/Service$/, '').replace(/([a-z])([A-Z])/g, '$1 $2');

const lowerFirst = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/** The first sentence for lists of operations, the whole for the reader. */
function summary(text: string): JsonObject {
  const first = /^(.*?[.:])(\s|$)/s.exec(text)?.[1] ?? text;
  return { summary: first.replace(/[.:]$/, ''), description: text };
}

function parameter(
  schemas: Schemas,
  field: DescMethod['input']['fields'][number],
  where: 'path' | 'query',
): JsonObject {
  const { description = '', examples, ...schema } = schemas.field(field, 'request');
  const example = Array.isArray(examples) ? { example: examples[0] ?? null } : {};
  return {
    name: field.name,
    in: where,
    description,
    ...(where === 'path' ? { required: true } : {}),
    schema,
    ...example,
  };
}

function bodyOf(schemas: Schemas, method: DescMethod, inPath: ReadonlySet<string>): JsonObject {
  const schema =
    inPath.size > 0 ? schemas.inline(method.input, 'request', inPath) : schemas.reference(method.input, 'request');
  const needed = Array.isArray(schema.required) || inPath.size === 0;
  return { required: needed, content: { 'application/json': { schema } } };
}

function answerOf(schemas: Schemas, method: DescMethod, { responseBody }: HttpRule): JsonObject {
  const whole = method.output.fields.find((field) => field.name === responseBody);
  const message = whole?.message ?? method.output;
  return {
    description: comment(whole ?? method.output),
    headers: requestIdHeader,
    content: { 'application/json': { schema: schemas.reference(message, 'answer') } },
  };
}

const requestIdHeader: JsonObject = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };

function errorsOf(contract: Contract, rules: MethodRules, hasBody: boolean): JsonObject {
  const names = new Set([...commonErrors(rules, hasBody), ...rules.errors]);
  const known = new Map(contract.errorCodes.map((code) => [code.name, code]));
  const byStatus = new Map<number, ErrorCode[]>();
  for (const name of names) {
    const code = known.get(name);
    if (!code) throw new Error(`no error code ${name}`);
    byStatus.set(code.httpStatus, [...(byStatus.get(code.httpStatus) ?? []), code]);
  }
  const statuses = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(statuses.map(([status, codes]) => [String(status), errorOf(status, codes)]));
}

function errorOf(status: number, codes: ErrorCode[]): JsonObject {
  const headers: JsonObject = {
    ...requestIdHeader,
    ...(status === 401 ? { 'WWW-Authenticate': { $ref: '#/components/headers/WwwAuthenticate' } } : {}),
    ...(status === 429 || status === 503 ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } : {}),
  };
  return {
    description: codes.map(({ name, description }) => `- \`${name}\`: ${description}`).join('\n'),
    headers,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    'x-error-codes': codes.map(({ name }) => name),
  };
}

function commonErrors(rules: MethodRules, hasBody: boolean): string[] {
  return [
    'invalid_argument',
    'unknown_field',
    ...(hasBody ? ['malformed_request', 'request_too_large', 'unsupported_media_type'] : []),
    ...(rules.idempotencyKey ? ['invalid_idempotency_key', 'idempotency_key_reused', 'idempotency_key_in_use'] : []),
    ...(rules.access === 'key'
      ? ['missing_api_key', 'invalid_api_key', 'revoked_api_key', 'expired_api_key', 'missing_scope']
      : []),
    ...(rules.access === 'admin' || rules.access === 'registration' ? ['invalid_admin_token'] : []),
    'rate_limited',
    'internal',
    'unavailable',
    'deadline_exceeded',
  ];
}

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
