// The fake's door: a `fetch` that answers from memory, in the service's own JSON, so that the whole client is at work.

import { isObject, type Json } from '../codec.ts';
import { Envelopes } from '../envelopes.ts';
import { operations } from '../gen/operations.ts';
import { errorCodes } from '../gen/words.ts';
import type { Operation } from '../operation.ts';
import type { Fetch } from '../options.ts';
import { Refusal } from './refusal.ts';
import { handlersOf } from './routes.ts';
import type { FakeSessions } from './sessions.ts';
import { watchBody } from './watch.ts';

/** What a test told the fake. */
export interface Told {
  /** Number → what sends to it are refused with. */
  readonly refused: Map<string, Refusal>;
  /** Operation → what its next calls fail with. */
  readonly failing: Map<string, Refusal[]>;
  /** Operation → what it answers, in the service's JSON. */
  readonly answers: Map<string, Json>;
}

const watchPath = `/${operations['verify.watch'].rpc}`;

export function fakeFetch(sessions: FakeSessions, told: Told): Fetch {
  const handlers = handlersOf(sessions, told.refused);
  // By idempotency key: the second call with it has no effect.
  const kept = new Map<string, { request: string; answer: Json }>();
  const answerTo = (name: string, path: string[], url: URL, body: RequestInit['body']): Json => {
    const failure = told.failing.get(name)?.shift();
    if (failure) throw failure;
    const given = told.answers.get(name);
    if (given) return { ...idsOf(name, path), ...given };
    const answer = handlers[name]?.({ path, query: url.searchParams, body: jsonOf(body) });
    if (!answer) throw new Refusal('unimplemented', `the fake does not know ${name}: see its answer()`);
    return answer;
  };
  const once = (key: string | null, request: string, answer: () => Json): Json => {
    const earlier = key === null ? undefined : kept.get(key);
    if (earlier && earlier.request !== request) {
      throw new Refusal('idempotency_key_reused', 'the key was used before with another request');
    }
    const result = earlier?.answer ?? answer();
    if (key !== null) kept.set(key, { request, answer: result });
    return result;
  };
  return async (address, init) => {
    init.signal?.throwIfAborted();
    const url = new URL(address);
    try {
      if (url.pathname === watchPath) {
        const failure = told.failing.get('verify.watch')?.shift();
        if (failure) throw failure;
        return watch(sessions, init);
      }
      const { name, path } = match(init.method, url.pathname);
      const key = new Headers(init.headers).get('idempotency-key');
      return Response.json(once(key, `${name} ${init.body}`, () => answerTo(name, path, url, init.body)));
    } catch (error) {
      if (error instanceof Refusal) return refusal(error);
      throw error;
    }
  };
}

/** What a test need not say: the client takes no answer without them. */
function idsOf(name: string, path: readonly string[]): Json {
  const { ids = [], pathFields }: Operation = operations[name as keyof typeof operations];
  return Object.fromEntries(ids.map((id) => [id, path[pathFields.indexOf(id)] ?? 'fake']));
}

function match(verb: string | undefined, pathname: string): { name: string; path: string[] } {
  for (const [name, operation] of Object.entries<Operation>(operations)) {
    if (operation.path === undefined || operation.verb !== verb) continue;
    const found = new RegExp(`^${operation.path.replace(/\{\w+\}/g, '([^/]+)')}$`).exec(pathname);
    if (found) return { name, path: found.slice(1).map(decodeURIComponent) };
  }
  throw new Refusal('not_found', `no operation is ${verb} ${pathname}`);
}

function refusal({ code, message, about }: Refusal): Response {
  const { field, details, retryAfterSeconds } = about;
  const error = { code, message, ...(field ? { field } : {}), request_id: 'req_fake', ...details };
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return Response.json({ error }, { status: errorCodes[code]?.status ?? 400, headers });
}

function watch(sessions: FakeSessions, { body, signal }: RequestInit): Response {
  const sent = body instanceof Uint8Array ? new Envelopes().push(body)[0]?.json : undefined;
  const id = isObject(sent) ? String(sent.id) : '';
  const stream = watchBody(sessions, sessions.find(id), signal);
  return new Response(stream, { headers: { 'content-type': 'application/connect+json' } });
}

const jsonOf = (body: RequestInit['body']): Json => (typeof body === 'string' ? (JSON.parse(body) as Json) : {});
