// The signup dialog: what the platform does when a business clicks through it. The page itself is in signup-page.ts, the
// script that opens it in signup-sdk.ts.

import { z } from 'zod';
import type { Request, Response } from '../http/server.ts';
import type { Accounts } from './accounts.ts';
import type { Codes } from './codes.ts';
import type { PlatformIdentity } from './identity.ts';
import { readRecipient } from './message-schema.ts';
import type { Notifier } from './notifier.ts';
import { signupPage } from './signup-page.ts';

export interface SignupContext {
  identity: PlatformIdentity;
  accounts: Accounts;
  codes: Codes;
  notifier: Notifier;
  now(): number;
}

const choiceSchema = z.strictObject({
  business: z.string().trim().min(1).max(100),
  /** Null: the account without a number (FINISH_ONLY_WABA). */
  number: z.string().nullable(),
});

const csp =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'";

/** GET: the page. It talks only to pages on this machine: the origin is told by the script that opened it. */
export function signupDialog({ query }: Request, { identity }: SignupContext): Response {
  const wrong = wrongParameter(query, identity);
  if (wrong !== null) return { status: 400, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: wrong };
  const body = signupPage(query.get('origin') ?? '');
  return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': csp }, body };
}

function wrongParameter(query: URLSearchParams, { appId, configId }: PlatformIdentity): string | null {
  if (query.get('client_id') !== appId) return 'client_id: there is no app with this id.';
  if (query.get('config_id') !== configId) return 'config_id: the app has no such configuration.';
  if (query.get('response_type') !== 'code') return 'response_type must be code.';
  if (query.get('override_default_response_type') !== 'true') return 'override_default_response_type must be true.';
  const host = URL.parse(query.get('origin') ?? '')?.hostname ?? '';
  if (!/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host)) return 'origin: not among the allowed domains.';
  return null;
}

/**
 * POST by the page, when the business has clicked through: makes the account and the number, or finds them again by the
 * number. Answers with the ids that the message event carries, and the code.
 */
export function finishSignup({ body }: Request, context: SignupContext): Response {
  const { accounts, codes } = context;
  const choice = choiceSchema.safeParse(parsed(body));
  if (!choice.success) return { status: 400, body: { error: 'Give a business name.' } };
  const { business, number } = choice.data;
  const e164 = number === null ? null : readRecipient(number);
  if (number !== null && e164 === null) return { status: 400, body: { error: 'That is no phone number.' } };
  const known = [...accounts.phones.values()].find((phone) => phone.number === e164);
  if (known?.wabaId === context.identity.wabaId) {
    return { status: 400, body: { error: 'That number belongs to someone else.' } };
  }
  const waba = (known && accounts.wabas.get(known.wabaId)) ?? accounts.addWaba(business);
  const phone = e164 === null ? null : (known ?? accounts.addPhone(waba.id, e164, business));
  tellPartner('PARTNER_ADDED', waba.id, context);
  const data = { waba_id: waba.id, business_id: waba.businessId, ...(phone ? { phone_number_id: phone.id } : {}) };
  return { status: 200, body: { data, code: codes.issue(waba.id) } };
}

/** The app's webhook about an account that was shared with it, or taken away. */
export function tellPartner(
  event: 'PARTNER_ADDED' | 'PARTNER_APP_UNINSTALLED',
  wabaId: string,
  { identity, accounts, notifier, now }: SignupContext,
): void {
  const owner_business_id = accounts.wabas.get(wabaId)?.businessId;
  const partner = event === 'PARTNER_APP_UNINSTALLED' ? { partner_app_id: identity.appId } : {};
  const value = { event, waba_info: { waba_id: wabaId, owner_business_id, ...partner } };
  void notifier.notify({ wabaId, entryId: identity.businessId, field: 'account_update', value, at: now() });
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
