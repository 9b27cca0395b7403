// The webhook sink: an endpoint such as a customer would have. It checks signatures with npm `standardwebhooks`, not with our own
// code, keeps the webhooks, and answers with errors where a test orders them. Its HTTP routes are in http/routes.ts.

import { Webhook } from 'standardwebhooks';
import type { Clock } from './clock.ts';
import { Feed, growingIds } from './feed.ts';
import type { ReceivedWebhook } from './views.ts';

/** How the sink answers its next deliveries. */
export interface Answer {
  status: number;
  /** Value of the header, in seconds. */
  retryAfter?: number | undefined;
}

export class WebhookSink {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #feed: Feed;
  readonly #nextId = growingIds();
  readonly #secrets = new Map<string, readonly Webhook[]>();
  readonly #answers = new Map<string, { answer: Answer; left: number }>();
  #received: ReceivedWebhook[] = [];

  /** Keeps the newest `limit` webhooks; default 20 000. */
  constructor(clock: Clock, limit = 20_000, feed = new Feed()) {
    this.#clock = clock;
    this.#limit = limit;
    this.#feed = feed;
  }

  /** Webhooks kept. */
  get size(): number {
    return this.#received.length;
  }

  /** Replaces the secrets (`whsec_…`) of one endpoint. @throws on a secret that is not base64. */
  setSecrets(endpoint: string, secrets: readonly string[]): void {
    this.#secrets.set(
      endpoint,
      secrets.map((secret) => new Webhook(secret)),
    );
  }

  /** The next `times` deliveries to this endpoint are answered so, well signed or not. */
  answerWith(endpoint: string, answer: Answer, times: number): void {
    this.#answers.set(endpoint, { answer, left: times });
  }

  /** Deliveries are answered as the signature says again. */
  reset(): void {
    this.#answers.clear();
  }

  /** Takes one delivery. A wrong signature, or an endpoint without secrets, is 401; else 204. */
  receive(endpoint: string, headers: Record<string, string>, body: string): Answer {
    const verified = this.#verifies(endpoint, headers, body);
    const answer = this.#scripted(endpoint) ?? { status: verified ? 204 : 401 };
    const received = {
      id: this.#nextId(),
      endpoint,
      headers,
      body,
      event: parsed(body),
      received_at: new Date(this.#clock.now()).toISOString(),
      verified,
      answered: answer.status,
    };
    this.#received.push(received);
    // Cut in batches: removing the first entry for each new one would move all the others each time.
    if (this.#received.length > this.#limit * 1.1) this.#received = this.#received.slice(-this.#limit);
    this.#feed.announce('webhook', received);
    return answer;
  }

  /** Newest first; only those about one session, where one is named. */
  list({
    sessionId,
    limit = this.#limit,
  }: {
    sessionId?: string | undefined;
    limit?: number | undefined;
  } = {}): ReceivedWebhook[] {
    const wanted =
      sessionId === undefined ? this.#received : this.#received.filter(({ event }) => sessionOf(event) === sessionId);
    return wanted.slice(Math.max(0, wanted.length - limit)).reverse();
  }

  clear(): void {
    this.#received = [];
    this.#feed.announce('cleared', { what: 'webhooks' });
  }

  #verifies(endpoint: string, headers: Record<string, string>, body: string): boolean {
    return (this.#secrets.get(endpoint) ?? []).some((secret) => {
      try {
        secret.verify(body, headers, { jsonParse: false });
        return true;
      } catch {
        return false;
      }
    });
  }

  #scripted(endpoint: string): Answer | undefined {
    const scripted = this.#answers.get(endpoint);
    if (!scripted || scripted.left <= 0) return undefined;
    scripted.left -= 1;
    return scripted.answer;
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

/** The session an event is about; undefined where it is about none. */
function sessionOf(event: unknown): unknown {
  return (event as { data?: { session_id?: unknown } | null } | null)?.data?.session_id;
}
