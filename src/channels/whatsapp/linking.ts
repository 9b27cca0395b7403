// Linking a business's own account: each call of the Graph API, and the meaning of its answer: done, to be repeated, or refused
// for a reason in our words. Source: "Onboarding business customers", "Registration" and "Authentication templates" of the
// WhatsApp Business Platform.

import { z } from 'zod';
import type { WabaReason, WabaTemplateStatus } from '../../core/waba/link.ts';
import type { Answered, ListedNumber, WabaPlatform } from '../../core/waba/platform.ts';
import { authenticationTemplate, codeCategory } from './account.ts';
import type { GraphClient } from './graph.ts';
import { healthFields, healthOf, healthSchema, isRegistered, tokenEndOf } from './health.ts';
import {
  accessReason,
  accessReasonOr,
  exchangeReason,
  type Reading,
  type Refused,
  read,
  registerReason,
  settled,
  templateExists,
} from './linking-answer.ts';

export interface LinkingOptions {
  client: Pick<GraphClient, 'call'>;
  /** For the exchange of codes; default: `client`. */
  codes?: Pick<GraphClient, 'call'>;
  /** Base address and version: `https://graph.facebook.com/v25.0`. */
  graphUrl: string;
  /** null = no embedded signup is configured. */
  app: { id: string; secret: string } | null;
  template: { name: string; languages: Readonly<Record<string, string>> };
  /** The life of a code, as in the template's footer. Minutes. */
  expiryMinutes: number;
  /** How long the platform tries to deliver a message, a property of its template. */
  deliverWithinSeconds: number;
}

/** For one call. Shorter than the lease a step is taken under, so that two processes don't take it at once. */
const timeoutMs = 8_000;

const tokenSchema = z.object({ access_token: z.string().regex(/^[\x21-\x7e]{1,4096}$/) });
const inspectedSchema = z.object({
  data: z.object({
    app_id: z.string().optional(),
    is_valid: z.boolean(),
    error: z.object({ code: z.int() }).optional(),
    expires_at: z.int().optional().catch(undefined),
    data_access_expires_at: z.int().optional().catch(undefined),
    /** The accounts that each permission was given for; without `target_ids`, for all. */
    granular_scopes: z
      .array(z.object({ scope: z.string(), target_ids: z.array(z.string().regex(/^\d{1,32}$/)).optional() }))
      .optional()
      .catch(undefined),
  }),
});
/** The permission whose ids are accounts of WhatsApp; those of others are portfolios, pages, accounts of advertisements. */
const managing = 'whatsapp_business_management';
/** A list's items may be anything; the wanted ones are read one by one. */
const listSchema = z.object({ data: z.array(z.unknown()) });
/** A text to be shown: none of the characters that can't be stored, or that hide others; no longer than `most`. */
const label = (most: number) =>
  z
    .string()
    .transform((text) =>
      text
        .replace(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu, '')
        .slice(0, most)
        .toWellFormed(),
    )
    .catch('');
const numberSchema = z.object({
  id: z.string(),
  display_phone_number: label(64),
  verified_name: label(200),
  status: z.string().optional().catch(undefined),
  platform_type: z.string().optional().catch(undefined),
  code_verification_status: z.string().optional().catch(undefined),
});
/** The number beside its health: its owner may change its name at any time. */
const statedSchema = healthSchema.extend({ display_phone_number: label(64), verified_name: label(200) });
const statedFields = `${healthFields},display_phone_number,verified_name`;
const numberFields = 'id,display_phone_number,verified_name,status,platform_type,code_verification_status';
const templateFields = 'name,language,status,category,message_send_ttl_seconds';
const templateSchema = z.object({
  id: z
    .string()
    .regex(/^\d{1,32}$/)
    .catch(''),
  name: z.string(),
  language: z.string(),
  status: z.string(),
  category: z.string().catch(codeCategory),
  message_send_ttl_seconds: z.coerce.number().optional().catch(undefined),
});
type ListedTemplate = z.output<typeof templateSchema>;
/** States in which a template can be edited ("Edit templates"). */
const editable: ReadonlySet<string> = new Set(['APPROVED', 'PAUSED']);
const successSchema = z.object({ success: z.literal(true) });
const createdSchema = z.object({ id: z.string() });

/** Words of `code_verification_status`; the reference and the published schema spell the first one differently. */
const unverified: ReadonlySet<string> = new Set(['NOT_VERIFIED', 'UNVERIFIED', 'EXPIRED']);

/** Only one page is requested: no account has more numbers than this. */
const mostListed = 100;
/** A signup gives one account; a token that was given before may have more. */
const mostAccounts = 10;

export function linking(options: LinkingOptions): WabaPlatform {
  const { client, codes = client, graphUrl, app, template, expiryMinutes, deliverWithinSeconds } = options;
  const languages = [...new Set(Object.values(template.languages))];

  async function call<T>(
    schema: z.ZodType<T>,
    path: string,
    how: { method?: 'GET' | 'POST' | 'DELETE'; token: string | null; body?: object },
    by = client,
  ): Promise<Reading<T>> {
    const { token, ...request } = how;
    return read(schema, await by.call({ url: `${graphUrl}/${path}`, accessToken: token, timeoutMs, ...request }));
  }

  return {
    languages,

    async exchangeCode({ code, redirectUri }) {
      if (!app) return { kind: 'refused', reason: 'refused', code: null };
      const query = new URLSearchParams({ client_id: app.id, client_secret: app.secret, code });
      if (redirectUri !== null) query.set('redirect_uri', redirectUri);
      const how = { method: 'GET' as const, token: null };
      const answer = await call(tokenSchema, `oauth/access_token?${query}`, how, codes);
      if (answer.kind === 'ok') return { kind: 'done', token: answer.body.access_token };
      return settled(answer, exchangeReason);
    },

    async inspectToken({ token }) {
      if (!app) return { kind: 'done' };
      const answer = await inspect(token, app);
      if (answer.kind !== 'ok') return settled(answer, () => 'refused');
      const { is_valid, app_id, error } = answer.body.data;
      const code = error ? String(error.code) : null;
      if (!is_valid) return { kind: 'refused', reason: 'token_refused', code };
      return app_id === app.id ? { kind: 'done' } : { kind: 'refused', reason: 'token_of_other_app', code: null };
    },

    async readHealth({ token, phoneNumberId }) {
      const answer = await call(statedSchema, `${phoneNumberId}?fields=${statedFields}`, { method: 'GET', token });
      if (answer.kind !== 'ok') return settled(answer, accessReason);
      const inspected = app && (await inspect(token, app));
      const knowsToken = inspected?.kind === 'ok';
      const health = healthOf(answer.body, knowsToken ? tokenEndOf(inspected.body.data) : null);
      const { display_phone_number: phoneNumber, verified_name: displayName } = answer.body;
      return { kind: 'done', health, knowsToken, phoneNumber, displayName };
    },

    async findNumber({ token, wabaId, phoneNumberId }) {
      const listed = await numbersOf(wabaId, token);
      if (listed.kind !== 'done') return listed;
      const number = listed.numbers.find((each) => each.phoneNumberId === phoneNumberId);
      return number ? { kind: 'done', number } : { kind: 'refused', reason: 'number_not_found', code: null };
    },

    async listNumbers({ token, wabaId: named }) {
      if (named !== '') return numbersOf(named, token);
      const inspected = app ? await inspect(token, app) : null;
      if (!inspected) return { kind: 'refused', reason: 'refused', code: null };
      if (inspected.kind !== 'ok') return settled(inspected, () => 'refused');
      const scopes = (inspected.body.data.granular_scopes ?? []).filter(({ scope }) => scope === managing);
      if (scopes.some(({ target_ids }) => target_ids === undefined)) {
        // The token names no account then, and nothing lists them that it may read for certain.
        return { kind: 'refused', reason: 'number_ambiguous', code: null };
      }
      const ids = new Set(scopes.flatMap(({ target_ids = [] }) => target_ids));
      const numbers: ListedNumber[] = [];
      for (const wabaId of [...ids].slice(0, mostAccounts)) {
        const listed = await numbersOf(wabaId, token);
        if (listed.kind !== 'done') return listed;
        numbers.push(...listed.numbers);
      }
      return { kind: 'done', numbers };
    },

    subscribe: ({ token, wabaId }) => simple(`${wabaId}/subscribed_apps`, { token }, accessReason),
    unsubscribe: ({ token, wabaId }) => simple(`${wabaId}/subscribed_apps`, { method: 'DELETE', token }, accessReason),

    register: ({ token, phoneNumberId }, pin) =>
      simple(`${phoneNumberId}/register`, { token, body: { messaging_product: 'whatsapp', pin } }, registerReason),

    async readTemplates({ token, wabaId }) {
      const query = new URLSearchParams({ name: template.name, fields: templateFields, limit: '100' });
      const answer = await call(listSchema, `${wabaId}/message_templates?${query}`, { method: 'GET', token });
      if (answer.kind !== 'ok') return settled(answer, accessReason);
      const ours = readable(templateSchema, answer.body.data).filter(isOurs);
      const templates = Object.fromEntries(ours.map((each) => [each.language, statusOf(each)]));
      const isOutdated = ({ id, status, category, message_send_ttl_seconds }: ListedTemplate) =>
        id !== '' &&
        editable.has(status) &&
        category === codeCategory &&
        message_send_ttl_seconds !== deliverWithinSeconds;
      return { kind: 'done', templates, outdated: ours.filter(isOutdated).map(({ id }) => id) };
    },

    updateTemplate: ({ token }, id) =>
      simple(id, { token, body: { message_send_ttl_seconds: deliverWithinSeconds } }, accessReason),

    async createTemplate({ token, wabaId }, language) {
      const body = authenticationTemplate({ name: template.name, language, expiryMinutes, deliverWithinSeconds });
      const answer = await call(createdSchema, `${wabaId}/message_templates`, { token, body });
      if (answer.kind === 'ok' || (answer.kind === 'refused' && answer.error?.subcode === templateExists)) {
        return { kind: 'done' };
      }
      return settled(answer, (error) => accessReasonOr(error, 'template_refused'));
    },
  };

  async function numbersOf(wabaId: string, token: string): Promise<Answered<{ numbers: ListedNumber[] }>> {
    const query = `fields=${numberFields}&limit=${mostListed}`;
    const answer = await call(listSchema, `${wabaId}/phone_numbers?${query}`, { method: 'GET', token });
    if (answer.kind !== 'ok') return settled(answer, accessReason);
    return { kind: 'done', numbers: readable(numberSchema, answer.body.data).map((read) => listedOf(wabaId, read)) };
  }

  function inspect(token: string, { id, secret }: { id: string; secret: string }) {
    const path = `debug_token?${new URLSearchParams({ input_token: token })}`;
    return call(inspectedSchema, path, { method: 'GET', token: `${id}|${secret}` });
  }

  async function simple(
    path: string,
    how: { method?: 'POST' | 'DELETE'; token: string; body?: object },
    reasonOf: (error: Refused | null) => WabaReason,
  ): Promise<Answered<object>> {
    const answer = await call(successSchema, path, how);
    return answer.kind === 'ok' ? { kind: 'done' } : settled(answer, reasonOf);
  }

  /** Of our name only: the platform matches names by their beginning. */
  function isOurs({ name, language }: ListedTemplate): boolean {
    return name === template.name && languages.includes(language);
  }
}

function listedOf(wabaId: string, read: z.output<typeof numberSchema>): ListedNumber {
  const { id: phoneNumberId, display_phone_number: phoneNumber, verified_name: displayName } = read;
  const registered = isRegistered(read);
  // A word that is missing, or new, is left for the registration to find out.
  const verified = !unverified.has(read.code_verification_status ?? '');
  return { wabaId, phoneNumberId, phoneNumber, displayName, registered, verified };
}

const readable = <T>(schema: z.ZodType<T>, listed: readonly unknown[]): T[] =>
  listed.flatMap((each) => schema.safeParse(each).data ?? []);

/** One of the business's own of that name, in another category, takes no code: messages by it would be refused. */
function statusOf({ status, category }: ListedTemplate): WabaTemplateStatus {
  if (category !== codeCategory) return 'rejected';
  switch (status) {
    case 'APPROVED':
      return 'approved';
    case 'PENDING':
    case 'IN_APPEAL':
      return 'pending';
    case 'REJECTED':
      return 'rejected';
    case 'PAUSED':
      return 'paused';
    default: // DISABLED, PENDING_DELETION, LIMIT_EXCEEDED, and words added later
      return 'disabled';
  }
}
