// Whole verifications against a running server, each played by one function: send, the SMS arrives, its receipt goes back, the
// webhook with the receipt comes in, the code is checked. Both ends are in this process, so that one clock times both.

import { setTimeout as sleep } from 'node:timers/promises';
import { HttpClient } from './http-client.ts';
import { type Smsc, startSmsc } from './smsc.ts';
import { startWebhookSink, type WebhookSink } from './webhook-sink.ts';

/** What came of one verification, in ms. */
export interface Played {
  id: string;
  number: string;
  /** From the moment the send was due to its answer. */
  toAnswerMs: number;
  /** From the moment the send was due to its submit_sm at the SMSC. */
  toSubmitMs: number;
  /** From the call of check to its answer. */
  checkMs: number;
  /** To the answer of check. */
  wholeMs: number;
}

export interface PlayOptions {
  /** The client's own reference of the session. */
  reference?: string;
  /** Whether in the end the code is checked, the session canceled, or nothing done once the receipt has come. Default: checked. */
  end?: 'check' | 'cancel' | 'receipt';
}

export interface LoadOptions {
  /** From submit_sm to its receipt, ms. A phone takes seconds; what counts is that it is no part of the same turn. */
  receiptAfterMs: number;
  /** From the webhook to the check, ms. Default 0. */
  checkAfterMs?: number;
}

interface Submitted {
  code: string;
  at: number;
}

/** Prefixes of the three operators the rig configures. */
export const prefixes = ['+21355', '+21366', '+21377'] as const;

/** Waited for at most: what takes longer is lost, and the bench must say so and end. */
const patienceMs = 20_000;

export class Load {
  readonly #smsc: Smsc;
  readonly #sink: WebhookSink;
  readonly #checkAfterMs: number;
  /** One for each server. */
  #clients: readonly HttpClient[] = [];
  /** By number. */
  readonly #submits = new Map<string, (submitted: Submitted) => void>();
  /** By session; `true` = it came before anybody waited. */
  readonly #webhooks = new Map<string, true | (() => void)>();
  #next = 1_000_000 + Math.floor(Math.random() * 1_000_000);
  webhooksSeen = 0;

  private constructor(smsc: Smsc, sink: WebhookSink, checkAfterMs: number) {
    this.#smsc = smsc;
    this.#sink = sink;
    this.#checkAfterMs = checkAfterMs;
  }

  static async start({ receiptAfterMs, checkAfterMs = 0 }: LoadOptions): Promise<Load> {
    let load: Load | undefined;
    const onSubmit = (number: string, text: string) => load?.takeSubmit(number, text);
    const smsc = await startSmsc({ receiptAfterMs, onSubmit });
    const sink = await startWebhookSink((body) => load?.takeWebhook(body));
    load = new Load(smsc, sink, checkAfterMs);
    return load;
  }

  get smscPort(): number {
    return this.#smsc.port;
  }

  get webhookUrl(): string {
    return this.#sink.url;
  }

  /** Each call goes to one of these ports at random, as behind a balancer that knows nothing. */
  use(ports: readonly number[], apiKey: string): void {
    this.#clients = ports.map((port) => new HttpClient({ port, headers: { authorization: `Bearer ${apiKey}` } }));
  }

  /** One verification from the first call to the last answer. @throws when any step fails or takes 20 s. */
  async play(dueAt = performance.now(), { reference, end = 'check' }: PlayOptions = {}): Promise<Played> {
    const number = this.#number();
    const sms = new Promise<Submitted>((resolve) => this.#submits.set(number, resolve));
    const further = reference === undefined ? '' : `,"client_reference":"${reference}"`;
    const { id } = await this.#call('/v1/verify/send', `{"to":"${number}"${further}}`);
    const answeredAt = performance.now();
    const { code, at } = await within(sms, 'submit_sm');
    await within(this.#webhook(id), 'the webhook');
    if (this.#checkAfterMs > 0) await sleep(this.#checkAfterMs);
    const calledAt = performance.now();
    if (end === 'cancel') await this.#call(`/v1/verify/sessions/${id}/cancel`, '{}');
    if (end === 'check') {
      const checked = await this.#call('/v1/verify/check', `{"id":"${id}","code":"${code}"}`);
      if (checked.valid !== true) throw new Error(`the code was not valid: ${JSON.stringify(checked)}`);
    }
    const endedAt = performance.now();
    const times = { toAnswerMs: answeredAt - dueAt, toSubmitMs: at - dueAt };
    return { id, number, ...times, checkMs: endedAt - calledAt, wholeMs: endedAt - dueAt };
  }

  takeSubmit(number: string, text: string): void {
    const code = /\d{6}/.exec(text)?.[0];
    const waiting = this.#submits.get(number);
    if (code === undefined || !waiting) throw new Error('a submit_sm nobody asked for');
    this.#submits.delete(number);
    waiting({ code, at: performance.now() });
  }

  takeWebhook(body: string): void {
    this.webhooksSeen += 1;
    if (!body.includes('"type":"receipt.updated"')) return;
    const id = /"session_id":"(vrf_[0-9a-z]+)"/.exec(body)?.[1];
    if (id === undefined) throw new Error('a receipt without its session');
    const waiting = this.#webhooks.get(id);
    if (typeof waiting === 'function') {
      this.#webhooks.delete(id);
      waiting();
    } else this.#webhooks.set(id, true);
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.close();
    await Promise.all([this.#smsc.close(), this.#sink.close()]);
  }

  #webhook(id: string): Promise<void> {
    if (this.#webhooks.delete(id)) return Promise.resolve();
    return new Promise((resolve) => this.#webhooks.set(id, resolve));
  }

  #number(): string {
    this.#next += 1;
    return prefixes[this.#next % prefixes.length] + String(this.#next).padStart(7, '0');
  }

  async #call(path: string, body: string): Promise<{ id: string; valid?: boolean }> {
    const client = this.#clients[Math.floor(Math.random() * this.#clients.length)];
    if (!client) throw new Error('no server to call yet');
    const answer = await within(client.post(path, body), path);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body);
  }
}

function within<T>(promise: Promise<T>, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${what} did not come within ${patienceMs} ms`)), patienceMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
