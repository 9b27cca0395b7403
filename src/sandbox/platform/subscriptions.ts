// Who hears of what: the app's callback address and fields, and the business accounts the app is subscribed to.

import { z } from 'zod';
import type { Response } from '../http/server.ts';
import type { Accounts, Waba } from './accounts.ts';
import { type GraphCall, missing, success, textParam } from './call.ts';
import { graphError } from './errors.ts';
import type { PlatformIdentity } from './identity.ts';
import type { Poster, Verification } from './poster.ts';

export const webhookFields = ['messages', 'account_update', 'message_template_status_update'] as const;

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
    // What happens to an account the app is told without a subscription to it: that is how it hears of new ones.
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
