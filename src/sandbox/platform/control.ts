// The platform's part of the remote control (`POST /sandbox/control`). Each of its actions begins with `messaging_`, so that the
// common handler can pass them on by name.

import { z } from 'zod';
import { isErrorCode } from './call.ts';
import { statusWords } from './faults.ts';
import type { Platform } from './platform.ts';
import { webhookFields } from './subscriptions.ts';

const count = z.int().min(1).max(1_000_000);
const errorCode = z.int().refine(isErrorCode, 'not an error code of the platform');
const number = z.string().regex(/^\+\d{7,15}$/, 'must be a number such as +213550000001');
const wabaId = z.string();
const templateStatus = z.enum(['PENDING', 'APPROVED', 'REJECTED', 'PAUSED', 'DISABLED']);

export const platformActions = [
  /** Where webhooks go, after the handshake; null: nowhere. */
  z.strictObject({
    action: z.literal('messaging_callback'),
    url: z.string().nullable(),
    verify_token: z.string().optional(),
    fields: z.array(z.enum(webhookFields)).min(1).optional(),
  }),
  /** The next sends are answered with this error. */
  z.strictObject({
    action: z.literal('messaging_refuse'),
    code: errorCode,
    count: count.default(1),
    details: z.string().optional(),
  }),
  /** The next sends are taken, and the connection closed instead of an answer. */
  z.strictObject({ action: z.literal('messaging_lose_answers'), count: count.default(1) }),
  /** The next sends are answered with this status and body. */
  z.strictObject({
    action: z.literal('messaging_answer'),
    status: z.int().min(200).max(599),
    body: z.string().max(100_000),
    taken: z.boolean().default(false),
    count: count.default(1),
  }),
  /** The next calls of an edge of the graph (or of `oauth`, `debug_token`) that is no send are answered with this error. */
  z.strictObject({
    action: z.literal('messaging_refuse_call'),
    edge: z.string(),
    code: errorCode,
    subcode: z.int().optional(),
    count: count.default(1),
  }),
  /** The next calls of an edge are carried out, and the connection is closed instead of an answer. */
  z.strictObject({ action: z.literal('messaging_lose_call'), edge: z.string(), count: count.default(1) }),
  /** The decision of template reviews from now on; null = reviews never end. */
  z.strictObject({ action: z.literal('messaging_reviews'), result: z.enum(['APPROVED', 'REJECTED']).nullable() }),
  /** Which answers the signup's window withholds from now on. */
  z.strictObject({ action: z.literal('messaging_signup'), withhold: z.enum(['none', 'code', 'ids', 'both']) }),
  z.strictObject({ action: z.literal('messaging_delay_answers'), ms: z.int().min(0).max(600_000) }),
  /** Which statuses messages to a number (or to all) get, in this order, until `reset`. */
  z.strictObject({
    action: z.literal('messaging_statuses'),
    to: number.optional(),
    statuses: z.array(z.enum(statusWords)).max(20),
    error_code: errorCode.optional(),
    copies: z.int().min(1).max(10).default(1),
  }),
  /** A status now, for the newest message to a number or the one with this id. */
  z.strictObject({
    action: z.literal('messaging_send_status'),
    to: number.optional(),
    wamid: z.string().optional(),
    status: z.enum(statusWords),
    error_code: errorCode.optional(),
  }),
  z.strictObject({ action: z.literal('messaging_hold_statuses') }),
  z.strictObject({ action: z.literal('messaging_release_statuses') }),
  z.strictObject({ action: z.literal('messaging_batch'), size: z.int().min(1).max(100) }),
  z.strictObject({ action: z.literal('messaging_sign_badly'), count }),
  z.strictObject({
    action: z.literal('messaging_limits'),
    per_second: z.number().positive().optional(),
    pair_burst: z.number().min(0).optional(),
    pair_interval_ms: z.number().positive().optional(),
  }),
  /** Sets a template's status, as a review or a later event does, in one language or in all. Default: the platform's own account. */
  z.strictObject({
    action: z.literal('messaging_template'),
    name: z.string(),
    language: z.string().optional(),
    waba_id: wabaId.optional(),
    status: templateStatus,
    reason: z.string().optional(),
  }),
  /** Tokens of an account stop working; without one, the system user's. */
  z.strictObject({ action: z.literal('messaging_revoke_tokens'), waba_id: wabaId.optional() }),
  /** The business takes its account back from the app. */
  z.strictObject({ action: z.literal('messaging_uninstall'), waba_id: wabaId }),
  /** A callback of the field `account_update` with this value, about an account: what the platform would do to it is done. */
  z.strictObject({
    action: z.literal('messaging_account_update'),
    waba_id: wabaId,
    value: z.looseObject({ event: z.string() }),
  }),
  /** A number's owner has shown that it is theirs, or must do so again. */
  z.strictObject({ action: z.literal('messaging_verify_number'), number, verified: z.boolean().default(true) }),
  z.strictObject({ action: z.literal('messaging_reset') }),
] as const;

export type PlatformAction = z.output<(typeof platformActions)[number]>;

export const isPlatformAction = (action: { action: string }): action is PlatformAction =>
  action.action.startsWith('messaging_');

/** Carries out an action. Null when done, else a text that names the mistake. */
export async function controlPlatform(action: PlatformAction, platform: Platform): Promise<string | null> {
  const { faults } = platform;
  switch (action.action) {
    case 'messaging_callback': {
      if (action.url === null) {
        platform.subscriptions.unsubscribe();
        return null;
      }
      const token = action.verify_token ?? platform.identity.verifyToken;
      const result = await platform.subscriptions.subscribe(action.url, token, action.fields);
      return result.kind === 'verified' ? null : `the callback was not verified: ${result.why}`;
    }
    case 'messaging_refuse':
      faults.answerNext({ kind: 'error', code: action.code, details: action.details }, action.count);
      return null;
    case 'messaging_lose_answers':
      faults.answerNext({ kind: 'lost' }, action.count);
      return null;
    case 'messaging_answer':
      faults.answerNext({ kind: 'raw', status: action.status, body: action.body, taken: action.taken }, action.count);
      return null;
    case 'messaging_refuse_call':
      faults.callNext(action.edge, { kind: 'error', code: action.code, subcode: action.subcode }, action.count);
      return null;
    case 'messaging_lose_call':
      faults.callNext(action.edge, { kind: 'lost' }, action.count);
      return null;
    case 'messaging_reviews':
      faults.reviewResult = action.result;
      return null;
    case 'messaging_signup':
      faults.signupWithholds = action.withhold;
      return null;
    case 'messaging_delay_answers':
      faults.answerDelayMs = action.ms;
      return null;
    case 'messaging_statuses': {
      const { to, statuses, error_code: code, copies } = action;
      faults.script(to, { statuses, errorCode: code, copies });
      return null;
    }
    case 'messaging_send_status': {
      const message = platform.statuses.find(action);
      if (!message) return 'there is no such message';
      void platform.statuses.send(message, action.status, action.error_code);
      return null;
    }
    case 'messaging_hold_statuses':
      faults.statusesHeld = true;
      return null;
    case 'messaging_release_statuses':
      faults.statusesHeld = false;
      platform.notifier.flush();
      return null;
    case 'messaging_batch':
      faults.batchSize = action.size;
      platform.notifier.flush();
      return null;
    case 'messaging_sign_badly':
      faults.signBadly(action.count);
      return null;
    case 'messaging_limits': {
      const { limits } = platform.limiter;
      platform.limiter.limits = {
        perSecond: action.per_second ?? limits.perSecond,
        pairBurst: action.pair_burst ?? limits.pairBurst,
        pairIntervalMs: action.pair_interval_ms ?? limits.pairIntervalMs,
      };
      platform.limiter.forget();
      return null;
    }
    case 'messaging_template':
      return platform.decideTemplate(action);
    case 'messaging_revoke_tokens':
      return platform.revokeTokens(action.waba_id);
    case 'messaging_uninstall':
      return platform.uninstall(action.waba_id);
    case 'messaging_account_update':
      return platform.updateAccount(action.waba_id, action.value);
    case 'messaging_verify_number': {
      const phone = [...platform.accounts.phones.values()].find((each) => each.number === action.number);
      if (phone) phone.verified = action.verified;
      return phone ? null : 'there is no such number';
    }
    case 'messaging_reset':
      platform.reset();
      return null;
  }
}
