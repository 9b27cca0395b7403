// The ledger: what clients were told and what reached the phones and the webhook endpoint, written down outside the server
// processes, so that it outlives every one of them.
import { createHash } from 'node:crypto';
import type { InboxMessage, ReceivedWebhook } from '../../src/sandbox/views.ts';
import type { Server } from './plan.ts';

export interface Sent {
  key: string;
  to: string;
  purpose: string;
  /** `plain`: a number of its own, delivered. `silent`: the scenario number whose receipts never come. */
  kind: 'plain' | 'silent';
  /** Every id any 200 answer to this key named: there must be one. */
  ids: Set<string>;
  /** The attempts it took until the first 200; 0 while there is none. */
  attempts: number;
}

export interface Checked {
  sessionId: string;
  key: string;
  correct: boolean;
  /** `valid` of every 200 answer to this key. */
  answers: boolean[];
}

export interface Arrived {
  to: string;
  operator: string | null;
  /** The digits in the text. */
  code: string;
  at: number;
}

/** One call to one server. */
export interface Try {
  /** Its Idempotency-Key: the same for every try of a call. */
  key: string;
  server: Server;
  /** Unix ms. */
  from: number;
  to: number;
  /** Of HTTP; 0 = none. */
  status: number;
}

/** One event, however often it was posted. */
export interface Event {
  id: string;
  type: string;
  sessionId: string;
  messageId: string;
  sequence: number;
  status: string;
  cost: { amount: string; final: boolean; revision: number } | null;
  /** When it came first, Unix ms. */
  at: number;
  copies: number;
  /** Bodies that differed from the first one with this id: there must be none. */
  otherBodies: number;
  unverified: number;
  digest: string;
}

export class Ledger {
  readonly sent: Sent[] = [];
  readonly checked: Checked[] = [];
  readonly arrived: Arrived[] = [];
  /** Of each call in their order. */
  readonly tries: Try[] = [];
  readonly events = new Map<string, Event>();
  /** Answers by HTTP status, and failures without one by their code. */
  readonly answers = new Map<string, number>();
  /** Sends and checks the client gave up: never acknowledged, so nothing was promised. */
  givenUp = 0;
  readonly #waiting = new Map<string, (code: string) => void>();
  readonly #codes = new Map<string, string>();

  answered(how: string): void {
    this.answers.set(how, (this.answers.get(how) ?? 0) + 1);
  }

  arrive({ to, operator, text, received_at }: InboxMessage): void {
    const code = /\d{10}/.exec(text)?.[0] ?? '';
    this.arrived.push({ to, operator, code, at: Date.parse(received_at) });
    this.#codes.set(to, code);
    this.#waiting.get(to)?.(code);
    this.#waiting.delete(to);
  }

  /** The code that arrives at a number of its own; null when `signal` is aborted before one does. */
  codeFor(to: string, signal: AbortSignal): Promise<string | null> {
    const code = this.#codes.get(to);
    if (code !== undefined || signal.aborted) return Promise.resolve(code ?? null);
    return new Promise((resolve) => {
      const aborted = () => {
        this.#waiting.delete(to);
        resolve(null);
      };
      signal.addEventListener('abort', aborted, { once: true });
      this.#waiting.set(to, (arrived) => {
        signal.removeEventListener('abort', aborted);
        resolve(arrived);
      });
    });
  }

  receive({ headers, body, event, verified, received_at }: ReceivedWebhook): void {
    const id = headers['webhook-id'] ?? '';
    const digest = createHash('sha256').update(body).digest('base64');
    const known = this.events.get(id);
    if (known) {
      known.copies += 1;
      known.unverified += verified ? 0 : 1;
      known.otherBodies += known.digest === digest ? 0 : 1;
      return;
    }
    // biome-ignore lint/suspicious/noExplicitAny: what is in it is what is being checked.
    const { type = '', session_sequence: sequence = 0, data = {} } = (event ?? {}) as any;
    this.events.set(id, {
      id,
      type,
      sequence,
      digest,
      copies: 1,
      otherBodies: 0,
      unverified: verified ? 0 : 1,
      at: Date.parse(received_at),
      sessionId: data.session_id ?? '',
      messageId: data.message_id ?? data.message?.id ?? '',
      status: data.status ?? (data.message ?? data.session)?.status ?? '',
      cost: data.cost ?? data.message?.cost ?? null,
    });
  }
}
