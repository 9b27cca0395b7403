// The REST door: a Node request in, the waist in between, an answer out. The door knows no route by name, so that a new method of the
// contract needs no change here.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type DescField, type Message, toJson } from '@bufbuild/protobuf';
import type { CallOrigin } from '../waist/context.ts';
import { fail } from '../waist/errors.ts';
import { readHeaders, type Waist } from '../waist/invoke.ts';
import { methodName } from '../waist/method-options.ts';
import { jsonOptions, writeError, writeJson } from './answer.ts';
import { dropRest, readJsonBody } from './body.ts';
import { defaultBeatMs, streamEvents } from './events.ts';
import { fieldAt, jsonFromQuery, maskFromKeys, messageFromJson } from './input.ts';
import { createRouter, type Match, type Route } from './router.ts';

type Found = Extract<Match, { kind: 'found' }>;

export type RestHandler = (request: IncomingMessage, response: ServerResponse, origin: CallOrigin) => Promise<void>;

export interface RestOptions {
  /** Between two comments in a stream of events, ms. Default 15 000. */
  beatMs?: number | undefined;
}

export function createRestHandler(waist: Waist, { beatMs = defaultBeatMs }: RestOptions = {}): RestHandler {
  const router = createRouter(waist.methods);
  return async (request, response, origin) => {
    const startedAt = performance.now();
    const url = request.url ?? '/';
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const query = mark < 0 ? '' : url.slice(mark + 1);
    const match = router.match(request.method === 'HEAD' ? 'GET' : (request.method ?? ''), path);
    if (match.kind === 'wrong_verb' && request.method === 'OPTIONS') return options(response, match.allow);
    let input: Message;
    try {
      const found = orFail(match, response);
      input = await inputOf(found, request, query);
    } catch (reason) {
      // The path of a call to nowhere is the caller's own text: not a label.
      const label = match.kind === 'found' ? methodName(match.route.method) : 'unrouted';
      return refuse(request, response, waist.refuse(label, reason, origin, startedAt), origin);
    }
    const { route } = match as Found;
    await answer(waist, route, input, { request, response, origin, url, beatMs });
  };
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  origin: CallOrigin;
  url: string;
  beatMs: number;
}

async function answer(waist: Waist, route: Route, input: Message, exchange: Exchange) {
  const { request, response, origin, url, beatMs } = exchange;
  const { method } = route;
  const leaving = new AbortController();
  const gone = () => leaving.abort();
  response.once('close', gone);
  const call = { origin, header: headersOf(request), signal: leaving.signal, url };
  if (method.methodKind === 'server_streaming') {
    return streamEvents(waist, method, input, { request, response, call, beatMs });
  }
  try {
    const result = await waist.invokeUnary(method, input, call);
    response.off('close', gone);
    writeMessage(response, route, result.message, result.header);
  } catch (reason) {
    response.off('close', gone);
    writeError(response, waist.asError(reason, origin), origin.requestId);
  }
}

/** Path variables, then query or body, as one JSON object: no field may be given twice. */
async function inputOf({ route, variables }: Found, request: IncomingMessage, query: string): Promise<Message> {
  const { input } = route.method;
  const body = route.verb !== 'GET' ? await readJsonBody(request, (path) => fieldAt(input, path)) : undefined;
  if (body !== undefined && (typeof body !== 'object' || body === null || Array.isArray(body))) {
    throw fail('malformed_request', 'the body must be a JSON object');
  }
  // HTTP gives it no meaning (RFC 9110 section 9.3.5), and what cannot be undone is not done past a wish that nobody read.
  const [member] = route.verb === 'DELETE' ? Object.keys(body ?? {}) : [];
  if (member !== undefined) {
    const field = fieldAt(input, [member]);
    throw fail('unknown_field', `there is no field ${field}: a DELETE has no body`, { field });
  }
  // The object has no prototype, so that `__proto__` is an unknown field like any other.
  const json: Record<string, unknown> = Object.create(null);
  addAll(json, jsonFromQuery(input, query, route.body !== '*'));
  if (body !== undefined) addAll(json, route.body === '*' || route.body === '' ? body : { [route.body]: body });
  addAll(json, maskFromKeys(input, Object.keys(json)));
  addAll(json, variables);
  // A browser that continues a stream repeats the address it began it with, and adds the header.
  const lastEventId = request.headers['last-event-id'];
  if (lastEventId && route.method.methodKind === 'server_streaming') json.last_event_id = lastEventId;
  return messageFromJson(input, json);
}

function addAll(json: Record<string, unknown>, more: object): void {
  for (const [name, value] of Object.entries(more)) {
    if (Object.hasOwn(json, name)) throw fail('invalid_argument', `${name} is given twice`, { field: name });
    json[name] = value;
  }
}

function orFail(match: Match, response: ServerResponse): Found {
  switch (match.kind) {
    case 'found':
      return match;
    case 'wrong_verb':
      response.setHeader('allow', allowed(match.allow));
      throw fail('method_not_allowed', `use ${match.allow.join(' or ')}`);
    case 'malformed':
      throw fail('malformed_request', 'the path is not well encoded');
    case 'none':
      throw fail('not_found', 'there is no such route; GET /docs lists them');
  }
}

async function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  error: Parameters<typeof writeError>[1],
  origin: CallOrigin,
): Promise<void> {
  // A body that was not read to its end can't be followed by another request.
  if (!request.complete) response.setHeader('connection', 'close');
  await dropRest(request);
  writeError(response, error, origin.requestId);
}

function options(response: ServerResponse, allow: string[]): void {
  response.setHeader('allow', allowed(allow));
  response.writeHead(204);
  response.end();
}

const allowed = (verbs: string[]): string =>
  [...verbs, ...(verbs.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');

function headersOf({ headers }: IncomingMessage): Headers {
  const result = new Headers();
  for (const name of readHeaders) {
    const value = headers[name];
    if (value !== undefined) result.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return result;
}

function writeMessage(response: ServerResponse, route: Route, message: Message, header: Headers): void {
  for (const [name, value] of header) response.setHeader(name, value);
  writeJson(response, 200, jsonOf(route.method.output, message, route.responseField));
}

function jsonOf(desc: Route['method']['output'], message: Message, field: DescField | undefined): unknown {
  if (!field) return toJson(desc, message, jsonOptions);
  const value = (message as unknown as Record<string, unknown>)[field.localName];
  if (field.fieldKind === 'message')
    return value === undefined ? {} : toJson(field.message, value as Message, jsonOptions);
  return (toJson(desc, message, jsonOptions) as Record<string, unknown>)[field.name];
}
