// What the deployment's own number needs at the platform, asked before a customer finds out: its token, the number, a template per
// language, and the callbacks. Each finding says what to do. Sources: those of linking.ts and health.ts, and "Webhooks" of the Graph API.

import { z } from 'zod';
import { peopleOf } from '../../core/waba/link.ts';
import { codeCategory } from './account.ts';
import type { GraphClient } from './graph.ts';
import { healthFields, healthOf, healthSchema, isRegistered, tokenEndOf } from './health.ts';

/** People that the number has written to in the last 24 hours; null = not known, and a text says why that can't be read. */
export type Recipients = number | string | null;

export interface PreflightOptions {
  client: Pick<GraphClient, 'call'>;
  /** Base address and version: `https://graph.facebook.com/v25.0`. */
  graphUrl: string;
  phoneNumberId: string;
  accessToken: string;
  /** Null = its id is not configured, and what only the app knows is not asked. */
  app: { id: string; secret: string } | null;
  template: { name: string; languages: Readonly<Record<string, string>> };
  deliverWithinSeconds: number;
  recipients: Recipients;
  /** Unix ms. */
  now: number;
}

export interface Finding {
  ok: boolean;
  what: string;
  detail: string;
}

const timeoutMs = 10_000;
const wantedScopes = ['whatsapp_business_messaging', 'whatsapp_business_management'];
/** Fields of the app's webhook; all but the first are about accounts, which only a deployment with a signup links. */
const wantedFields = [
  'messages',
  'account_update',
  'message_template_status_update',
  'message_template_quality_update',
  'phone_number_quality_update',
  'phone_number_name_update',
  'business_capability_update',
  'account_alerts',
];
/** A token that ends sooner is one that does end. */
const soonMs = 60 * 24 * 60 * 60_000;

const tokenSchema = z.object({
  data: z.object({
    is_valid: z.boolean(),
    app_id: z.string().optional().catch(undefined),
    scopes: z.array(z.string()).catch([]),
    expires_at: z.int().optional().catch(undefined),
    data_access_expires_at: z.int().optional().catch(undefined),
  }),
});
const numberSchema = z.object({
  display_phone_number: z.string().catch(''),
  verified_name: z.string().catch(''),
  status: z.string().catch(''),
  platform_type: z.string().catch(''),
  code_verification_status: z.string().catch(''),
});
const listOf = <T>(item: z.ZodType<T>) => z.object({ data: z.array(item) });
const templateSchema = z.object({
  name: z.string(),
  language: z.string(),
  status: z.string(),
  category: z.string().catch(''),
  message_send_ttl_seconds: z.coerce.number().optional().catch(undefined),
  components: z.array(z.unknown()).catch([]),
});
const subscribedSchema = z.object({ whatsapp_business_api_data: z.object({ id: z.string() }) });
const subscriptionSchema = z.object({
  object: z.string(),
  active: z.boolean().optional(),
  fields: z.array(z.object({ name: z.string() })).catch([]),
});
const errorSchema = z.object({ error: z.object({ code: z.int(), message: z.string().catch('') }) });

/** Never throws: what can not be asked is a finding, too. */
export async function preflight(options: PreflightOptions): Promise<Finding[]> {
  const { client, graphUrl, phoneNumberId, accessToken, app } = options;
  const findings: Finding[] = [];
  const note = (ok: boolean, what: string, detail: string) => findings.push({ ok, what, detail });

  async function ask<T>(what: string, schema: z.ZodType<T>, path: string, token = accessToken): Promise<T | null> {
    const exchange = await client.call({ method: 'GET', url: `${graphUrl}/${path}`, accessToken: token, timeoutMs });
    if (exchange.kind !== 'answered') {
      note(false, what, `no answer: ${exchange.kind === 'not_sent' ? exchange.code : exchange.reason}`);
      return null;
    }
    const read = schema.safeParse(exchange.body);
    if (exchange.status < 300 && read.success) return read.data;
    const error = errorSchema.safeParse(exchange.body).data?.error;
    note(false, what, error ? `${error.code}: ${error.message}` : `HTTP ${exchange.status}, in no documented form`);
    return null;
  }

  const appToken = app ? `${app.id}|${app.secret}` : accessToken;
  const query = new URLSearchParams({ input_token: accessToken });
  const token = await ask('token', tokenSchema, `debug_token?${query}`, appToken);
  if (token) tokenFindings(token.data, options, note);

  const fields = Object.keys(numberSchema.shape).join(',');
  const number = await ask('number', numberSchema, `${phoneNumberId}?fields=${fields}`);
  if (number) numberFindings(number, note);
  const entities = z.object({ health_status: z.object({ entities: z.array(partSchema) }) });
  const health = await ask(
    'health',
    z.intersection(healthSchema, entities.partial()),
    `${phoneNumberId}?fields=${healthFields}`,
  );
  if (!health) return findings;
  const { canSend, problems, quality, messagingLimit, throughput, nameStatus } = healthOf(health, null);
  const why = problems.map(({ part, code, text, solution }) => `${part} ${code} ${text} ${solution}`.trim()).join('; ');
  note(canSend === 'AVAILABLE', 'can send', [canSend, why].filter(Boolean).join(': '));
  note(quality !== 'RED', 'quality', `${quality}; name ${nameStatus}; ${throughput} throughput`);
  const { ok, detail } = recipientFinding(options.recipients, messagingLimit);
  note(ok, 'people in 24 hours', detail);

  const wabaId = health.health_status?.entities.find(({ entity_type }) => entity_type === 'WABA')?.id;
  if (!wabaId) {
    note(
      false,
      'account',
      'the platform does not name the account of the number: templates and callbacks are not checked',
    );
    return findings;
  }
  const templates = `${wabaId}/message_templates?${new URLSearchParams({
    name: options.template.name,
    fields: Object.keys(templateSchema.shape).join(','),
    limit: '100',
  })}`;
  const listed = await ask('templates', listOf(templateSchema), templates);
  if (listed) templateFindings(listed.data, options, note);

  const apps = await ask('callbacks', listOf(subscribedSchema), `${wabaId}/subscribed_apps`);
  if (apps) subscribedFinding(apps.data, app?.id ?? token?.data.app_id, wabaId, note);
  if (!app) return findings;
  const subscriptions = await ask('webhook', listOf(subscriptionSchema), `${app.id}/subscriptions`, appToken);
  if (!subscriptions) return findings;
  const webhook = subscriptions.data.find(({ object }) => object === 'whatsapp_business_account');
  const missing = wantedFields.filter((field) => !webhook?.fields.some(({ name }) => name === field));
  if (webhook?.active === false) note(false, 'webhook', 'is switched off: enter its address at the platform once more');
  note(
    missing.length === 0,
    'webhook',
    missing.length === 0 ? 'every field is subscribed' : `not subscribed: ${missing.join(', ')}`,
  );
  return findings;
}

/** An account may report to several apps: what another one is told of is not told here. */
function subscribedFinding(
  apps: readonly z.output<typeof subscribedSchema>[],
  appId: string | undefined,
  wabaId: string,
  note: Note,
): void {
  const isOurs = apps.some(({ whatsapp_business_api_data: { id } }) => appId === undefined || id === appId);
  const others = apps.length === 0 ? 'no app' : `${apps.length} other app(s) and not this one, ${appId},`;
  const subscribe = `POST ${wabaId}/subscribed_apps with the token subscribes it`;
  const detail = isOurs ? `the account reports to ${apps.length} app(s)` : `${others} subscribed: ${subscribe}`;
  note(isOurs, 'callbacks', detail);
}

const partSchema = z.object({ entity_type: z.string(), id: z.string() });

type Note = (ok: boolean, what: string, detail: string) => void;

function tokenFindings(
  data: z.output<typeof tokenSchema>['data'],
  { app, now }: Pick<PreflightOptions, 'app' | 'now'>,
  note: Note,
): void {
  if (!data.is_valid) {
    note(false, 'token', 'the platform does not accept it: make another one');
    return;
  }
  if (app && data.app_id !== undefined && data.app_id !== app.id) {
    note(false, 'token', `is of the app ${data.app_id}, in place of ${app.id}: callbacks are signed by another secret`);
  }
  const missing = wantedScopes.filter((scope) => !data.scopes.includes(scope));
  if (missing.length > 0) note(false, 'token', `lacks ${missing.join(', ')}`);
  const endsAt = tokenEndOf(data);
  if (endsAt === null) note(true, 'token', 'is accepted, and does not end');
  else note(endsAt - now > soonMs, 'token', `ends ${new Date(endsAt).toISOString()}: make one that does not`);
}

function numberFindings(number: z.output<typeof numberSchema>, note: Note): void {
  const { display_phone_number, verified_name, status, platform_type, code_verification_status } = number;
  const shown = `${display_phone_number} ${verified_name}`.trim();
  if (status === 'CONNECTED' && isRegistered(number)) note(true, 'number', `${shown} is registered`);
  else if (isRegistered(number)) note(false, 'number', `${shown} is registered, and ${status}: see WhatsApp Manager`);
  else
    note(
      false,
      'number',
      `${shown} is ${status} (${platform_type}, ${code_verification_status}): verify and register it`,
    );
}

/** Above this share of the limit it is time to ask the platform for a higher one. */
const nearShare = 0.8;

/** The platform counts what others send for the same business as well: of that nothing is known here. */
function recipientFinding(recipients: Recipients, messagingLimit: string): Pick<Finding, 'ok' | 'detail'> {
  const most = peopleOf(messagingLimit);
  const limit = most === null ? messagingLimit || 'no limit given' : `${messagingLimit}, ${most}`;
  if (recipients === null) return { ok: true, detail: `${limit}; not counted: there is no database to read` };
  if (typeof recipients === 'string') return { ok: false, detail: `${limit}; not counted: ${recipients}` };
  if (most === null || recipients < most * nearShare) return { ok: true, detail: `${recipients} of ${limit}` };
  return {
    ok: false,
    detail: `${recipients} of ${limit}: beyond it the platform refuses messages; ask it for a higher limit`,
  };
}

function templateFindings(
  listed: readonly z.output<typeof templateSchema>[],
  { template, deliverWithinSeconds }: PreflightOptions,
  note: Note,
): void {
  for (const language of new Set(Object.values(template.languages))) {
    const what = `template ${template.name} ${language}`;
    const found = listed.find((each) => each.name === template.name && each.language === language);
    if (!found) note(false, what, 'is not there');
    else if (found.status !== 'APPROVED') note(false, what, `is ${found.status}`);
    else if (found.category !== codeCategory) note(false, what, `has the category ${found.category}`);
    else if (!JSON.stringify(found.components).includes('COPY_CODE'))
      note(false, what, 'has no button that copies the code');
    else if (found.message_send_ttl_seconds !== deliverWithinSeconds) {
      const { message_send_ttl_seconds: seconds = 'an unset time' } = found;
      note(
        false,
        what,
        `is delivered within ${seconds}, in place of ${deliverWithinSeconds} seconds: edit its validity period`,
      );
    } else note(true, what, `is approved, delivered within ${deliverWithinSeconds} seconds`);
  }
}
