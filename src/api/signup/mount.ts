// `/connect/messaging`: the page of an embedded signup, the result it hands in, and the state of its link. The caller is the business's
// browser, which has no key: the signup's state alone says whose signup it is.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { ConnectError } from '@connectrpc/connect';
import { z } from 'zod';
import { systemActor } from '../../core/accounts/actor.ts';
import type { Waba } from '../../engine/waba/waba.ts';
import type { Mount } from '../http.ts';
import { writeJson } from '../rest/answer.ts';
import { readJsonBody } from '../rest/body.ts';
import { fail, faultOf } from '../waist/errors.ts';
import type { Allowance, Logger } from '../waist/ports.ts';
import { gonePage, policyOf, type SignupSetup, signupPage, signupPath } from './page.ts';
import { languageOf } from './words.ts';

export interface SignupMountOptions {
  waba: Pick<Waba, 'signupState' | 'begin' | 'accountChanged'>;
  /** Evaluated for each call; null = no signup is configured, and the paths are not served. */
  setup(): SignupSetup | null;
  brand(): string;
  /** The address of a request's caller. */
  clientOf(request: IncomingMessage): string;
  /** Counts one call of this address, of those that ask the database. */
  allow(peer: string): Allowance;
  logger: Logger;
}

const scripts = ['signup.js', 'origin.js', 'result.js'] as const;

const stateSchema = z.string().regex(/^[\w-]{20,128}$/);
const idSchema = z.string().regex(/^\d{5,20}$/);
const codeSchema = z.string().regex(/^[\x21-\x7e]{1,2048}$/);
const statusRequest = z.strictObject({ state: stateSchema });
const connectRequest = z.strictObject({
  state: stateSchema,
  /**
   * Neither, where a window ended without its message or the dialog took the whole page; the account alone, where the number is one that the
   * business uses in its app as well.
   */
  waba_id: idSchema.optional(),
  phone_number_id: idSchema.optional(),
  /** The code came by the page's own address. */
  redirected: z.boolean().default(false),
  code: codeSchema,
});

export function signupMount(options: SignupMountOptions): Mount {
  const files = new Map(
    scripts.map((name) => [`${signupPath}/${name}`, readFileSync(join(import.meta.dirname, 'browser', name))]),
  );
  return (request, response) => {
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (path !== signupPath && !path.startsWith(`${signupPath}/`)) return false;
    const setup = options.setup();
    if (!setup) return false;
    answer(path, request, response, setup).catch((error) => {
      // The unread rest of the body would be taken for the next request.
      if (!request.complete && !response.headersSent) response.setHeader('connection', 'close');
      if (error instanceof ConnectError && !response.headersSent) {
        for (const [name, value] of error.metadata) response.setHeader(name, value);
        writeJson(response, faultOf(error).httpStatus, { error: faultOf(error).code });
        return;
      }
      options.logger.error({ err: error }, 'signup page could not be served; the browser may load it again');
      if (response.headersSent) response.destroy();
      else writeJson(response, 503, { error: 'unavailable' });
    });
    return true;
  };

  async function answer(path: string, request: IncomingMessage, response: ServerResponse, setup: SignupSetup) {
    response.setHeader('x-content-type-options', 'nosniff');
    const reading = request.method === 'GET' || request.method === 'HEAD';
    const file = files.get(path);
    if (file && reading) {
      const type = 'text/javascript; charset=utf-8';
      response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' }).end(file);
      return;
    }
    response.setHeader('cache-control', 'no-store');
    const allowance = options.allow(options.clientOf(request));
    if (allowance.kind === 'limited') {
      const { retryAfterSeconds } = allowance;
      throw fail('rate_limited', 'too many calls', { retryAfterSeconds });
    }
    if (path === signupPath && reading) return page(request, response, setup);
    if (request.method === 'POST' && path === signupPath) return connect(request, response, setup);
    if (request.method === 'POST' && path === `${signupPath}/status`) return status(request, response);
    response.setHeader('connection', 'close'); // The unread rest of the body would be taken for the next request.
    writeJson(response, 404, { error: 'not_found' });
  }

  async function page(request: IncomingMessage, response: ServerResponse, setup: SignupSetup): Promise<void> {
    const query = new URLSearchParams(request.url?.split('?')[1] ?? '');
    // The platform's dialog brings back what the link to it had: the state and the language.
    const [stateText = '', languageText = query.get('lang')] = (query.get('state') ?? '').split('.', 2);
    const state = stateSchema.safeParse(stateText).data;
    const found = state === undefined ? undefined : await options.waba.signupState(state);
    const look = { brand: options.brand(), nonce: randomBytes(16).toString('base64') };
    const language = languageOf(languageText);
    const code = query.has('error') ? '' : (codeSchema.safeParse(query.get('code')).data ?? null);
    // Loaded again, the page of a signup that was used shows how its link stands.
    const shown = found?.kind === 'ok' && (found.isOpen || found.waba) ? found : null;
    if (shown?.waba?.step === 'verify_number') await options.waba.accountChanged(shown.waba.waba_id);
    const text =
      shown && state !== undefined
        ? signupPage({ ...look, setup, state, language, code, accountName: shown.accountName, isUsed: !shown.isOpen })
        : gonePage({ ...look, language });
    response.writeHead(shown ? 200 : 410, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policyOf(setup, look.nonce),
      // The state is in the address. The platform's window needs its opener.
      'referrer-policy': 'strict-origin',
      'cross-origin-opener-policy': 'same-origin-allow-popups',
      'x-frame-options': 'DENY',
    });
    response.end(text);
  }

  async function connect(request: IncomingMessage, response: ServerResponse, setup: SignupSetup): Promise<void> {
    const read = connectRequest.safeParse(await readJsonBody(request));
    if (!read.success) return writeJson(response, 400, { error: 'invalid_argument' });
    const { state, code, redirected, waba_id: wabaId = '', phone_number_id: phoneNumberId = '' } = read.data;
    if (wabaId === '' && phoneNumberId !== '') return writeJson(response, 400, { error: 'invalid_argument' });
    const by = { kind: 'code' as const, code, state, redirectUri: redirected ? setup.redirectUri : null };
    const actor = systemActor('embedded signup', options.clientOf(request));
    const begun = await options.waba.begin({ wabaId, phoneNumberId, by, pin: null, actor });
    if (begun.kind !== 'begun') return writeJson(response, 409, { error: begun.kind });
    writeJson(response, 200, { status: begun.waba.status, step: begun.waba.step });
  }

  /** The state of a link, without its ids, and only for the signup that led to it. */
  async function status(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const read = statusRequest.safeParse(await readJsonBody(request));
    const found = read.success ? await options.waba.signupState(read.data.state) : undefined;
    if (found?.kind !== 'ok' || !found.waba) return writeJson(response, 404, { error: 'not_found' });
    const { status, step, reason } = found.waba;
    writeJson(response, 200, { status, step: step ?? '', reason: reason ?? '' });
  }
}
