// The sandbox's HTTP routes: the inbox with the recordings of calls, the webhook sink, the page that shows both, and the remote
// control. Requests under /graph go to the messaging platform, which reads them by rules of its own.

import { z } from 'zod';
import { type Controlled, control } from '../control.ts';
import type { Inbox, InboxFilter } from '../inbox.ts';
import { GRAPH } from '../platform/platform.ts';
import { RECORDER, recorder } from '../recorder/recorder.ts';
import { type Handler, type Request, type Response, readJson } from './server.ts';

export interface RouteContext extends Controlled {
  inbox: Inbox;
  /** The `operators` of a configuration file that fits this sandbox. */
  operators: readonly Record<string, unknown>[];
  scenarioPrefix: string;
  /** The `messaging` section of a configuration file that fits. */
  messaging: Record<string, unknown>;
  /** The `voice` section of one; null where the sandbox has no phones. */
  voice: Record<string, unknown> | null;
  /** Where the page that records prompts writes its banks: below it, a folder a language. */
  promptsFolder: string;
}

const SINK = '/sandbox/webhook';
const RECORDING = /^\/sandbox\/recordings\/(\d+)\.wav$/;
const html = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; media-src 'self'",
};

const secretsSchema = z.strictObject({
  endpoint: z.string().default('default'),
  secrets: z
    .array(z.string().regex(/^(whsec_)?[A-Za-z0-9+/]+={0,2}$/, 'must be base64, with or without whsec_'))
    .max(10),
});

export function routes(context: RouteContext): Handler {
  const { inbox, sink } = context;
  const table: Record<string, (request: Request) => Response | Promise<Response>> = {
    'GET /': () => ({ status: 200, headers: html, body: page }),
    'GET /sandbox': () => ({ status: 200, headers: html, body: page }),
    'GET /sandbox/health': () => ({ status: 200, body: health(context) }),
    'GET /sandbox/operators': () => ({
      status: 200,
      body: { operators: context.operators, scenario_prefix: context.scenarioPrefix },
    }),
    'GET /sandbox/messages': ({ query }) => ({ status: 200, body: { messages: inbox.list(inboxFilter(query)) } }),
    'DELETE /sandbox/messages': () => {
      inbox.clear();
      return { status: 204 };
    },
    'GET /sandbox/webhooks': ({ query }) => {
      const sessionId = query.get('session_id') ?? undefined;
      return { status: 200, body: { webhooks: sink.list({ limit: limitOf(query), sessionId }) } };
    },
    'DELETE /sandbox/webhooks': () => {
      sink.clear();
      return { status: 204 };
    },
    'GET /sandbox/voice': () => ({
      status: 200,
      body: { voice: context.voice, ...context.phones?.counts, port: context.phones?.port },
    }),
    'GET /sandbox/messaging': () => ({ status: 200, body: messaging(context) }),
    'POST /sandbox/secrets': (request) => setSecrets(request, context),
    'POST /sandbox/control': async ({ body }) => {
      const result = await control(readJson(body), context);
      return result.kind === 'done' ? { status: 204 } : { status: 400, body: { error: result.message } };
    },
  };
  const record = recorder(context.promptsFolder, Date.now);
  return (request) => {
    const { method, path } = request;
    if (path === RECORDER || path.startsWith(`${RECORDER}/`)) return record(request);
    if (path.startsWith(`${GRAPH}/`)) return context.platform.handle(request);
    if (method === 'POST' && (path === SINK || path.startsWith(`${SINK}/`))) return takeWebhook(request, context);
    const recording = RECORDING.exec(path)?.[1];
    if (method === 'GET' && recording !== undefined) return wav(recording, context);
    const route = table[`${method} ${path}`];
    return route ? route(request) : { status: 404, body: { error: `no ${method} ${path} here` } };
  };
}

function takeWebhook({ path, headers, body }: Request, { sink }: RouteContext): Response {
  const endpoint = decodeURIComponentOr(path.slice(SINK.length + 1)) || 'default';
  const { status, retryAfter } = sink.receive(endpoint, headers, body);
  return { status, headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) } };
}

/** What the phone heard of one call; of a call that is up, so far. */
function wav(id: string, { phones }: RouteContext): Response {
  const body = phones?.recordings.wav(id);
  if (!body) return { status: 404, body: { error: `no recording ${id}: the newest 100 are kept` } };
  return { status: 200, headers: { 'content-type': 'audio/wav' }, body };
}

function setSecrets({ body }: Request, { sink }: RouteContext): Response {
  const parsed = secretsSchema.safeParse(readJson(body));
  if (!parsed.success) return { status: 400, body: { error: z.prettifyError(parsed.error) } };
  try {
    sink.setSecrets(parsed.data.endpoint, parsed.data.secrets);
  } catch {
    return { status: 400, body: { error: 'a secret is not base64' } };
  }
  return { status: 204 };
}

function health({ smscs, inbox, sink }: RouteContext): Record<string, unknown> {
  const operators = Object.fromEntries(smscs.map((smsc) => [smsc.id, { port: smsc.port, ...smsc.counts }]));
  return { status: 'ok', operators, messages: inbox.size, webhooks: sink.size };
}

/** The state of the messaging platform: its configuration, accounts and counts. */
function messaging({ platform, messaging: config }: RouteContext): Record<string, unknown> {
  const { accounts, identity, messages, notifier, statuses, subscriptions } = platform;
  const { appId: app_id, configId: config_id, wabaId: waba_id } = identity;
  const webhooks = { ...notifier.counts, waiting: notifier.waiting + statuses.due };
  const business_accounts = [...accounts.wabas.values()].map(({ id, name, subscription }) => ({
    id,
    name,
    subscribed: subscription !== null,
    phone_numbers: accounts.phonesOf(id).map(({ id, number, status }) => ({ id, number, status })),
  }));
  const callback_url = subscriptions.url;
  return {
    messaging: config,
    app_id,
    config_id,
    waba_id,
    callback_url,
    messages: messages.counts,
    webhooks,
    business_accounts,
  };
}

function inboxFilter(query: URLSearchParams): InboxFilter {
  return {
    limit: limitOf(query),
    // An unescaped plus sign in an address is a space.
    to: query.get('to')?.trim().replace(/^\+?/, '+'),
    channel: query.get('channel') ?? undefined,
  };
}

function limitOf(query: URLSearchParams): number | undefined {
  const limit = Number(query.get('limit') ?? Number.NaN);
  return Number.isInteger(limit) && limit >= 0 ? limit : undefined;
}

function decodeURIComponentOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The sandbox's page: the messages on the phones and the webhooks at the sink, refreshed once a second. It makes requests to this
 * sandbox only, and sets everything as text, never as markup: messages are foreign input.
 */
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sandbox inbox</title>
<style>
  :root { color-scheme: light dark; --line: #8884; --dim: #888; --accent: #0a7d5a; }
  * { box-sizing: border-box; }
  body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 4rem; font: 15px/1.5 system-ui, sans-serif; }
  header { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: baseline; }
  h1 { font-size: 1.3rem; margin: 0; }
  h2 { font-size: 1rem; margin: 2rem 0 .5rem; }
  header p { margin: 0; color: var(--dim); flex: 1; }
  input { font: inherit; padding: .25rem .6rem; border: 1px solid var(--line); border-radius: .5rem; width: 12rem; }
  ul { list-style: none; margin: 0; padding: 0; }
  li { border: 1px solid var(--line); border-radius: .7rem; padding: .6rem .9rem; margin: .5rem 0; }
  .meta { display: flex; flex-wrap: wrap; gap: .2rem .9rem; color: var(--dim); font-size: .85rem; }
  .meta b { color: var(--accent); font-weight: 600; }
  .text { margin: .25rem 0 0; font-size: 1.05rem; white-space: pre-wrap; overflow-wrap: anywhere; }
  .empty { color: var(--dim); }
  summary { cursor: pointer; }
  pre { overflow-x: auto; font-size: .8rem; margin: .5rem 0 0; }
  .bad { color: #c0392b; }
  a { color: var(--accent); }
  audio { max-width: 100%; }
</style>
</head>
<body>
<header>
  <h1>Sandbox inbox</h1>
  <p id="state" aria-live="polite">…</p>
  <a href="/sandbox/recorder">Record a voice for the calls</a>
  <input id="to" type="search" placeholder="only +213…" aria-label="Show only this number">
</header>
<h2>Messages</h2>
<ul id="messages"></ul>
<h2>Webhooks</h2>
<ul id="webhooks"></ul>
<script>
  const $ = (id) => document.getElementById(id);
  const make = (tag, className, text) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const time = (at) => new Date(at).toLocaleTimeString();
  const meta = (parts) => {
    const line = make('div', 'meta');
    parts.filter(Boolean).forEach((part, index) => line.append(make(index ? 'span' : 'b', '', part)));
    return line;
  };
  const message = (m) => {
    const item = make('li');
    const text = make('p', 'text', m.text);
    text.dir = 'auto';
    item.append(meta([m.channel, m.to, 'from ' + m.from, m.operator, time(m.received_at)]), text);
    if (m.wav) {
      const audio = make('audio');
      audio.controls = true;
      audio.preload = 'none';
      audio.src = new URL(m.wav, location.href).pathname;
      item.append(audio);
    }
    return item;
  };
  const webhook = (w) => {
    const item = make('li');
    const details = make('details');
    const summary = make('summary');
    const type = (w.event && w.event.type) || 'not JSON';
    summary.append(make('span', w.verified ? '' : 'bad', type + (w.verified ? '' : ' (bad signature)')));
    summary.append(meta([String(w.answered), w.headers['webhook-id'], time(w.received_at)]));
    details.append(summary, make('pre', '', w.event ? JSON.stringify(w.event, null, 2) : w.body));
    item.append(details);
    return item;
  };
  const shown = {};
  async function show(id, path, key, build, nothing) {
    const text = await (await fetch(path)).text();
    // A list made again would cut off the recording that is being heard.
    if (shown[id] === text || [...$(id).querySelectorAll('audio')].some((audio) => !audio.paused)) return;
    shown[id] = text;
    const items = JSON.parse(text)[key].map(build);
    $(id).replaceChildren(...(items.length ? items : [make('li', 'empty', nothing)]));
  }
  async function refresh() {
    try {
      const to = $('to').value.trim();
      const only = to ? '&to=' + encodeURIComponent(to) : '';
      await show('messages', '/sandbox/messages?limit=50' + only, 'messages', message, 'Nothing arrived yet.');
      await show('webhooks', '/sandbox/webhooks?limit=20', 'webhooks', webhook, 'No webhook came yet.');
      $('state').textContent = 'live';
    } catch {
      $('state').textContent = 'the sandbox does not answer';
    }
    setTimeout(refresh, 1000);
  }
  refresh();
</script>
</body>
</html>
`;
