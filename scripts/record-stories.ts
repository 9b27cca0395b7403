// Records real sessions as test/support/stories/<name>.json: every scenario, and the courses that a person makes. It needs a running
// `npm start`, whose addresses and key it reads from RAMZ_DATA (default .data). Run it again when the contract of a session grows:
// `npm start`, then `npx node scripts/record-stories.ts` in another terminal, then `npm run format`.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { StorySession } from '../src/story/story.ts';

const folder = join(import.meta.dirname, '../test/support/stories');
const file = join(process.env.RAMZ_DATA || '.data', 'sandbox.json');
const { http, api_key, sandbox, numbers } = JSON.parse(readFileSync(file, 'utf8')) as {
  http: string;
  api_key: string;
  sandbox: string;
  numbers: Record<string, string>;
};

interface Session extends StorySession {
  attempts_remaining: number;
}

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' };
  const response = await fetch(http + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

const sessionOf = (id: string) => call<Session>('GET', `/v1/verify/sessions/${id}`);

async function when(id: string, what: string, wanted: (session: Session) => boolean): Promise<Session> {
  for (const giveUpAt = Date.now() + 90_000; ; await pause(50)) {
    const session = await sessionOf(id);
    if (wanted(session)) return session;
    if (Date.now() > giveUpAt) throw new Error(`${id}: no ${what}: ${JSON.stringify(session.timeline)}`);
  }
}

/** The shortest legs that the defaults allow. */
const cascade = ['sms', 'whatsapp', 'voice'].map((channel) => ({ channel, timeout_seconds: 5 }));

/** Of this recording only: a send with the purpose of an older one would be a resend. */
const recording = Date.now().toString(36);

const send = async (to: string, purpose: string, more: object = {}): Promise<string> => {
  const request = { to, cascade, purpose: `${purpose} ${recording}`, ...more };
  return (await call<{ id: string }>('POST', '/v1/verify/send', request)).id;
};

const check = (id: string, code: string) => call('POST', '/v1/verify/check', { id, code });

const isCallUp = ({ messages }: Session) => (messages ?? []).some(({ call }) => call && !call.ended);
const settled = (session: Session) => session.delivery !== 'sending' && !isCallUp(session);
const lateReceipt = ({ messages }: Session) => (messages?.[0]?.receipts?.length ?? 0) > 0;

async function codeTo(to: string): Promise<string> {
  const response = await fetch(`${sandbox}/sandbox/messages?to=${encodeURIComponent(to)}`);
  const { messages } = (await response.json()) as { messages: { text: string; digits?: string }[] };
  const codes = messages.map(({ text, digits }) => digits || /(?<!\d)\d{6}(?!\d)/.exec(text)?.[0]);
  return codes.find(Boolean) ?? '000000';
}

/** A number of the sandbox's that no scenario is behind: the SMS is delivered at once. */
const plain = (n: number): string => `+21355${7_310_000 + n}`;

/** What a person does, beside the scenarios. */
const courses: Record<string, () => Promise<Session>> = {
  async wrong_then_right() {
    const to = plain(1);
    const id = await send(to, 'login');
    await when(id, 'delivery', settled);
    const code = await codeTo(to);
    await check(id, code === '111111' ? '222222' : '111111');
    await check(id, code);
    return sessionOf(id);
  },
  async wrong_until_failed() {
    const to = plain(2);
    const id = await send(to, 'login');
    await when(id, 'delivery', settled);
    const wrong = (await codeTo(to)) === '111111' ? '222222' : '111111';
    for (let left = 1; left > 0; left = (await sessionOf(id)).attempts_remaining) await check(id, wrong);
    return sessionOf(id);
  },
  async canceled_under_way() {
    const id = await send(String(numbers.sms_silent), 'canceled');
    await when(id, 'submit', ({ timeline }) => (timeline ?? []).some(({ kind }) => kind === 'message_submitted'));
    await call('POST', `/v1/verify/sessions/${id}/cancel`, {});
    return sessionOf(id);
  },
  async expired() {
    const id = await send(plain(3), 'login', { ttl_seconds: 60 });
    return when(id, 'expiry', ({ status }) => status === 'expired');
  },
  async resent() {
    const to = String(numbers.sms_undelivered);
    const legs = { cascade: cascade.slice(0, 1) };
    const id = await send(to, 'resent', legs);
    await when(id, 'exhaustion', settled);
    await send(to, 'resent', { ...legs, channel: 'sms' });
    return when(id, 'second exhaustion', (session) => session.run === 2 && settled(session));
  },
  async under_way() {
    const id = await send(String(numbers.sms_silent), 'under way');
    return when(id, 'second leg', ({ timeline }) => (timeline ?? []).some(({ kind }) => kind === 'message_submitted'));
  },
};

const playScenario = async (name: string, to: string): Promise<Session> => {
  const id = await send(to, 'scenario');
  return when(id, 'end', name === 'sms_late' ? lateReceipt : settled);
};

mkdirSync(folder, { recursive: true });
const all = [
  ...Object.entries(numbers).map(([name, to]) => [name, () => playScenario(name, to)] as const),
  ...Object.entries(courses),
];
await Promise.all(
  all.map(async ([name, play]) => {
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(await play(), null, 2)}\n`);
    console.log(name);
  }),
);
