// Our requests within one dialog: BYE, UPDATE, re-INVITE. A challenge is answered here, so that the owner hears of a request once, when
// it is settled: by its final answer, or by none.

import type { CallContext } from './call-context.ts';
import { ClientTransaction, earliest, type Request, writeFailureAck } from './client-transaction.ts';
import { credentialsOf, Dialog } from './dialog.ts';
import { header, parseCSeq } from './headers.ts';
import type { SipMessage } from './message.ts';
import type { HeaderLine } from './writer.ts';

/** Every hop may ask once, and once more because its nonce is stale. */
const MOST_TRIES = 6;

export interface Settled {
  readonly method: string;
  /** Null: none came in 64 * T1. */
  readonly response: SipMessage | null;
}

interface Asking {
  readonly method: string;
  readonly headers: readonly HeaderLine[];
  readonly body: string;
  readonly answered: Set<string>;
  tries: number;
  transaction: ClientTransaction;
}

export class DialogClient {
  readonly dialog: Dialog;
  readonly #context: CallContext;
  /** Requests that wait for their answer. */
  #asking: Asking[] = [];
  /** Settled INVITEs, whose failures are acknowledged again while they are repeated. */
  #settled: ClientTransaction[] = [];

  constructor(context: CallContext, answer: SipMessage, number: number) {
    this.#context = context;
    this.dialog = new Dialog(context, answer, number);
  }

  ask(method: string, headers: readonly HeaderLine[], body: string, now: number): void {
    const transaction = this.#send(this.dialog.request(method, { headers, body }), now);
    this.#asking.push({ method, headers, body, answered: new Set(), tries: 1, transaction });
  }

  #send(request: Request, now: number): ClientTransaction {
    const { t1Ms, options } = this.#context;
    const transaction = new ClientTransaction(request, { t1Ms, reliable: options.reliable }, now);
    this.#context.out.push(transaction.bytes);
    return transaction;
  }

  isAsking(method: string): boolean {
    return this.#asking.some((each) => each.method === method);
  }

  /** Whether nothing is left to send or to wait for, but answers that were settled. */
  get isIdle(): boolean {
    return this.#asking.length === 0;
  }

  /** Sends and waits no more: the dialog is over. A re-INVITE that is answered yet gets its ACK. */
  drop(): void {
    const open = this.#asking.filter(({ method }) => method === 'INVITE');
    this.#settled.push(...open.map(({ transaction }) => transaction));
    this.#asking = [];
  }

  /** The connection refuses what is sent: nothing that was asked will be answered (RFC 3261 section 17.1.4). */
  transportFailed(): Settled[] {
    const lost = this.#asking.map(({ method }) => ({ method, response: null }));
    this.#asking = [];
    return lost;
  }

  take(response: SipMessage, now: number): Settled | null {
    const method = parseCSeq(header(response, 'cseq'))?.method ?? '';
    const settled = this.#settled.find((transaction) => transaction.fits(response, method));
    if (settled && response.status >= 200 && this.#context.mayRepeatAck(now)) this.#acknowledge(settled, response);
    const asking = this.#asking.find(({ transaction }) => transaction.fits(response, method));
    if (asking?.transaction.take(response.status, now) !== 'final') return null;
    if (method === 'INVITE') {
      this.#acknowledge(asking.transaction, response);
      if (response.status >= 300) this.#settled = [...this.#settled.slice(-3), asking.transaction];
    }
    if (this.#tryAgain(asking, response, now)) return null;
    this.#asking = this.#asking.filter((each) => each !== asking);
    return { method, response };
  }

  #acknowledge(transaction: ClientTransaction, response: SipMessage): void {
    const { request } = transaction;
    const isSuccess = response.status < 300;
    if (isSuccess) this.dialog.refreshTarget(response);
    const ack = isSuccess
      ? this.dialog.acknowledge(request.number, credentialsOf(request))
      : writeFailureAck(request, response);
    this.#context.out.push(ack);
  }

  #tryAgain(asking: Asking, response: SipMessage, now: number): boolean {
    if (response.status !== 401 && response.status !== 407) return false;
    if (asking.tries === MOST_TRIES || !this.#context.authenticator.take(response, asking.answered)) return false;
    asking.tries += 1;
    asking.transaction = this.#send(this.dialog.request(asking.method, asking), now);
    return true;
  }

  /** Sends again what is due; returns the requests that nothing answered. */
  tick(now: number): Settled[] {
    const lost: Asking[] = [];
    for (const asking of this.#asking) {
      const due = asking.transaction.tick(now);
      if (due === 'resend') this.#context.out.push(asking.transaction.bytes);
      if (due === 'timed_out') lost.push(asking);
    }
    this.#asking = this.#asking.filter((asking) => !lost.includes(asking));
    for (const transaction of this.#settled) transaction.tick(now);
    this.#settled = this.#settled.filter(({ isFinished }) => !isFinished);
    return lost.map(({ method }) => ({ method, response: null }));
  }

  nextAt(): number | null {
    const waiting = [...this.#asking.map(({ transaction }) => transaction), ...this.#settled];
    return earliest(waiting.map((transaction) => transaction.nextAt()));
  }
}
