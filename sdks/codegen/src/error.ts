// Errors in OpenAPI: their one schema, and per operation every code it can answer, by status, each with an example.

import type { Contract, ErrorCode, MethodRules } from './contract.ts';
import type { JsonObject, Schemas } from './schema.ts';

export const requestIdHeader: JsonObject = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };
/** Where a call is counted, and says so. */
export const limitHeaders = ({ access }: MethodRules): JsonObject =>
  access === 'key'
    ? {
        RateLimit: { $ref: '#/components/headers/RateLimit' },
        'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
      }
    : {};
export const requestIdExample = 'req_01k6h2q8z8e0f3k5n7p9r1t3v6';

/** The body of every error, and the error in it. Members that only some codes have say which. `Error` would be the name of a type in most languages. */
export function errorSchemas(contract: Contract, schemas: Schemas): JsonObject {
  const text = (description: string): JsonObject => ({ type: 'string', description });
  return {
    ErrorResult: {
      type: 'object',
      description: 'Body of every error.',
      required: ['error'],
      properties: { error: { $ref: '#/components/schemas/ApiError', description: 'What went wrong.' } },
    },
    ApiError: {
      type: 'object',
      description: 'What went wrong.',
      required: ['code', 'message', 'request_id'],
      properties: {
        code: { ...schemas.values('error_code', 'answer'), description: 'What went wrong, for programs.' },
        message: text('What went wrong, for people. Its wording may change.'),
        field: text('Field at fault, e.g. `cascade[0].timeout_seconds`; absent if no field is to blame.'),
        request_id: text('Identifies the call.'),
        ...detailsOf(contract.errorCodes),
      },
    },
  };
}

function detailsOf(codes: readonly ErrorCode[]): JsonObject {
  const names = new Set(codes.flatMap(({ details }) => details.map(({ name }) => name)));
  return Object.fromEntries([...names].map((name) => [name, detailOf(name, codes)]));
}

function detailOf(name: string, codes: readonly ErrorCode[]): JsonObject {
  const uses = codes.flatMap((code) =>
    code.details.filter((each) => each.name === name).map(({ description }) => ({ code: code.name, description })),
  );
  const texts = new Map<string, string[]>();
  for (const { code, description } of uses) texts.set(description, [...(texts.get(description) ?? []), `\`${code}\``]);
  const description = [...texts].map(([text, names]) => `With ${names.join(', ')}: ${text}`).join(' ');
  return { type: 'string', description };
}

/** The error answers of an operation, by status. Throws for a code that is nowhere declared. */
export function errorsOf(contract: Contract, rules: MethodRules, hasBody: boolean): JsonObject {
  const names = new Set([...commonErrors(rules, hasBody), ...rules.errors]);
  const known = new Map(contract.errorCodes.map((code) => [code.name, code]));
  const byStatus = new Map<number, ErrorCode[]>();
  for (const name of names) {
    const code = known.get(name);
    if (!code) throw new Error(`no error code ${name}`);
    byStatus.set(code.httpStatus, [...(byStatus.get(code.httpStatus) ?? []), code]);
  }
  const statuses = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(statuses.map(([status, codes]) => [String(status), errorOf(status, codes, rules)]));
}

function errorOf(status: number, codes: ErrorCode[], rules: MethodRules): JsonObject {
  const headers: JsonObject = {
    ...requestIdHeader,
    ...(status === 401 ? { 'WWW-Authenticate': { $ref: '#/components/headers/WwwAuthenticate' } } : {}),
    ...(status === 429 ? limitHeaders(rules) : {}),
    ...(status === 429 || status === 503 ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } : {}),
  };
  const examples = Object.fromEntries(codes.map((code) => [code.name, { value: exampleOf(code) }]));
  return {
    description: codes.map(({ name, description }) => `- \`${name}\`: ${description}`).join('\n'),
    headers,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorResult' }, examples } },
    'x-error-codes': codes.map(({ name }) => name),
  };
}

function exampleOf({ name, description, details }: ErrorCode): JsonObject {
  const own = details.map((detail) => [detail.name, detail.example]);
  const message = description.replaceAll('`', '').replace(/\.$/, '');
  return { error: { code: name, message, request_id: requestIdExample, ...Object.fromEntries(own) } };
}

function commonErrors(rules: MethodRules, hasBody: boolean): string[] {
  return [
    'invalid_argument',
    'unknown_field',
    ...(hasBody ? ['malformed_request', 'request_too_large', 'unsupported_media_type'] : []),
    ...(rules.idempotencyKey ? ['invalid_idempotency_key', 'idempotency_key_reused'] : []),
    ...(rules.access === 'key'
      ? [
          'missing_api_key',
          'invalid_api_key',
          'revoked_api_key',
          'expired_api_key',
          'account_suspended',
          'account_closed',
          'account_not_approved',
          'key_restricted',
          'missing_scope',
        ]
      : []),
    ...(rules.access === 'admin' || rules.access === 'registration' ? ['invalid_admin_token', 'missing_scope'] : []),
    ...(rules.access === 'public' ? [] : ['too_many_failures']),
    'rate_limited',
    'internal',
    // Looking keys up waits in a queue, too.
    'overloaded',
    'unavailable',
    'deadline_exceeded',
  ];
}
