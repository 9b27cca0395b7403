// Callback addresses: who subscribed to which webhooks, the verification handshake, and signed posts to an address.
// An address is stored only after it has answered the challenge, as the platform does it.

import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import { Agent, request } from 'undici';
import { z } from 'zod';
import type { Response } from '../http/server.ts';
import type { Accounts, PlatformIdentity, Waba } from './accounts.ts';
import { type GraphCall, graphError, missing, success, textParam } from './call.ts';

const TIMEOUT_MS = 10_000;
const MAX_ANSWER = 64 * 1024;

export type Verification = { kind: 'verified' } | { kind: 'failed'; why: string };

/** The result of a post: the answer's status, or why there was no answer. */
export type Posted = { kind: 'answered'; status: number } | { kind: 'unanswered'; why: string };

export class Poster {
  readonly #agent = new Agent({ connections: 8, connectTimeout: TIMEOUT_MS });
  readonly #secret: string;

  /** `secret`: the app's, which signs. */
  constructor(secret: string) {
    this.#secret = secret;
  }

  /** The handshake: a GET with a challenge, which must come back as the whole body of a 200. */
  async verify(url: string, verifyToken: string): Promise<Verification> {
    const challenge = String(randomInt(10 ** 8, 10 ** 9));
    const address = URL.parse(url);
    if (!address || !/^https?:$/.test(address.protocol)) return { kind: 'failed', why: 'not an http address' };
    address.searchParams.set('hub.mode', 'subscribe');
    address.searchParams.set('hub.challenge', challenge);
    address.searchParams.set('hub.verify_token', verifyToken);
    try {
      const { statusCode, body } = await request(address, { ...this.#options(), method: 'GET' });
      const text = (await body.text()).slice(0, MAX_ANSWER);
      if (statusCode !== 200) return { kind: 'failed', why: `HTTP status ${statusCode}, 200 expected` };
      if (text !== challenge) return { kind: 'failed', why: 'the answer is not the challenge' };
      return { kind: 'verified' };
    } catch (error) {
      return { kind: 'failed', why: String(error) };
    }
  }

  /** `badly`: signed with another secret. */
  async post(url: string, body: Buffer, badly = false): Promise<Posted> {
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'sandboxplatform/1.0',
      'x-hub-signature-256': signatureOf(body, badly ? `not ${this.#secret}` : this.#secret),
    };
    try {
      const answer = await request(url, { ...this.#options(), method: 'POST', headers, body });
      await answer.body.dump({ limit: MAX_ANSWER });
      return { kind: 'answered', status: answer.statusCode };
    } catch (error) {
      return { kind: 'unanswered', why: String(error) };
    }
  }

  /** Cuts the posts under way. */
  stop(): Promise<void> {
    return this.#agent.destroy();
  }

  #options() {
    return { dispatcher: this.#agent, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS };
  }
}

/** Value of `X-Hub-Signature-256`. */
export const signatureOf = (body: Buffer, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** Compares two secrets in constant time. */
export function isSameSecret(given: string, right: string): boolean {
  const [a, b] = [given, right].map((text) => createHmac('sha256', 'compare').update(text).digest());
  return timingSafeEqual(a as Buffer, b as Buffer);
}

export const webhookFields = [
  ...(['messages', 'account_update', 'message_template_status_update', 'message_template_quality_update'] as const),
  ...(['phone_number_quality_update', 'phone_number_name_update'] as const),
  ...(['business_capability_update', 'account_alerts'] as const),
] as const;

const OBJECT = 'whatsapp_business_account';

interface AppSubscription {
  url: string;
  fields: readonly string[];
}

const fieldsSchema = z
  .union([z.array(z.string()), z.string().transform((list) => list.split(',').map((field) => field.trim()))])
  .pipe(z.array(z.string().min(1)).min(1));

export class Subscriptions {
  readonly #identity: PlatformIdentity;
  readonly #accounts: Accounts;
  readonly #poster: Poster;
  #app: AppSubscription | null = null;

  constructor(identity: PlatformIdentity, accounts: Accounts, poster: Poster) {
    this.#identity = identity;
    this.#accounts = accounts;
    this.#poster = poster;
  }

  /** The app's callback address; null while there is none. */
  get url(): string | null {
    return this.#app?.url ?? null;
  }

  urlFor(wabaId: string, field: string): string | null {
    const subscription = this.#accounts.wabas.get(wabaId)?.subscription ?? null;
    // `account_update` needs no subscription to the account: the app learns of new accounts by it.
    if (!subscription && field !== 'account_update') return null;
    const override = field === 'messages' ? (subscription?.overrideUrl ?? null) : null;
    if (override !== null) return override;
    return this.#app?.fields.includes(field) ? this.#app.url : null;
  }

  /** Stored only after the address has answered the challenge. */
  async subscribe(url: string, verifyToken: string, fields: readonly string[] = webhookFields): Promise<Verification> {
    const verification = await this.#poster.verify(url, verifyToken);
    if (verification.kind === 'verified') this.#app = { url, fields };
    return verification;
  }

  unsubscribe(): void {
    this.#app = null;
  }

  /** `/{app_id}/subscriptions`, with an app token: `app_id|app_secret`. */
  async ofApp(call: GraphCall): Promise<Response> {
    const { appId, appSecret } = this.#identity;
    if (call.token !== `${appId}|${appSecret}`) {
      return graphError(190, { message: 'This method must be called with an app access_token.' });
    }
    if (call.method === 'DELETE') {
      this.unsubscribe();
      return success;
    }
    if (call.method === 'GET') {
      const fields = this.#app?.fields.map((name) => ({ name, version: this.#identity.version }));
      const data = this.#app ? [{ object: OBJECT, callback_url: this.#app.url, active: true, fields }] : [];
      return { status: 200, body: { data } };
    }
    const [url, verifyToken] = [textParam(call, 'callback_url'), textParam(call, 'verify_token')];
    if (call.params.object !== OBJECT) return graphError(100, { message: `(#100) Param object must be ${OBJECT}.` });
    if (url === undefined) return missing('callback_url');
    if (verifyToken === undefined) return missing('verify_token');
    const fields = fieldsSchema.safeParse(call.params.fields ?? [...webhookFields]);
    if (!fields.success) return graphError(100, { message: '(#100) Param fields must be a list of names.' });
    return outcome(await this.subscribe(url, verifyToken, fields.data));
  }

  /** `/{waba}/subscribed_apps`. */
  async ofWaba(waba: Waba, call: GraphCall): Promise<Response> {
    if (call.method === 'DELETE') {
      waba.subscription = null;
      return success;
    }
    if (call.method === 'GET') {
      const { appId: id } = this.#identity;
      const app = { whatsapp_business_api_data: { id, name: 'Sandbox', link: '' } };
      const override = waba.subscription?.overrideUrl;
      const shown = override ? { ...app, override_callback_uri: override } : app;
      return { status: 200, body: { data: waba.subscription ? [shown] : [] } };
    }
    const overrideUrl = textParam(call, 'override_callback_uri');
    if (overrideUrl !== undefined) {
      const verification = await this.#poster.verify(overrideUrl, textParam(call, 'verify_token') ?? '');
      if (verification.kind === 'failed') return outcome(verification);
    }
    waba.subscription = { overrideUrl: overrideUrl ?? null };
    return success;
  }
}

function outcome(verification: Verification): Response {
  if (verification.kind === 'verified') return success;
  const message = `(#2200) Callback verification failed with the following errors: ${verification.why}`;
  return graphError(2200, { message });
}
