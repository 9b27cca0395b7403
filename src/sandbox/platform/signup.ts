// The signup dialog: the SDK script that opens it, its page, and what the platform does when a business clicks through it.
// The page has a button for each way the platform's own screens can end, so that every ending can be played.

import { z } from 'zod';
import { look } from '../../pages/look.ts';
import { type Request, type Response, readJson } from '../http/server.ts';
import type { Accounts, PlatformIdentity } from './accounts.ts';
import type { PlatformFaults, SignupAnswers } from './faults.ts';
import { readRecipient } from './message-schema.ts';
import type { Notifier } from './notifier.ts';
import type { Codes } from './oauth.ts';

export interface SignupContext {
  identity: PlatformIdentity;
  accounts: Accounts;
  codes: Codes;
  notifier: Notifier;
  faults: Pick<PlatformFaults, 'signupWithholds'>;
  now(): number;
}

const choiceSchema = z.strictObject({
  business: z.string().trim().min(1).max(100),
  /** Null: the account without a number (FINISH_ONLY_WABA). */
  number: z.string().nullable(),
  /** The dialog takes the whole page, and comes back to this address. */
  redirect_uri: z.string().nullable().default(null),
});

const csp =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'";

/**
 * GET: the page. In a window it posts to the origin that the opening script names; on its own it goes back to `redirect_uri`. Either is
 * a page on this machine only.
 */
export function signupDialog({ query }: Request, { identity, faults }: SignupContext): Response {
  const wrong = wrongParameter(query, identity);
  if (wrong !== null) return { status: 400, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: wrong };
  const { signupWithholds: withheld } = faults;
  const body = signupPage({
    origin: query.get('origin') ?? '',
    redirectUri: query.get('redirect_uri'),
    state: query.get('state') ?? '',
    withheld,
  });
  return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': csp }, body };
}

function wrongParameter(query: URLSearchParams, { appId, configId }: PlatformIdentity): string | null {
  if (query.get('client_id') !== appId) return 'client_id: there is no app with this id.';
  if (query.get('config_id') !== configId) return 'config_id: the app has no such configuration.';
  if (query.get('response_type') !== 'code') return 'response_type must be code.';
  if (query.get('override_default_response_type') !== 'true') return 'override_default_response_type must be true.';
  const extras = parseExtras(query.get('extras') ?? '{}');
  if (extras === null) return 'extras must be an object.';
  if ('sessionInfoVersion' in extras || 'setup' in extras || 'version' in extras) {
    return 'extras: versions 2 and 3 of the signup have ended. Version 4 wants them empty.';
  }
  const redirect = query.get('redirect_uri');
  if (isHere(redirect ?? query.get('origin') ?? '')) return null;
  return redirect === null ? 'origin: not among the allowed domains.' : 'redirect_uri: not among the valid ones.';
}

/** A page of this machine. Where the scheme is another one, an address with such a host may be a script (`javascript://localhost/…`). */
function isHere(address: string): boolean {
  const { protocol = '', hostname = '' } = URL.parse(address) ?? {};
  return /^https?:$/.test(protocol) && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

function parseExtras(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}

/**
 * POST by the page, when the business has clicked through: makes the account and the number, or finds them again by the
 * number. Answers with the ids that the message event carries, and the code.
 */
export function finishSignup({ body }: Request, context: SignupContext): Response {
  const { accounts, codes } = context;
  const choice = choiceSchema.safeParse(readJson(body));
  if (!choice.success) return { status: 400, body: { error: 'Give a business name.' } };
  const { business, number, redirect_uri: redirectUri } = choice.data;
  const e164 = number === null ? null : readRecipient(number);
  if (number !== null && e164 === null) return { status: 400, body: { error: 'That is no phone number.' } };
  const known = [...accounts.phones.values()].find((phone) => phone.number === e164);
  if (known?.wabaId === context.identity.wabaId) {
    return { status: 400, body: { error: 'That number belongs to another business.' } };
  }
  const waba = (known && accounts.wabas.get(known.wabaId)) ?? accounts.addWaba(business);
  const phone = e164 === null ? null : (known ?? accounts.addPhone(waba.id, e164, business));
  notifyPartner('PARTNER_ADDED', waba.id, context);
  const data = { waba_id: waba.id, business_id: waba.businessId, phone_number_id: phone?.id };
  return { status: 200, body: { data, code: codes.issue(waba.id, redirectUri) } };
}

/** The app's webhook about an account that was shared with it, or taken away. */
export function notifyPartner(
  event: 'PARTNER_ADDED' | 'PARTNER_APP_UNINSTALLED',
  wabaId: string,
  { identity, accounts, notifier, now }: SignupContext,
): void {
  const owner_business_id = accounts.wabas.get(wabaId)?.businessId;
  const partner = event === 'PARTNER_APP_UNINSTALLED' ? { partner_app_id: identity.appId } : {};
  const value = { event, waba_info: { waba_id: wabaId, owner_business_id, ...partner } };
  void notifier.notify({ wabaId, entryId: identity.businessId, field: 'account_update', value, at: now() });
}

interface DialogPage {
  /** Of the page that opened the window; already checked. */
  origin: string;
  /** Where the page goes back to, with `state`; null = it is a window. */
  redirectUri: string | null;
  state: string;
  withheld: SignupAnswers;
}

function signupPage(setup: DialogPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sandbox: connect a business account</title>
<style>${look}  * { box-sizing: border-box; }
  body { margin: 0 auto; max-width: 28rem; padding: 1.5rem 1rem; font: 15px/1.5 system-ui, sans-serif; }
  h1 { font-size: 1.2rem; margin: 0 0 .25rem; }
  p { margin: 0 0 1rem; color: var(--quiet); }
  label { display: block; margin: .8rem 0; }
  input { display: block; width: 100%; font: inherit; padding: .4rem .6rem; border: 1px solid var(--line); border-radius: .5rem; }
  button { font: inherit; width: 100%; margin: .3rem 0; padding: .5rem; border: 1px solid var(--line); border-radius: .5rem; cursor: pointer; background: none; color: inherit; }
  #finish { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
  #problem { color: var(--bad); min-height: 1.5em; margin: .5rem 0; }
</style>
</head>
<body>
<h1>Connect a business account</h1>
<p>The sandbox's stand-in for the platform's signup. Nothing leaves this machine.</p>
<label>Business name <input id="business" value="Example Shop" autocomplete="off"></label>
<label>Phone number <input id="number" type="tel" value="+213550009901" autocomplete="off"></label>
<p id="problem" role="alert"></p>
<button id="finish">Finish</button>
<button id="only-waba">Finish without a number</button>
<button id="cancel">Cancel</button>
<button id="error">Report a problem</button>
<script>
  const { origin, redirectUri, state, withheld } = ${JSON.stringify(setup).replace(/</g, '\\u003c')};
  const $ = (id) => document.getElementById(id);
  const tell = (message) => window.opener && window.opener.postMessage(JSON.stringify(message), origin);
  const session = (event, data) =>
    withheld === 'ids' || withheld === 'both' || tell({ type: 'WA_EMBEDDED_SIGNUP', event, data, version: 3 });
  const end = (code) => {
    if (redirectUri) {
      const back = new URL(redirectUri);
      back.searchParams.set('state', state);
      if (code) back.searchParams.set('code', code);
      else for (const name of ['error', 'error_reason']) back.searchParams.set(name, 'access_denied');
      location.assign(back);
      return;
    }
    tell({ type: 'SANDBOX_LOGIN', code, isWithheld: withheld === 'code' || withheld === 'both' });
    window.close();
  };
  async function finish(event, number) {
    const body = JSON.stringify({ business: $('business').value, number, redirect_uri: redirectUri });
    const answer = await fetch(location.pathname, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const { data, code, error } = await answer.json();
    if (!answer.ok) {
      $('problem').textContent = error;
      return;
    }
    session(event, data);
    end(code);
  }
  $('finish').onclick = () => finish('FINISH', $('number').value);
  $('only-waba').onclick = () => finish('FINISH_ONLY_WABA', null);
  $('cancel').onclick = () => {
    session('CANCEL', { current_step: 'PHONE_NUMBER_SETUP' });
    end(null);
  };
  $('error').onclick = () => {
    const timestamp = String(Math.floor(Date.now() / 1000));
    session('CANCEL', { error_message: 'A problem the sandbox made up', error_code: '524126', session_id: 'sandbox', timestamp });
    end(null);
  };
</script>
</body>
</html>
`;
}

export const signupSdk = `(() => {
  const base = new URL('.', document.currentScript.src);
  let app = {};
  window.FB = {
    init(options) {
      app = options;
    },
    login(callback, { config_id, response_type, override_default_response_type, extras } = {}) {
      const dialog = new URL(app.version + '/dialog/oauth', base);
      const parameters = { client_id: app.appId, config_id, response_type, override_default_response_type };
      for (const [name, value] of Object.entries(parameters)) dialog.searchParams.set(name, String(value));
      dialog.searchParams.set('extras', JSON.stringify(extras || {}));
      dialog.searchParams.set('origin', location.origin);
      const popup = window.open(dialog, 'sandbox-signup', 'width=520,height=640');
      let watch;
      const done = (code) => {
        clearInterval(watch);
        window.removeEventListener('message', listen);
        const authResponse = code ? { code, userID: null, expiresIn: null } : null;
        callback({ authResponse, status: code ? 'connected' : 'unknown' });
      };
      const listen = ({ origin, source, data }) => {
        if (origin !== base.origin || source !== popup || typeof data !== 'string') return;
        const message = JSON.parse(data);
        if (message.type !== 'SANDBOX_LOGIN') return;
        if (message.isWithheld) clearInterval(watch);
        else done(message.code);
      };
      window.addEventListener('message', listen);
      watch = setInterval(() => {
        if (!popup || popup.closed) done(null);
      }, 300);
    },
  };
  if (window.fbAsyncInit) window.fbAsyncInit();
})();
`;
