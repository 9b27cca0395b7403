// Calls the running service as the document says, and holds every answer to it: status, schema, codes and headers.

import assert from 'node:assert/strict';
import { allEvents } from '../../support/event-stream.ts';
import { checkClosed, type JsonObject, type Parameter, type Route, routes } from './document.ts';

export const env = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run by test/sdks/run.ts`);
  return value;
};

export interface Call {
  path?: Record<string, string>;
  query?: Record<string, string | readonly string[]>;
  body?: unknown;
  /** In place of the JSON of `body`. */
  raw?: { type: string; text: string };
  /** Bearer token. Default: the key of this run; `null` sends none. */
  key?: string | null;
  headers?: Record<string, string>;
}

export interface Answered {
  status: number;
  /** Code of the error, or empty. */
  code: string;
  // Whatever the schema of the answer says, and the schema was looked at.
  json: JsonObject;
}

/** Operations that answered as they should, with the statuses seen. */
export const seen = new Map<string, Set<number>>();

function queryOf(query: Call['query'] = {}): URLSearchParams {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) for (const each of [value].flat()) search.append(name, each);
  return search;
}

const routeOf = (id: string): Route => {
  const found = routes.find(({ operation }) => operation.operationId === id);
  if (!found) throw new Error(`no operation ${id}`);
  return found;
};

/** Makes the call and fails where the answer is not one that the document declares for it. */
export async function call(id: string, options: Call = {}): Promise<Answered> {
  const { verb, path, operation } = routeOf(id);
  const { key = env('RAMZ_API_KEY'), body, raw } = options;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(options.path?.[name] ?? 'x'));
  const url = `${env('RAMZ_BASE_URL')}${filled}?${queryOf(options.query)}`;
  const headers: Record<string, string> = { ...options.headers };
  if (key !== null) headers.authorization = `Bearer ${key}`;
  const content = raw?.text ?? (body === undefined ? undefined : JSON.stringify(body));
  if (content !== undefined) headers['content-type'] = raw?.type ?? 'application/json';
  const response = await fetch(url, {
    method: verb.toUpperCase(),
    headers,
    ...(content === undefined ? {} : { body: content }),
  });
  const { content: answered } = operation.responses[String(response.status)] ?? {};
  if (response.status === 204) return { status: 204, code: '', json: {} };
  if (answered?.['text/event-stream']) return told(id, response, answered['text/event-stream']['x-event-data']);
  const json = (await response.json()) as JsonObject;
  const where = `${id} ${content ?? url}: ${response.status} ${JSON.stringify(json).slice(0, 600)}`;
  const declared = operation.responses[String(response.status)];
  assert.ok(declared, `a status that is not declared: ${where}`);
  const schema = declared.content?.['application/json'].schema;
  assert.ok(schema, `an answer without a schema: ${where}`);
  assert.equal(checkClosed(schema, json), undefined, where);
  const code = (json as unknown as { error?: { code: string } }).error?.code ?? '';
  if (response.status !== 200)
    assert.ok(declared['x-error-codes']?.includes(code), `a code that is not declared: ${where}`);
  for (const name of Object.keys(declared.headers ?? {})) {
    if (name === 'Idempotent-Replayed' || (name.startsWith('RateLimit') && response.status !== 200)) continue;
    if (name === 'Retry-After' && code !== 'overloaded' && response.status !== 429) continue;
    assert.ok(response.headers.has(name), `no header ${name}: ${where}`);
  }
  seen.set(id, (seen.get(id) ?? new Set()).add(response.status));
  return { status: response.status, code, json };
}

/** The answer to a stream that ends: each event is as the document says. `json` is the data of the last state. */
async function told(id: string, response: Response, schema: JsonObject): Promise<Answered> {
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  const events = await allEvents(response.body);
  const states = events.filter(({ type }) => type === 'message').map(({ data }) => JSON.parse(data) as JsonObject);
  for (const state of states) assert.equal(checkClosed(schema, state), undefined, JSON.stringify(state));
  assert.deepEqual(events.at(-1), { type: 'end', data: '{}', lastEventId: states.at(-1)?.event_id });
  seen.set(id, (seen.get(id) ?? new Set()).add(response.status));
  return { status: response.status, code: '', json: states.at(-1) ?? {} };
}

/** The same where nothing but 200 will do. */
export async function done(id: string, options: Call = {}): Promise<Answered> {
  const answered = await call(id, options);
  assert.equal(answered.status, 200, `${id}: ${JSON.stringify(answered.json)}`);
  return answered;
}

/** The parameters of an operation that are its own. */
export const ownParameters = (id: string): Parameter[] =>
  (routeOf(id).operation.parameters ?? []).filter(({ $ref }) => $ref === undefined);
