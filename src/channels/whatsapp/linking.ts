// Linking a business's own account: each call of the Graph API, and the meaning of its answer: done, to be repeated, or refused
// for a reason in our words. Source: "Onboarding business customers", "Registration" and "Authentication templates" of the
// WhatsApp Business Platform.

import { z } from 'zod';
import type {
  Answered,
  ListedNumber,
  WabaPlatform,
  WabaReason,
  WabaTemplateStatus,
  WabaTemplates,
} from '../../core/waba/link.ts';
import { authenticationTemplate } from './account.ts';
import { errorMeaning } from './errors.ts';
import type { Exchange, GraphClient } from './graph.ts';
import { healthFields, healthOf, healthSchema, tokenEndOf } from './health.ts';

export interface LinkingOptions {
  client: Pick<GraphClient, 'call'>;
  /** Base address and version: `https://graph.facebook.com/v25.0`. */
  graphUrl: string;
  /** null = no embedded signup is configured. */
  app: { id: string; secret: string } | null;
  template: { name: string; languages: Readonly<Record<string, string>> };
  /** The life of a code, as in the template's footer. Minutes. */
  expiryMinutes: number;
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
/** A list's items may be anything; the wanted ones are read one by one. */
const listSchema = z.object({ data: z.array(z.unknown()) });
/** A text to be shown: none of the characters that can't be stored, or that hide others; no longer than `most`. */
const label = (most: number) =>
  z
    .string()
    .transform((text) => text.replace(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu, '').slice(0, most))
    .catch('');
const numberSchema = z.object({
  id: z.string(),
  display_phone_number: label(64),
  verified_name: label(200),
  status: z.string().optional().catch(undefined),
  platform_type: z.string().optional().catch(undefined),
  code_verification_status: z.string().optional().catch(undefined),
});
const numberFields = 'id,display_phone_number,verified_name,status,platform_type,code_verification_status';
const templateSchema = z.object({ name: z.string(), language: z.string(), status: z.string() });
const successSchema = z.object({ success: z.literal(true) });
const createdSchema = z.object({ id: z.string() });

/** Words of `code_verification_status`; the reference and the published schema spell the first one differently. */
const unverified: ReadonlySet<string> = new Set(['NOT_VERIFIED', 'UNVERIFIED', 'EXPIRED']);

/** Only one page is requested: no account has more numbers than this. */
const mostListed = 100;
/** A signup gives one account; a token that was given before may have more. */
const mostAccounts = 10;

export function linking(options: LinkingOptions): WabaPlatform {
  const { client, graphUrl, app, template, expiryMinutes } = options;
  const languages = [...new Set(Object.values(template.languages))];

  async function call<T>(
    schema: z.ZodType<T>,
    path: string,
    how: { method?: 'GET' | 'POST' | 'DELETE'; token: string | null; body?: object },
  ): Promise<Reading<T>> {
    const { token, ...request } = how;
    return read(schema, await client.call({ url: `${graphUrl}/${path}`, accessToken: token, timeoutMs, ...request }));
  }

  return {
    languages,

    async exchangeCode({ code, redirectUri }) {
      if (!app) return { kind: 'refused', reason: 'refused', code: null };
      const query = new URLSearchParams({ client_id: app.id, client_secret: app.secret, code });
      if (redirectUri !== null) query.set('redirect_uri', redirectUri);
      const answer = await call(tokenSchema, `oauth/access_token?${query}`, { method: 'GET', token: null });
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
      const answer = await call(healthSchema, `${phoneNumberId}?fields=${healthFields}`, { method: 'GET', token });
      if (answer.kind !== 'ok') return settled(answer, accessReason);
      const inspected = app && (await inspect(token, app));
      const end = inspected?.kind === 'ok' ? tokenEndOf(inspected.body.data) : null;
      return { kind: 'done', health: healthOf(answer.body, end) };
    },

    async findNumber({ token, wabaId, phoneNumberId }) {
      const listed = await numbersOf(wabaId, token);
      if (listed.kind !== 'done') return listed;
      const number = listed.numbers.find((each) => each.phoneNumberId === phoneNumberId);
      return number ? { kind: 'done', number } : { kind: 'refused', reason: 'number_not_found', code: null };
    },

    async listNumbers(token) {
      const inspected = app ? await inspect(token, app) : null;
      if (!inspected) return { kind: 'refused', reason: 'refused', code: null };
      if (inspected.kind !== 'ok') return settled(inspected, () => 'refused');
      const scopes = inspected.body.data.granular_scopes ?? [];
      const ids = new Set(scopes.flatMap(({ target_ids }) => target_ids ?? []));
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
      const query = new URLSearchParams({ name: template.name, fields: 'name,language,status', limit: '100' });
      const answer = await call(listSchema, `${wabaId}/message_templates?${query}`, { method: 'GET', token });
      if (answer.kind !== 'ok') return settled(answer, accessReason);
      return { kind: 'done', templates: templatesOf(readable(templateSchema, answer.body.data)) };
    },

    async createTemplate({ token, wabaId }, language) {
      const body = authenticationTemplate(template.name, language, expiryMinutes);
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

  /** The templates of our name only: the platform matches names by their beginning. */
  function templatesOf(listed: z.output<typeof templateSchema>[]): WabaTemplates {
    const ours = listed.filter(({ name, language }) => name === template.name && languages.includes(language));
    return Object.fromEntries(ours.map(({ language, status }) => [language, statusOf(status)]));
  }
}

function listedOf(wabaId: string, read: z.output<typeof numberSchema>): ListedNumber {
  const { id: phoneNumberId, display_phone_number: phoneNumber, verified_name: displayName, status } = read;
  const registered = status === 'CONNECTED' && read.platform_type === 'CLOUD_API';
  // A word that is missing, or new, is left for the registration to find out.
  const verified = !unverified.has(read.code_verification_status ?? '');
  return { wabaId, phoneNumberId, phoneNumber, displayName, registered, verified };
}

const readable = <T>(schema: z.ZodType<T>, listed: readonly unknown[]): T[] =>
  listed.flatMap((each) => schema.safeParse(each).data ?? []);

const errorSchema = z.object({
  error: z.object({ code: z.int(), error_subcode: z.int().optional(), is_transient: z.boolean().optional() }),
});

/** A refusal as the platform words it. */
interface Refused {
  code: number;
  subcode: number | undefined;
}
type Reading<T> =
  | { kind: 'ok'; body: T }
  | { kind: 'again'; code: string }
  | { kind: 'refused'; code: string; error: Refused | null };

/** The meaning of an answer. An unclear one means `again`: every call may be repeated. */
function read<T>(schema: z.ZodType<T>, exchange: Exchange): Reading<T> {
  if (exchange.kind === 'not_sent') return { kind: 'again', code: exchange.code };
  if (exchange.kind === 'unknown') return { kind: 'again', code: exchange.reason };
  const { status, body } = exchange;
  if (status >= 200 && status < 300) {
    const read = schema.safeParse(body);
    return read.success ? { kind: 'ok', body: read.data } : { kind: 'again', code: 'unreadable_answer' };
  }
  const error = errorSchema.safeParse(body).data?.error;
  if (!error) {
    const code = `HTTP ${status}`;
    // A redirect is no answer of the platform's either: a gateway wrote it.
    const passes = status >= 500 || status < 400 || status === 429 || status === 408;
    return passes ? { kind: 'again', code } : { kind: 'refused', code, error: null };
  }
  const meaning = errorMeaning(error.code);
  const passes = meaning === 'slow_down' || meaning === 'trouble' || error.is_transient;
  // A wrong secret of the app comes as code 1, too, which otherwise is a passing fault of the platform's: for a code that lives
  // half a minute it makes no difference.
  if (passes) return { kind: 'again', code: String(error.code) };
  return { kind: 'refused', code: String(error.code), error: { code: error.code, subcode: error.error_subcode } };
}

const templateExists = 2388024;
const mustVerify = 133006;
const codeExpired = 36007;

function settled(
  answer: Exclude<Reading<unknown>, { kind: 'ok' }>,
  reasonOf: (error: Refused | null) => WabaReason,
): Extract<Answered<object>, { kind: 'again' | 'refused' }> {
  if (answer.kind === 'again') return answer;
  return { kind: 'refused', reason: reasonOf(answer.error), code: answer.code };
}

function exchangeReason(error: Refused | null): WabaReason {
  if (error?.subcode === codeExpired) return 'code_expired';
  return error?.code === 100 ? 'code_refused' : 'refused';
}

function accessReason(error: Refused | null): WabaReason {
  return accessReasonOr(error, 'refused');
}

function accessReasonOr(error: Refused | null, other: WabaReason): WabaReason {
  if (!error) return other;
  if (error.code === 0 || error.code === 190) return 'token_refused';
  // The platform reports objects that a token may not see as missing: 100 with subcode 33, or 33.
  const hidden = error.code === 33 || (error.code === 100 && error.subcode === 33);
  return hidden || errorMeaning(error.code) === 'channel_down' ? 'permission_missing' : other;
}

/** A PIN that differs, or was guessed too often. */
const pinCodes: ReadonlySet<number> = new Set([133005, 133008, 133009]);

function registerReason(error: Refused | null): WabaReason {
  if (error && pinCodes.has(error.code)) return 'pin_refused';
  if (error?.code === mustVerify) return 'number_unverified';
  return accessReasonOr(error, 'registration_refused');
}

function statusOf(word: string): WabaTemplateStatus {
  switch (word) {
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
