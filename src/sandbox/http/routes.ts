// The sandbox's HTTP routes: the phones page with its events, the inbox with the recordings of calls, the webhook sink, the remote control
// and the way to the service. Requests under /graph go to the messaging platform, which reads them by rules of its own.

import { z } from 'zod';
import { type Controlled, control } from '../control.ts';
import type { Inbox, InboxFilter } from '../inbox.ts';
import { playLive } from '../phones/live.ts';
import { wavOf } from '../phones/recording.ts';
import { GRAPH } from '../platform/platform.ts';
import { RECORDER, recorder } from '../recorder/recorder.ts';
import type { ServiceAddress } from '../service.ts';
import type { Events } from './events.ts';
import { guard } from './guard.ts';
import { type Pages, phonesPage } from './pages.ts';
import { pass, SERVICE } from './proxy.ts';
import { type Handler, type Handlers, type Request, type Response, readJson } from './server.ts';

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
  /** The phones page, built; null where there is none. */
  pages: Pages | null;
  events: Events;
  service: ServiceAddress;
}

const SINK = '/sandbox/webhook';
const RECORDING = /^\/sandbox\/recordings\/(\d+)\.wav$/;

const secretsSchema = z.strictObject({
  endpoint: z.string().default('default'),
  secrets: z
    .array(z.string().regex(/^(whsec_)?[A-Za-z0-9+/]+={0,2}$/, 'must be base64, with or without whsec_'))
    .max(10),
});

const isBelow = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

export function routes(context: RouteContext): Handlers {
  return {
    // The platform's dialog is opened from pages of other sites, and webhooks are posted by programs that know this machine by any name.
    guard: guard(
      (path) => isBelow(path, GRAPH) || isBelow(path, SINK),
      (path) => isBelow(path, SERVICE),
    ),
    pass: (url, incoming, outgoing) => {
      if (!url.pathname.startsWith(`${SERVICE}/`)) return false;
      pass(context.service, url, incoming, outgoing);
      return true;
    },
    handle: handler(context),
  };
}

function handler(context: RouteContext): Handler {
  const { inbox, sink, pages, events, service } = context;
  const table: Record<string, (request: Request) => Response | Promise<Response>> = {
    'GET /': () => phonesPage(pages, '/'),
    'HEAD /': () => phonesPage(pages, '/'),
    'GET /sandbox': () => ({ status: 302, headers: { location: '/' } }),
    'GET /sandbox/events': ({ query }) => events.answer({ isTerminal: query.get('reader') === 'terminal' }),
    'POST /sandbox/service': ({ body }) => {
      const wrong = service.set(readJson(body));
      return wrong === null ? { status: 204 } : { status: 400, body: { error: wrong } };
    },
    'GET /sandbox/health': () => ({ status: 200, body: health(context) }),
    'GET /sandbox/operators': () => ({
      status: 200,
      body: { operators: context.operators, scenario_prefix: context.scenarioPrefix },
    }),
    'GET /sandbox/messages': ({ query }) => ({ status: 200, body: { messages: inbox.list(inboxFilter(query)) } }),
    'DELETE /sandbox/messages': () => {
      // First: what is announced by the clearing is true by then.
      context.phones?.calls.clear();
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
    if (isBelow(path, RECORDER)) return record(request);
    if (path.startsWith(`${GRAPH}/`)) return context.platform.handle(request);
    if (method === 'POST' && isBelow(path, SINK)) return takeWebhook(request, context);
    if ((method === 'GET' || method === 'HEAD') && path.startsWith('/assets/')) return phonesPage(pages, path);
    const recording = RECORDING.exec(path)?.[1];
    if (method === 'GET' && recording !== undefined) return wav(recording, request, context);
    const route = table[`${method} ${path}`];
    return route ? route(request) : { status: 404, body: { error: `no ${method} ${path} here` } };
  };
}

function takeWebhook({ path, headers, body }: Request, { sink }: RouteContext): Response {
  const endpoint = decodeURIComponentOr(path.slice(SINK.length + 1)) || 'default';
  const { status, retryAfter } = sink.receive(endpoint, headers, body);
  return { status, headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) } };
}

/** What the phone heard of one call; of a call that is up, so far, or with `live` until it is over. */
function wav(id: string, { query }: Request, { phones }: RouteContext): Response {
  const recording = phones?.recordings.get(id);
  if (recording && !recording.isOver && query.get('live') === '1') {
    const headers = { 'content-type': 'audio/wav', 'cache-control': 'no-store' };
    return { status: 200, headers, stream: (outgoing) => playLive(recording, outgoing) };
  }
  const body = recording && wavOf(recording);
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
