// Calls of the Graph API as a client makes them, and the documented request that sends a code.
import type { PlatformIdentity } from '../../../src/sandbox/platform/accounts.ts';

export interface GraphAnswer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field.
  body: any;
}

export class GraphClient {
  readonly #base: string;
  readonly #identity: PlatformIdentity;
  /** Bearer; null: none. */
  token: string | null;

  constructor(httpUrl: string, identity: PlatformIdentity, token: string | null = identity.systemToken) {
    this.#base = `${httpUrl}/graph/${identity.version}`;
    this.#identity = identity;
    this.token = token;
  }

  async call(method: string, path: string, body?: unknown): Promise<GraphAnswer> {
    const response = await fetch(`${this.#base}/${path}`, {
      method,
      headers: {
        ...(this.token === null ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }

  send(to: string, over: Record<string, unknown> = {}): Promise<GraphAnswer> {
    return this.call('POST', `${this.#identity.phoneNumberId}/messages`, { ...this.request(to), ...over });
  }

  request(to: string, code = '482913') {
    const parameters = [{ type: 'text', text: code }];
    return {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to,
      type: 'template',
      biz_opaque_callback_data: 'msg_1',
      template: {
        name: this.#identity.templateName,
        language: { policy: 'deterministic', code: 'fr' },
        components: [
          { type: 'body', parameters },
          { type: 'button', sub_type: 'url', index: '0', parameters },
        ],
      },
    };
  }
}
