// The page that records prompts in the browser, one line after the other, and the requests it makes. What it writes is a bank of prompts in
// the data directory, as `ramz prompts import` does.

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import {
  consentText,
  isClipName,
  type RecordingSession,
  recordingSessions,
} from '../../channels/voice/prompts/recording.ts';
import { look } from '../../pages/look.ts';
import { type Handler, type Request, type Response, readJson } from '../http/server.ts';

/** Where the page is; its requests are below it. */
export const RECORDER = '/sandbox/recorder';

/** No inline script and no other origin: recordings go nowhere but here. */
const csp =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'";

const takeSchema = z.strictObject({ wav: z.base64() });
const writeSchema = z.strictObject({
  /** Empty: no consent is given. */
  speaker: z.string().trim().max(100),
});

type Language = 'ar' | 'fr';

/** `folder`: the banks are written below it, one folder a language. `now` in Unix ms. */
export function recorder(folder: string, now: () => number): Handler {
  const sessions = recordingSessions();
  const table: Record<string, (request: Request, session: RecordingSession, language: Language) => Response> = {
    'GET ': () => file('page.html', 'text/html'),
    'GET /page.js': () => file('page.js', 'text/javascript'),
    'GET /tap.js': () => file('tap.js', 'text/javascript'),
    'GET /lines': (_, session) => ({
      status: 200,
      body: { lines: session.lines(), consent: consentText({ speaker: '', date: '' }).replace(/\s*,\s*$/, '') },
    }),
    'GET /take': ({ query }, session) => recorded(query, session),
    'POST /take': take,
    'POST /bank': ({ body }, session, language) => {
      const asked = writeSchema.safeParse(readJson(body));
      if (!asked.success) return { status: 400, body: { error: z.prettifyError(asked.error) } };
      const { speaker } = asked.data;
      const to = resolve(join(folder, language));
      const date = new Date(now()).toISOString().slice(0, 10);
      const problems = session.write(to, speaker === '' ? null : { speaker, date });
      if (problems.length > 0) return { status: 422, body: { problems } };
      return { status: 200, body: { folder: to, setting: JSON.stringify({ voice: { prompts: { [language]: to } } }) } };
    },
  };
  return (request) => {
    const { method, path, query, headers } = request;
    const route = table[`${method} ${path.slice(RECORDER.length)}`];
    if (route === undefined) return { status: 404, body: { error: `no ${method} ${path} here` } };
    // Pages of other origins can post a form or plain text here, but no JSON: the browser would ask us first.
    if (method === 'POST' && headers['content-type'] !== 'application/json')
      return { status: 415, body: { error: 'content-type must be application/json' } };
    const language = query.get('lang') === 'fr' ? 'fr' : 'ar';
    return route(request, sessions[language], language);
  };
}

function recorded(query: URLSearchParams, session: RecordingSession): Response {
  const name = query.get('name') ?? '';
  const wav = isClipName(name) ? session.recorded(name) : undefined;
  if (wav === undefined) return { status: 404, body: { error: `${name} was not recorded` } };
  return { status: 200, body: { wav: Buffer.from(wav).toString('base64') } };
}

function take({ query, body }: Request, session: RecordingSession): Response {
  const name = query.get('name') ?? '';
  const asked = takeSchema.safeParse(readJson(body));
  if (!isClipName(name) || !asked.success)
    return { status: 400, body: { error: 'name a clip, and send its WAV file' } };
  const taken = session.take(name, Buffer.from(asked.data.wav, 'base64'));
  if (taken.kind === 'refused') return { status: 422, body: { error: taken.reason } };
  const { lengthMs, levelDb } = taken.facts;
  const heard = Buffer.from(taken.heard).toString('base64');
  return { status: 200, body: { length_ms: lengthMs, level_db: levelDb, heard } };
}

/** A file beside this one. */
function file(name: string, type: string): Response {
  const body = readFileSync(join(import.meta.dirname, name), 'utf8').replace('/* look */', look);
  return { status: 200, headers: { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': csp }, body };
}
