// The fake's door: a `fetch` that answers from memory, in the service's own JSON, so that the whole client is at work.

import { isObject, type Json } from '../codec.ts';
import { Envelopes } from '../envelopes.ts';
import { operations } from '../gen/operations.ts';
import { type ErrorCode, errorCodes } from '../gen/words.ts';
import type { Fetch } from '../options.ts';
import type { FakeSessions } from './sessions.ts';
import { type FakeSession, sentView, sessionView } from './views.ts';
import { watchBody } from './watch.ts';

/** A refusal, to be thrown by routes. */
class Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly field: string | undefined;

  constructor(code: ErrorCode, message: string, field?: string) {
    this.code = code;
    this.message = message;
    this.field = field;
  }
}

interface Call {
  path: string[];
  query: URLSearchParams;
  body: Json;
}

export function fakeFetch(sessions: FakeSessions, refused: ReadonlyMap<string, ErrorCode>): Fetch {
  const routes = verifyRoutes(sessions, refused);
  // Answers by idempotency key: the second call with it has no effect.
  const answered = new Map<string, Json>();
  return async (address, init) => {
    init.signal?.throwIfAborted();
    const url = new URL(address);
    if (url.pathname === `/${operations['verify.watch'].rpc}`) return watch(sessions, init);
    const found = routes.find(({ verb, pattern }) => verb === init.method && pattern.test(url.pathname));
    const key = new Headers(init.headers).get('idempotency-key');
    try {
      if (!found) throw new Refusal('unimplemented', 'the fake knows only verify and accounts.get');
      const stored = key === null ? undefined : answered.get(key);
      const path = (found.pattern.exec(url.pathname) ?? []).slice(1).map(decodeURIComponent);
      const answer = stored ?? found.answer({ path, query: url.searchParams, body: jsonOf(init.body) });
      if (key !== null) answered.set(key, answer);
      return Response.json(answer);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { code, message, field } = error;
      const body = { error: { code, message, ...(field ? { field } : {}), request_id: 'req_fake' } };
      return Response.json(body, { status: errorCodes[code]?.status ?? 500 });
    }
  };
}

function verifyRoutes(sessions: FakeSessions, refused: ReadonlyMap<string, ErrorCode>) {
  const route = ({ verb, path }: { verb: string; path: string }, answer: (call: Call) => Json) => ({
    verb,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}$`),
    answer,
  });
  return [
    route(operations['verify.send'], ({ body }) => {
      const to = String(body.to);
      const code = refused.get(to) ?? (/^\+\d{7,15}$/.test(to) ? undefined : 'invalid_phone_number');
      if (code) throw new Refusal(code, `the fake refuses ${to}`, code === 'invalid_phone_number' ? 'to' : undefined);
      return sentView(sessions.send(body), sessions.nowMs);
    }),
    route(operations['verify.check'], ({ body }) => check(sessions, body)),
    route(operations['verify.get'], ({ path }) => sessionView(existing(sessions.find(path[0] ?? '')))),
    route(operations['verify.list'], ({ query }) => list(sessions, query)),
    route(operations['verify.cancel'], ({ path }) => {
      const session = existing(sessions.find(path[0] ?? ''));
      if (session.status === 'pending') sessions.cancel(session);
      else if (session.status !== 'canceled') throw new Refusal('session_not_pending', 'the session is over');
      return sessionView(session);
    }),
    route(operations['accounts.get'], () => ({ id: 'acct_fake', name: 'Fake', language: 'ar' })),
  ];
}

function check(sessions: FakeSessions, { id, to, purpose = '', code }: Json): Json {
  const session = existing(typeof id === 'string' ? sessions.find(id) : sessions.latest(String(to), String(purpose)));
  const digits = plainDigits(String(code));
  if (!/^\d+$/.test(digits) || digits.length !== session.codeLength) {
    throw new Refusal('invalid_code', `the code has ${session.codeLength} digits`, 'code');
  }
  const reason = sessions.check(session, digits);
  const { status, attempts_remaining, verified_at } = sessionView(session);
  return { valid: reason === '', id: session.id, status, reason, attempts_remaining, verified_at, test: true };
}

function list(sessions: FakeSessions, query: URLSearchParams): Json {
  const filters = ['to', 'status', 'client_reference'].filter((name) => query.has(name));
  const all = [...sessions.all].reverse().map((session) => sessionView(session));
  const matching = all.filter((session) => filters.every((name) => session[name] === query.get(name)));
  const start = Number(query.get('page_token') ?? 0);
  const end = start + Number(query.get('page_size') ?? 20);
  return { sessions: matching.slice(start, end), next_page_token: end < matching.length ? String(end) : '' };
}

function watch(sessions: FakeSessions, { body, signal }: RequestInit): Response {
  const sent = body instanceof Uint8Array ? new Envelopes().push(body)[0]?.json : undefined;
  const id = isObject(sent) ? String(sent.id) : '';
  const stream = watchBody(sessions, sessions.find(id), signal);
  return new Response(stream, { headers: { 'content-type': 'application/connect+json' } });
}

function existing(session: FakeSession | undefined): FakeSession {
  if (!session) throw new Refusal('session_not_found', 'no such session');
  return session;
}

/** Spaces and dashes do not matter; Arabic-Indic and Persian digits are understood. */
const plainDigits = (text: string): string =>
  text
    .replace(/[\s-]/g, '')
    .replace(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
    .replace(/[\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0));

const jsonOf = (body: RequestInit['body']): Json => (typeof body === 'string' ? (JSON.parse(body) as Json) : {});
