// For the tests of the packed SDK: vectors, and a client whose network is a list of answers.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError, NetworkError, Ramz, RequestTimeoutError } from '@ramz/sdk';

export const vectors = (name) => JSON.parse(readFileSync(join(process.env.RAMZ_VECTORS, `${name}.json`), 'utf8'));

/** `brand_new` → `brandNew` */
export const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

/** What stands at a path such as `cascade.0.timeout_seconds`. */
export const at = (value, path) => path.split('.').reduce((inner, name) => inner?.[camel(name)], value);

/** Whether the field is a map, whose keys are the user's own. */
export const isOwn = (name) => name === 'metadata';

/** What the fault, status, headers and body of a vector are to `fetch`. */
export function answerTo({ fault, status, headers = {}, body, body_text }, init) {
  if (fault === 'connection') throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
  if (fault === 'timeout')
    return new Promise((_, reject) => {
      init.signal.addEventListener('abort', () => reject(init.signal.reason));
    });
  // As bytes: with a string, Response would make up a content type.
  const bytes = new TextEncoder().encode(body === undefined ? (body_text ?? '') : JSON.stringify(body));
  return new Response(status === 204 ? null : bytes, { status, headers });
}

/** A client that is answered `answers`, one after another; what it asked and how long it paused is kept. */
export function scripted(answers, { meanwhile = () => {}, ...options } = {}) {
  const calls = [];
  const pauses = [];
  const ramz = new Ramz({
    apiKey: 'ramz_test_key',
    baseUrl: 'http://ramz.test',
    // Only where a time has to run out is it short: a slow machine must not be taken for a late answer.
    timeoutMs: answers.some(({ fault }) => fault === 'timeout') ? 20 : undefined,
    fetch: async (url, init) => {
      calls.push({ url, ...init, headers: new Headers(init.headers) });
      const answer = answers[calls.length - 1];
      if (!answer) throw new Error(`nothing to answer call ${calls.length} with`);
      meanwhile(answer);
      return answerTo(answer, init);
    },
    runtime: { sleep: async (ms) => void pauses.push(ms) },
    ...options,
  });
  return { ramz, calls, pauses };
}

/** Fields of the path stand in front; what is left is one object, with times as Date. */
export function invoke(ramz, operation, given = {}, ...options) {
  const [resource, name] = operation.split('.').map(camel);
  const positional = {
    'verify.get': ['id'],
    'verify.cancel': ['id'],
    'verify.report': ['id'],
    'api_keys.revoke': ['id'],
    'webhook_endpoints.get': ['id'],
    'webhook_endpoints.redeliver': ['id', 'event_id'],
    'webhook_endpoints.update': ['id'],
    'webhook_endpoints.delete': ['id'],
    'limit_list.delete_list_entry': ['id'],
    'admin.delete_platform_entry': ['id'],
  };
  const path = positional[operation] ?? [];
  const rest = Object.entries(given).filter(([key]) => !path.includes(key));
  const takesRequest = /\.(send|check|list|report|create|update)$/.test(operation);
  const request = Object.fromEntries(rest.map(([key, value]) => [camel(key), toUser(key, value)]));
  return ramz[resource][name](...path.map((key) => given[key]), ...(takesRequest ? [request] : []), ...options);
}

function toUser(key, value) {
  if (isOwn(key)) return value;
  if (/_(after|before|at)$/.test(key)) return new Date(value);
  if (Array.isArray(value)) return value.map((item) => toUser(key, item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [camel(name), toUser(name, inner)]));
}

const kinds = {
  InvalidRequestError: 'invalid_request',
  AuthenticationError: 'authentication',
  PermissionDeniedError: 'permission_denied',
  NotFoundError: 'not_found',
  ConflictError: 'conflict',
  RateLimitError: 'rate_limit',
  ServerError: 'server',
  NetworkError: 'network',
  RequestTimeoutError: 'timeout',
};

/** The vectors' word for an error of the SDK. */
export function kindOf(error) {
  if (!(error instanceof ApiError || error instanceof NetworkError)) throw error;
  if (error.constructor.name !== error.name) throw new Error(`${error.constructor.name} is called ${error.name}`);
  if (error.name === 'RequestTimeoutError' && !(error instanceof RequestTimeoutError)) throw error;
  return kinds[error.name];
}

/** The error that a promise ends with. */
export const errorOf = (promise) =>
  promise.then(
    (value) => {
      throw new Error(`no error, but ${JSON.stringify(value)}`);
    },
    (error) => error,
  );
