// The sandbox's HTTP routes: the inbox, the webhook sink, the page that shows both, and the remote control. Requests under /graph
// go to the messaging platform, which reads them by rules of its own.

import { z } from 'zod';
import { type Controlled, control } from '../control.ts';
import type { Inbox, InboxFilter } from '../inbox.ts';
import { GRAPH } from '../platform/platform.ts';
import { page } from './page.ts';
import type { Handler, Request, Response } from './server.ts';

export interface RouteContext extends Controlled {
  inbox: Inbox;
  /** The `operators` of a configuration file that fits this sandbox. */
  operators: readonly Record<string, unknown>[];
  scenarioPrefix: string;
  /** The `messaging` section of a configuration file that fits. */
  messaging: Record<string, unknown>;
}

const SINK = '/sandbox/webhook';
const html = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'",
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
    'GET /sandbox/messaging': () => ({ status: 200, body: messaging(context) }),
    'POST /sandbox/secrets': (request) => setSecrets(request, context),
    'POST /sandbox/control': async ({ body }) => {
      const result = await control(json(body), context);
      return result.kind === 'done' ? { status: 204 } : { status: 400, body: { error: result.message } };
    },
  };
  return (request) => {
    const { method, path } = request;
    if (path.startsWith(`${GRAPH}/`)) return context.platform.handle(request);
    if (method === 'POST' && (path === SINK || path.startsWith(`${SINK}/`))) return takeWebhook(request, context);
    const route = table[`${method} ${path}`];
    return route ? route(request) : { status: 404, body: { error: `no ${method} ${path} here` } };
  };
}

function takeWebhook({ path, headers, body }: Request, { sink }: RouteContext): Response {
  const endpoint = decodeURIComponentOr(path.slice(SINK.length + 1)) || 'default';
  const { status, retryAfter } = sink.receive(endpoint, headers, body);
  return { status, headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) } };
}

function setSecrets({ body }: Request, { sink }: RouteContext): Response {
  const parsed = secretsSchema.safeParse(json(body));
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

function json(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function decodeURIComponentOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
