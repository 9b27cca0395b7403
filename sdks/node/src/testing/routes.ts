// What the fake answers by itself: `verify`, and `accounts.get`.

import type { Json } from '../codec.ts';
import { Refusal } from './refusal.ts';
import type { FakeSessions } from './sessions.ts';
import { type FakeSession, sentView, sessionView, summaryView } from './views.ts';

export interface Call {
  /** Values of the path. */
  path: readonly string[];
  query: URLSearchParams;
  body: Json;
}

type Handler = (call: Call) => Json;

export function handlersOf(
  sessions: FakeSessions,
  refused: ReadonlyMap<string, Refusal>,
): Readonly<Record<string, Handler>> {
  return {
    'verify.send': ({ body }) => {
      const to = numberOf(body.to);
      const refusal = refused.get(to);
      if (refusal) throw refusal;
      return sentView(sessions.send({ ...body, to }));
    },
    'verify.check': ({ body }) => check(sessions, body),
    'verify.get': ({ path }) => sessionView(existing(sessions.find(path[0] ?? ''))),
    'verify.list': ({ query }) => list(sessions, query),
    'verify.cancel': ({ path }) => {
      const session = existing(sessions.find(path[0] ?? ''));
      const { status } = session;
      if (status === 'pending') sessions.cancel(session);
      else if (status !== 'canceled') {
        throw new Refusal('session_not_pending', `the session is over: ${status}`, { details: { status } });
      }
      return sessionView(session);
    },
    'verify.report': ({ path, body }) => {
      const session = existing(sessions.find(path[0] ?? ''));
      const { status, statusReason } = session;
      const isVerified = body.outcome === 'verified';
      const isSo = isVerified ? status === 'verified' : statusReason === 'reported_fraud';
      if (status === 'pending') {
        if (isVerified) sessions.reportVerified(session);
        else sessions.cancel(session, 'reported_fraud');
      } else if (!isSo) {
        throw new Refusal('session_not_pending', `the session is over: ${status}`, { details: { status } });
      }
      return sessionView(session);
    },
    'accounts.get': () => ({ id: 'acct_fake', name: 'Fake', language: 'ar' }),
  };
}

function check(sessions: FakeSessions, { id, to, purpose = '', code }: Json): Json {
  const session = existing(typeof id === 'string' ? sessions.find(id) : sessions.latest(numberOf(to), String(purpose)));
  const digits = plainDigits(String(code));
  if (!/^\d+$/.test(digits) || digits.length !== session.codeLength) {
    throw new Refusal('invalid_code', `the code has ${session.codeLength} digits`, { field: 'code' });
  }
  const reason = sessions.check(session, digits);
  const { status, attempts_remaining, verified_at } = sessionView(session);
  return { valid: reason === '', id: session.id, status, reason, attempts_remaining, verified_at, test: true };
}

function list(sessions: FakeSessions, query: URLSearchParams): Json {
  const to = query.get('to');
  if (to !== null) query.set('to', numberOf(to));
  const filters = ['to', 'status', 'delivery', 'purpose', 'client_reference'].filter((name) => query.has(name));
  const after = Date.parse(query.get('created_after') ?? '') || Number.NEGATIVE_INFINITY;
  const before = Date.parse(query.get('created_before') ?? '') || Number.POSITIVE_INFINITY;
  const matching = [...sessions.all]
    .reverse()
    .filter(({ createdAtMs }) => createdAtMs >= after && createdAtMs < before)
    .map(summaryView)
    .filter((session) => filters.every((name) => session[name] === query.get(name)));
  const start = Number(query.get('page_token') ?? 0);
  const end = start + Number(query.get('page_size') ?? 20);
  return { sessions: matching.slice(start, end), next_page_token: end < matching.length ? String(end) : '' };
}

function existing(session: FakeSession | undefined): FakeSession {
  if (!session) throw new Refusal('session_not_found', 'no such session');
  return session;
}

/** What the service passes over between digits. Brackets stay, since `+44 (0) 20` is read in two ways. */
const separators = /[\s\p{Pd}.\u2212\u00ad\u200b-\u200f\u061c\u202a-\u202e\u2060\u2066-\u2069]/gu;

/** The number as E.164. */
function numberOf(given: unknown): string {
  const number = String(given).replace(separators, '');
  if (/^\+[1-9]\d{6,14}$/.test(number)) return number;
  throw new Refusal('invalid_phone_number', 'not a number in international format', { field: 'to' });
}

/** Spaces and dashes do not matter; Arabic-Indic and Persian digits are understood. */
const plainDigits = (text: string): string =>
  text
    .replace(/[\s-]/g, '')
    .replace(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
    .replace(/[\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0));
