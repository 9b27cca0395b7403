// Calls over HTTP: JSON by the REST routes, streams by Connect. Needs nothing but `fetch`.

import { readAnswer } from './answer.ts';
import { attempt, attemptStream } from './attempt.ts';
import { textOf } from './body.ts';
import { decode, isObject, type Json } from './codec.ts';
import { connectMessages } from './connect-stream.ts';
import { courseOf, courseOfWatch } from './course.ts';
import { ConfigurationError } from './errors.ts';
import { type HttpAnswer, Mismatch } from './foreign.ts';
import { askedIds, checkIds } from './ids.ts';
import {
  type Caller,
  type CallOptions,
  isDeletion,
  type Operation,
  type Page,
  type WatchOptions,
} from './operation.ts';
import type { Settings } from './options.ts';
import { repeat } from './repeat.ts';
import { httpRequest, pathValues } from './request.ts';
import { Reporter } from './response-info.ts';
import { isBrowser, randomKey, uncached } from './runtime.ts';
import { follow } from './watch.ts';

export function httpCaller(settings: Settings): Caller {
  const { baseUrl, apiKey, fetch, runtime, userAgent } = settings;
  const common: Record<string, string> = { authorization: `Bearer ${apiKey}`, accept: 'application/json' };
  // Pages may not set it; the header would only make the browser ask the service first.
  if (!isBrowser()) common['user-agent'] = userAgent;

  const call = <T>(
    operation: Operation,
    path: readonly string[],
    request: object,
    options: CallOptions,
    read: (json: Json) => T,
  ): Promise<T> => {
    const course = courseOf(settings, options);
    const { verb, target, body } = httpRequest(operation, path, request);
    const headers: Record<string, string> = { ...course.headers, ...common, ...idempotency(operation, options) };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const exchange = async (signal: AbortSignal): Promise<HttpAnswer> => {
      const init: RequestInit = { method: verb, headers, redirect: 'manual', signal, ...uncached() };
      const response = await fetch(baseUrl + target, body === undefined ? init : { ...init, body });
      return { status: response.status, headers: response.headers, text: await textOf(response) };
    };
    const reporter = new Reporter(operation.name, apiKey, course.hooks, runtime);
    const once = async (timeoutMs: number): Promise<T> => {
      course.signal?.throwIfAborted();
      const limits = { timeoutMs, signal: course.signal };
      return readAnswer(await reporter.attempt(() => attempt(exchange, limits)), apiKey, read);
    };
    const deleted = isDeletion(operation) ? () => read({}) : undefined;
    return repeat(once, { course, isRepeatable: operation.repeatable, reporter, runtime }, deleted);
  };

  return {
    async unary<T>(operation: Operation, path: readonly string[], request: object, options: CallOptions = {}) {
      const asked = askedIds(operation, path, request);
      return call(operation, path, request, options, (json) => answerOf<T>(operation, json, asked));
    },
    async page<T>(operation: Operation, path: readonly string[], request: object, options: CallOptions = {}) {
      return call(operation, path, request, options, (json) => pageOf<T>(operation, json));
    },
    watch<T>(operation: Operation, path: readonly string[], request: object, options: WatchOptions = {}) {
      const course = courseOfWatch(settings, options);
      const url = `${baseUrl}/${operation.rpc}`;
      const message = { ...request, ...pathValues(operation, path) };
      const headers = { ...course.headers, ...common };
      const reporter = new Reporter(operation.name, apiKey, course.hooks, runtime);
      const open = () =>
        reporter.connection((answered) =>
          attemptStream(
            (signal) => connectMessages({ fetch, url, message, headers, apiKey, signal, answered }),
            course,
          ),
        );
      return follow<T>(open, operation, message, { course, isRepeatable: operation.repeatable, reporter, runtime });
    },
  };
}

/** The header that makes a call safe to repeat: one for all tries. */
export function idempotency(operation: Operation, { idempotencyKey }: CallOptions): Record<string, string> {
  if (!operation.idempotencyKey) {
    if (idempotencyKey === undefined) return {};
    throw new ConfigurationError('this operation takes no idempotencyKey');
  }
  const key = idempotencyKey ?? randomKey();
  // HTTP cuts spaces off the ends of a header: it would be another key.
  if (!/^[!-~]([ -~]{0,254}[!-~])?$/.test(key))
    throw new ConfigurationError('idempotencyKey must be 1 to 256 printable ASCII characters, no space at either end');
  return { 'idempotency-key': key };
}

/** @param asked the ids that the request holds. Throws a Mismatch at another one: it would be somebody else's answer. */
export function answerOf<T>({ answer, ids = [] }: Operation, json: Json, asked: Record<string, unknown>): T {
  if (answer === undefined) return undefined as T;
  const result = decode(answer, json);
  checkIds(ids, result, asked);
  return result as T;
}

/** Throws a Mismatch for what is no page. */
export function pageOf<T>({ items, answer }: Operation, json: Json): Page<T> {
  const list = json[items ?? ''] ?? [];
  const token = json.next_page_token ?? '';
  if (!Array.isArray(list) || !list.every(isObject)) throw new Mismatch(`${items} is not a list of objects`);
  if (typeof token !== 'string') throw new Mismatch('next_page_token is not of the type string');
  return { items: list.map((item) => decode(answer ?? '', item) as T), nextPageToken: token };
}
