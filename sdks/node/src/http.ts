// Calls over HTTP: JSON by the REST routes, streams by Connect. Needs nothing but `fetch`.

import { readAnswer } from './answer.ts';
import { attempt, attemptStream } from './attempt.ts';
import { textOf } from './body.ts';
import { decode, type Json } from './codec.ts';
import { connectMessages } from './connect-stream.ts';
import { ConfigurationError, ServerError } from './errors.ts';
import type { Caller, CallOptions, Operation, Page } from './operation.ts';
import { count, positive, type Settings } from './options.ts';
import { repeat } from './repeat.ts';
import { httpRequest, pathValues } from './request.ts';
import { isBrowser, randomKey } from './runtime.ts';
import { version } from './version.ts';
import { follow } from './watch.ts';

export function httpCaller(settings: Settings): Caller {
  const { baseUrl, apiKey, fetch, runtime } = settings;
  const common: Record<string, string> = { authorization: `Bearer ${apiKey}`, accept: 'application/json' };
  // Pages may not set it; the header would only make the browser ask the service first.
  if (!isBrowser()) common['user-agent'] = `ramz-node/${version}`;

  const call = (
    operation: Operation,
    path: readonly string[],
    request: object,
    options: CallOptions,
  ): Promise<Json> => {
    const { signal } = options;
    const { timeoutMs, maxRetries } = limits(settings, options);
    const { verb, target, body } = httpRequest(operation, path, request);
    const headers: Record<string, string> = { ...common, ...idempotency(operation, options) };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const once = async (own: AbortSignal) => {
      const init: RequestInit = { method: verb, headers, redirect: 'manual', signal: own };
      const response = await fetch(baseUrl + target, body === undefined ? init : { ...init, body });
      return readAnswer({ status: response.status, headers: response.headers, text: await textOf(response) });
    };
    const isRepeatable = operation.repeatable;
    return repeat(() => attempt(once, { timeoutMs, signal }), { maxRetries, isRepeatable, signal, runtime });
  };

  return {
    async unary<T>(operation: Operation, path: readonly string[], request: object, options: CallOptions = {}) {
      return answerOf<T>(operation, await call(operation, path, request, options));
    },
    async page<T>(operation: Operation, path: readonly string[], request: object, options: CallOptions = {}) {
      return pageOf<T>(operation, await call(operation, path, request, options));
    },
    watch<T>(operation: Operation, path: readonly string[], request: object, options: CallOptions = {}) {
      const { signal } = options;
      const { timeoutMs, maxRetries } = limits(settings, options);
      const url = `${baseUrl}/${operation.rpc}`;
      const message = { ...request, ...pathValues(operation, path) };
      const open = () =>
        attemptStream((own) => connectMessages({ fetch, url, message, headers: common, signal: own }), {
          timeoutMs,
          signal,
        });
      return follow<T>(open, operation, { maxRetries, isRepeatable: operation.repeatable, signal, runtime });
    },
  };
}

/** Limits of one call, checked. */
export function limits(
  settings: { timeoutMs: number; maxRetries: number },
  options: CallOptions,
): { timeoutMs: number; maxRetries: number } {
  return {
    timeoutMs: positive('timeoutMs', options.timeoutMs ?? settings.timeoutMs),
    maxRetries: count('maxRetries', options.maxRetries ?? settings.maxRetries),
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

export function answerOf<T>(operation: Operation, json: Json): T {
  return (operation.answer === undefined ? undefined : decode(operation.answer, json)) as T;
}

export function pageOf<T>({ items, answer }: Operation, json: Json): Page<T> {
  const list = json[items ?? ''] ?? [];
  const token = json.next_page_token ?? '';
  if (!Array.isArray(list) || typeof token !== 'string') {
    throw new ServerError({ status: 200, code: '', message: 'a page that is none', requestId: '', details: {} });
  }
  return { items: list.map((item) => decode(answer ?? '', item) as T), nextPageToken: token };
}
