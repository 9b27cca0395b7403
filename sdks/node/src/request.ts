// A call as an HTTP request: path, query, body, headers. Pure.

import { encode } from './codec.ts';
import { ConfigurationError } from './errors.ts';
import type { Operation } from './operation.ts';

export interface HttpRequest {
  verb: string;
  /** Path and query. */
  target: string;
  /** JSON. */
  body: string | undefined;
}

export function httpRequest(operation: Operation, path: readonly string[], request: object): HttpRequest {
  const { verb = 'POST', carries } = operation;
  const given = carries === 'nothing' ? {} : encode(operation.request, request);
  return {
    verb,
    target: pathOf(operation, path) + (carries === 'query' ? queryOf(given) : ''),
    body: carries === 'body' ? JSON.stringify(given) : undefined,
  };
}

/** Ids of the path by name, for doors that know no paths. */
export function pathValues(operation: Operation, path: readonly string[]): Record<string, string> {
  return Object.fromEntries(operation.pathFields.map((name, index) => [name, idOf(name, path[index])]));
}

function pathOf(operation: Operation, path: readonly string[]): string {
  const values = pathValues(operation, path);
  return (operation.path ?? '').replace(/\{(\w+)\}/g, (_, name: string) => percent(values[name] ?? ''));
}

/** What would make another path of it never leaves here: an empty id lists, two dots climb. */
function idOf(name: string, value: unknown): string {
  if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) throw new ConfigurationError(`${name} is not an id`);
  return value;
}

function queryOf(given: object): string {
  const pairs = Object.entries(given).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => `${percent(name)}=${percent(String(one))}`),
  );
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

/** As RFC 3986 asks. A half of a surrogate pair, which has no UTF-8, becomes U+FFFD. */
const percent = (text: string): string =>
  encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd')).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
