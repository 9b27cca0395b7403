// `npm run send -- +213…` (or a scenario's name): one verification against the running sandbox, for people without curl. It sends,
// shows the timeline as it grows, reads the code from the phone's inbox, checks it, and shows the cost.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export async function send(
  args: readonly string[],
  { env, say }: { env: NodeJS.ProcessEnv; say(line: string): void },
): Promise<number> {
  const path = join(env.RAMZ_DATA || '.data', 'sandbox.json');
  const sandbox = readSandbox(path);
  if (!sandbox) {
    say(`nothing to talk to: ${path} is missing. Run npm start first, in another terminal`);
    return 1;
  }
  const [to] = args;
  if (to === undefined) {
    say('usage: npm run send -- <number or scenario>\n\nscenarios:');
    for (const [name, number] of Object.entries(sandbox.numbers)) say(`  ${name.padEnd(20)} ${number}`);
    return 2;
  }
  try {
    return await playStory(to, sandbox, say);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    say(`no answer at ${sandbox.http}: is npm start still running?`);
    return 1;
  }
}

function readSandbox(path: string): SandboxFile | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

/** The part of `.data/sandbox.json` that the story needs. */
export interface SandboxFile {
  http: string;
  sandbox: string;
  api_key: string;
  numbers: Record<string, string>;
}

interface TimelineEntry {
  at: string;
  kind: string;
  channel?: string;
  reason?: string;
  detail?: string;
}

interface SessionAnswer {
  id: string;
  status: string;
  delivery: string;
  expires_at: string;
  cascade: { timeout_seconds: number }[];
  timeline: TimelineEntry[];
  messages: { call?: { ended: boolean } }[];
  total_cost: { amount: string; currency: string }[];
}

const everyMs = 150;

/** Resolves with the exit code: 0 when the code came and was right. */
export async function playStory(to: string, sandbox: SandboxFile, say: (line: string) => void): Promise<number> {
  const number = sandbox.numbers[to] ?? to;
  const call = api(sandbox);
  const sent = await call<SessionAnswer & ErrorAnswer>('POST', '/v1/verify/send', { to: number });
  if (sent.error) {
    say(`refused: ${sent.error.code}: ${sent.error.message}`);
    return 1;
  }
  say(`session ${sent.id} to ${number}`);
  const session = await follow(call, sent, say);
  const code = await codeOnPhone(sandbox, number);
  if (!code) {
    say(`no code reached the phone (delivery: ${session.delivery}); the session stays pending until it expires`);
    return 1;
  }
  say(`the phone shows: ${code}`);
  const checked = await call<{ valid: boolean; reason: string }>('POST', '/v1/verify/check', { id: sent.id, code });
  say(checked.valid ? 'checked: valid' : `checked: not valid (${checked.reason})`);
  const after = await hangUp(call, session, say);
  say(`cost: ${after.total_cost.map(({ amount, currency }) => `${amount} ${currency}`).join(' + ') || 'nothing'}`);
  return checked.valid ? 0 : 1;
}

interface ErrorAnswer {
  error?: { code: string; message: string };
}

type Call = <T>(method: string, path: string, body?: object) => Promise<T>;

function api({ http, api_key }: SandboxFile): Call {
  return async <T>(method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' };
    const response = await fetch(http + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    return (await response.json()) as T;
  };
}

/** Prints the timeline as it grows, until the delivery is settled or the cascade's time is over. */
async function follow(call: Call, sent: SessionAnswer, say: (line: string) => void): Promise<SessionAnswer> {
  const cascadeMs = sent.cascade.reduce((sum, leg) => sum + leg.timeout_seconds * 1000, 5_000);
  const giveUpAt = Date.now() + cascadeMs;
  let shown = 0;
  for (;;) {
    const session = await call<SessionAnswer>('GET', `/v1/verify/sessions/${sent.id}`);
    for (const entry of session.timeline.slice(shown)) say(line(entry));
    shown = session.timeline.length;
    if (session.delivery !== 'sending' || session.status !== 'pending' || Date.now() > giveUpAt) return session;
    await pause(everyMs);
  }
}

/** A call costs by its length, and a right code lets it end after the phrase being spoken: longer than any phrase. */
const hangUpMs = 10_000;

/** Waits until no call of the session is up, and prints the receipts that came meanwhile. */
async function hangUp(call: Call, shown: SessionAnswer, say: (line: string) => void): Promise<SessionAnswer> {
  for (const giveUpAt = Date.now() + hangUpMs; ; await pause(everyMs)) {
    const session = await call<SessionAnswer>('GET', `/v1/verify/sessions/${shown.id}`);
    const isUp = session.messages.some((message) => message.call?.ended === false);
    if (isUp && Date.now() < giveUpAt) continue;
    const since = session.timeline.slice(shown.timeline.length);
    for (const entry of since) if (entry.kind === 'receipt_received') say(line(entry));
    return session;
  }
}

function line({ at, kind, channel, reason, detail }: TimelineEntry): string {
  const about = [channel, reason, detail].filter(Boolean).join(', ');
  return `  ${at.slice(11, 23)}  ${kind}${about ? ` (${about})` : ''}`;
}

/** A call is in the inbox when its first reading is over and the pause after it has shown that: longer than that nothing is on its way. */
const phoneMs = 3_000;

/** The code of the newest message to the number that has one, a call's as it was heard; null when none came. */
async function codeOnPhone({ sandbox }: SandboxFile, number: string): Promise<string | null> {
  for (const giveUpAt = Date.now() + phoneMs; ; await pause(everyMs)) {
    const response = await fetch(`${sandbox}/sandbox/messages?to=${encodeURIComponent(number)}`);
    const { messages } = (await response.json()) as { messages: { text: string; digits?: string }[] };
    for (const { text, digits } of messages) {
      const code = digits || /(?<!\d)\d{4,10}(?!\d)/.exec(text)?.[0];
      if (code) return code;
    }
    if (Date.now() > giveUpAt) return null;
  }
}
