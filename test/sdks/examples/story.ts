// What every example must do, driven over HTTP: a real code from the sandbox's inbox, real webhooks from the service.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../support/free-port.ts';
import type { Running } from './server.ts';

const env = (name: string): string => process.env[name] ?? '';

export interface Endpoint {
  id: string;
  secret: string;
}

/** A webhook endpoint of the service that points at the example. */
export const newEndpoint = (url: string): Promise<Endpoint> => api<Endpoint>('POST', '/v1/webhook_endpoints', { url });

async function api<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${env('RAMZ_BASE_URL')}${path}`, {
    method,
    headers: { authorization: `Bearer ${env('RAMZ_API_KEY')}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  assert.equal(response.status, 200, `${method} ${path}: ${await response.clone().text()}`);
  return (await response.json()) as T;
}

let lastNumber = 7_000_000 + Math.floor(Math.random() * 1_000_000);

export function newNumber(): string {
  const { prefixes } = JSON.parse(readFileSync(env('RAMZ_SANDBOX_FILE'), 'utf8')) as { prefixes: string[] };
  lastNumber += 1;
  return `${prefixes[0]}${lastNumber}`;
}

async function eventually<T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`no ${what} in time`);
    await wait(50);
  }
}

const codeAt = (to: string): Promise<string> =>
  eventually('code', async () => {
    const response = await fetch(`${env('RAMZ_SANDBOX_URL')}/sandbox/messages?to=${encodeURIComponent(to)}`);
    const { messages } = (await response.json()) as { messages: { text: string }[] };
    return /\b\d{6}\b/.exec(messages[0]?.text ?? '')?.[0];
  });

const post = (url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** Some frameworks have a session for whoever comes by; it is who is in it that counts. */
const cookieOf = (response: Response): string =>
  response.headers.getSetCookie().findLast((each) => each.startsWith('session=')) ?? '';
const sessionOf = (response: Response): string => cookieOf(response).split(';')[0] ?? '';

export async function login({ base }: Running, phone: string): Promise<void> {
  // As people type it, and as it is copied from an Arabic page.
  const typed = `\u200e${phone.slice(0, 4)} ${phone.slice(4, 7)}-${phone.slice(7)}`;
  const start = (body: unknown) => post(`${base}/login/start`, body);
  const check = (code: string) => post(`${base}/login/check`, { phone: typed, code });
  const me = (sent: string) => fetch(`${base}/me`, { headers: { cookie: sent } });

  assert.equal((await start({ phone: 'nonsense' })).status, 400);
  assert.equal((await start({ phone: typed })).status, 202);
  const again = await start({ phone });
  assert.equal(again.status, 429);
  assert.ok(Number(again.headers.get('retry-after')) > 0);
  const code = await codeAt(phone);
  const wrong = await check(code === '000000' ? '000001' : '000000');
  assert.equal(wrong.status, 401);
  assert.equal((await me(sessionOf(wrong))).status, 401, 'a wrong code logs nobody in');
  assert.equal((await check('abc')).status, 400);
  const right = await check(code);
  assert.equal(right.status, 204, await right.text());
  const cookie = cookieOf(right);
  assert.match(cookie, /; *httponly/i);
  assert.match(cookie, /; *samesite=lax/i);

  const known = await me(sessionOf(right));
  assert.equal(known.status, 200);
  assert.deepEqual(await known.json(), { phone });
  assert.equal((await me('session=forged')).status, 401);
  assert.equal((await check(code)).status, 401, 'a code works once');
}

export async function callbacks(running: Running, endpoint: Endpoint, phone: string): Promise<void> {
  const { sessions } = await api<{ sessions: { id: string }[] }>(
    'GET',
    `/v1/verify/sessions?to=${encodeURIComponent(phone)}`,
  );
  const session = sessions[0]?.id;
  const said = (line: string) => eventually(line, () => (running.said().includes(line) ? true : undefined));
  await said(`receipt.updated ${session} DELIVRD`);
  await said(`session.verified ${session} verified`);

  // The same event again is taken, and does nothing.
  const list = await eventually('delivery', async () => {
    const path = `/v1/webhook_endpoints/${endpoint.id}/deliveries?status=delivered`;
    const { deliveries } = await api<{ deliveries: { event_id: string; type: string; attempts: number }[] }>(
      'GET',
      path,
    );
    return deliveries.find(({ type }) => type === 'session.verified');
  });
  await api('POST', `/v1/webhook_endpoints/${endpoint.id}/deliveries/${list.event_id}/redeliver`);
  await eventually('redelivery', async () => {
    const path = `/v1/webhook_endpoints/${endpoint.id}/deliveries`;
    const { deliveries } = await api<{ deliveries: { event_id: string; status: string; attempts: number }[] }>(
      'GET',
      path,
    );
    const same = deliveries.find(({ event_id }) => event_id === list.event_id);
    return same && same.status === 'delivered' && same.attempts > list.attempts ? same : undefined;
  });
  assert.equal(running.said().split(`session.verified ${session}`).length - 1, 1, 'an event is handled once');

  const forged = { 'webhook-id': 'evt_x', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)) };
  const body = `{"id":"evt_x","type":"session.verified","data":{"session_id":"${session}","session":{"status":"verified"}}}`;
  const url = `${running.base}/webhooks/ramz`;
  assert.equal((await post(url, body, { ...forged, 'webhook-signature': 'v1,AAAA' })).status, 400);
  assert.equal((await post(url, body)).status, 400, 'without a signature');
}

/** What whoever runs the example may have got wrong: none of it is the visitor's mistake. */
export interface Mistake {
  name: string;
  /** Environment of the example. */
  env: Record<string, string>;
  /** What the operator finds in the log. */
  said: string | RegExp;
  /** Only the login itself stumbles: a code is sent, and it is the right one. */
  sends?: true;
}

export async function mistakes(): Promise<Mistake[]> {
  const base = env('RAMZ_BASE_URL');
  const key = env('RAMZ_API_KEY');
  const keyWith = async (...scopes: string[]): Promise<string> =>
    (await api<{ key: string }>('POST', '/v1/api_keys', { name: scopes.join(' and '), scopes })).key;
  const wrong = `${key.slice(0, -8)}${key.slice(-8).split('').reverse().join('')}`;
  assert.notEqual(wrong, key);
  return [
    { name: 'a key that is not known', env: { RAMZ_API_KEY: wrong }, said: 'invalid_api_key' },
    { name: 'a key without the scope', env: { RAMZ_API_KEY: await keyWith('read') }, said: 'missing_scope' },
    {
      name: 'a key that sees no numbers',
      env: { RAMZ_API_KEY: await keyWith('verify', 'read') },
      said: 'the API key needs the scope numbers',
      sends: true,
    },
    { name: 'an address with a wrong path', env: { RAMZ_BASE_URL: `${base}/nowhere` }, said: 'not_found' },
    {
      name: 'an address where nobody listens',
      env: { RAMZ_BASE_URL: await nobody() },
      said: /no answer|refused|connect/i,
    },
  ];
}

async function nobody(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}

/** The visitor reads nothing of it, and whoever runs the example does. */
export async function stumbles(running: Running, mistake: Mistake): Promise<void> {
  const phone = newNumber();
  const ask = async (path: string, body: object, status: number): Promise<void> => {
    const answer = await post(`${running.base}/login/${path}`, body);
    const text = await answer.text();
    assert.equal(answer.status, status, `${path}: ${text}`);
    assert.doesNotMatch(text, /key|scope|route|ramz_|127\.0\.0\.1|req_/i, 'the visitor reads about it');
  };
  await ask('start', { phone }, mistake.sends ? 202 : 503);
  await ask('check', { phone, code: mistake.sends ? await codeAt(phone) : '123456' }, 503);
  const found = (): boolean =>
    typeof mistake.said === 'string' ? running.said().includes(mistake.said) : mistake.said.test(running.said());
  await eventually('line in the log', () => (found() ? true : undefined));
  for (const secret of [env('RAMZ_API_KEY'), mistake.env.RAMZ_API_KEY ?? '-', phone])
    assert.ok(secret === '-' || !running.said().includes(secret), 'the log holds a secret');
}
