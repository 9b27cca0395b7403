// `npm run send -- +213…` (or a scenario's name): one verification against the running sandbox, for people without curl. It sends,
// draws the timeline as it grows, reads the code from the phone's inbox, checks it, and shows the cost.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Refused } from '../core/refused.ts';
import { type StorySession, storyOf } from '../story/story.ts';
import { exitCodeOf, Refusal, readWords, requireReach, type VerbOptions } from './command.ts';
import { drawStory } from './send/picture.ts';
import { type Screen, screenOn } from './send/screen.ts';

export async function send(args: readonly string[], { env, say, complain = say }: VerbOptions): Promise<number> {
  const path = join(env.RAMZ_DATA || '.data', 'sandbox.json');
  const sandbox = readSandbox(path);
  return exitCodeOf({ args, usage: usageOf(sandbox), say, complain }, async () => {
    requireReach(env, { file: 'sandbox.json' });
    if (!sandbox)
      throw new Refusal(`nothing to talk to: ${path} is missing. Run npm start first, in another terminal`, 1);
    const { words } = readWords(args, {}, ['<number or scenario>']);
    try {
      return await playStory(words[0] ?? '', sandbox, screenOn(process.stdout, env));
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new Refusal(`no answer at ${sandbox.http}: is npm start still running?`, 1);
    }
  });
}

function usageOf(sandbox: SandboxFile | null): string {
  const numbers = Object.entries(sandbox?.numbers ?? {}).map(([name, number]) => `  ${name.padEnd(20)} ${number}`);
  const scenarios = numbers.length > 0 ? ['', 'scenarios:', ...numbers] : [];
  return ['usage: npm run send -- <number or scenario>', ...scenarios].join('\n');
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

type SessionAnswer = StorySession & {
  id: string;
  status: string;
  delivery: string;
  cascade: { timeout_seconds: number }[];
  messages: { call?: { ended: boolean } }[];
  total_cost: { amount: string; currency: string }[];
};

const everyMs = 150;

/** Resolves with the exit code: 0 when the code came and was right. */
export async function playStory(to: string, sandbox: SandboxFile, screen: Screen): Promise<number> {
  const number = sandbox.numbers[to] ?? to;
  const call = api(sandbox);
  let page = new Page(null, screen);
  try {
    const sent = await call<SessionAnswer>('POST', '/v1/verify/send', { to: number });
    page = new Page(`session ${sent.id} to ${number}`, screen);
    return await play(sent, number, { call, sandbox, page });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    page.say(error.message);
    return 1;
  } finally {
    screen.end();
  }
}

interface Stage {
  call: Call;
  sandbox: SandboxFile;
  page: Page;
}

async function play(sent: SessionAnswer, number: string, { call, sandbox, page }: Stage): Promise<number> {
  const session = await follow(call, sent, page);
  const code = await codeOnPhone(sandbox, number);
  if (!code) {
    page.say(`no code reached the phone (delivery: ${session.delivery}); the session stays pending until it expires`);
    return 1;
  }
  page.say(`the phone shows: ${code}`);
  const checked = await call<{ valid: boolean; reason: string }>('POST', '/v1/verify/check', { id: sent.id, code });
  page.say(checked.valid ? 'checked: valid' : `checked: not valid (${checked.reason})`);
  const after = await hangUp(call, sent.id, page);
  page.say(`cost: ${after.total_cost.map(({ amount, currency }) => `${amount} ${currency}`).join(' + ') || 'nothing'}`);
  return checked.valid ? 0 : 1;
}

/** What is on the screen: the session's picture, and below it what became of it. */
class Page {
  readonly #title: string | null;
  readonly #screen: Screen;
  readonly #said: string[] = [];
  #picture: string[] = [];

  /** @param title null where there is no session: then there is no picture either. */
  constructor(title: string | null, screen: Screen) {
    this.#title = title;
    this.#screen = screen;
  }

  draw(session: SessionAnswer): void {
    this.#picture = drawStory(storyOf(session, Date.now()), this.#screen);
    this.#show();
  }

  say(line: string): void {
    this.#said.push(line);
    this.#show();
  }

  #show(): void {
    const said = this.#said.length > 0 ? ['', ...this.#said] : [];
    this.#screen.show(this.#title === null ? this.#said : [this.#title, '', ...this.#picture, ...said]);
  }
}

interface ErrorAnswer {
  error?: { code: string; message: string };
}

/** @throws Refused with what the service says. */
type Call = <T>(method: string, path: string, body?: object) => Promise<T>;

function api({ http, api_key }: SandboxFile): Call {
  return async <T>(method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' };
    const response = await fetch(http + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    const answer = (await response.json()) as T & ErrorAnswer;
    if (answer.error) throw new Refused(`refused: ${answer.error.code}: ${answer.error.message}`);
    return answer;
  };
}

/** Draws the timeline as it grows, until the delivery is settled or the cascade's time is over. */
async function follow(call: Call, sent: SessionAnswer, page: Page): Promise<SessionAnswer> {
  const cascadeMs = sent.cascade.reduce((sum, leg) => sum + (leg.timeout_seconds ?? 0) * 1000, 5_000);
  for (const giveUpAt = Date.now() + cascadeMs; ; await pause(everyMs)) {
    const session = await call<SessionAnswer>('GET', `/v1/verify/sessions/${sent.id}`);
    page.draw(session);
    if (session.delivery !== 'sending' || session.status !== 'pending' || Date.now() > giveUpAt) return session;
  }
}

/** A call costs by its length, and a right code lets it end after the phrase being spoken: longer than any phrase. */
const hangUpMs = 10_000;

/** Waits until no call of the session is up. */
async function hangUp(call: Call, id: string, page: Page): Promise<SessionAnswer> {
  for (const giveUpAt = Date.now() + hangUpMs; ; await pause(everyMs)) {
    const session = await call<SessionAnswer>('GET', `/v1/verify/sessions/${id}`);
    page.draw(session);
    const isUp = session.messages.some((message) => message.call?.ended === false);
    if (!isUp || Date.now() >= giveUpAt) return session;
  }
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
