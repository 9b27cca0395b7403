// Our answers to requests of the callee (RFC 3261 section 17.2): a request that comes again gets the same answer again, and what
// answers a re-INVITE is repeated until its ACK comes (timers G and H).

import { ALLOW, type CallContext } from './call-context.ts';
import { earliest } from './client-transaction.ts';
import { header, parseCSeq, parseNameAddr, tagOf, values } from './headers.ts';
import type { SipMessage } from './message.ts';
import { type HeaderLine, writeResponse } from './writer.ts';

export interface Reply {
  readonly status: number;
  readonly headers?: readonly HeaderLine[];
  readonly body?: string;
}

const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  405: 'Method Not Allowed',
  415: 'Unsupported Media Type',
  420: 'Bad Extension',
  422: 'Session Interval Too Small',
  481: 'Call/Transaction Does Not Exist',
  488: 'Not Acceptable Here',
  491: 'Request Pending',
  500: 'Server Internal Error',
  603: 'Decline',
};

/** Answers kept for requests that come again; within a call they come one after another. */
const MOST_KEPT = 32;

/** INVITEs of theirs that wait for an ACK; the second is refused while the first waits. */
const MOST_UNACKNOWLEDGED = 8;

interface Unacknowledged {
  readonly bytes: Buffer;
  readonly isSuccess: boolean;
  readonly endsAt: number;
  intervalMs: number;
  resendAt: number | null;
}

export class Replies {
  readonly #context: CallContext;
  readonly #kept = new Map<string, Buffer>();
  /** Answers without an ACK yet, by the CSeq number of their INVITE. */
  readonly #unacknowledged = new Map<number, Unacknowledged>();

  constructor(context: CallContext) {
    this.#context = context;
  }

  /** Whether a re-INVITE of theirs was accepted and its ACK has not come yet. */
  get awaitsAck(): boolean {
    return [...this.#unacknowledged.values()].some(({ isSuccess }) => isSuccess);
  }

  /** Sends the answer again to a request that was answered; false for a new one. */
  repeat(request: SipMessage): boolean {
    const bytes = this.#kept.get(keyOf(request));
    if (bytes !== undefined) this.#context.out.push(bytes);
    return bytes !== undefined;
  }

  /** Whether the INVITE that a CANCEL names was answered here: it has the INVITE's Via (section 9.1). */
  knowsInviteOf(cancel: SipMessage): boolean {
    return this.#kept.has(keyOf(cancel).replace(/CANCEL$/, 'INVITE'));
  }

  send(request: SipMessage, reply: Reply, now: number): void {
    const bytes = write(request, reply, this.#context.localTag);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size === MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(keyOf(request), bytes);
    this.#context.out.push(bytes);
    if (request.method !== 'INVITE') return;

    const { t1Ms, options } = this.#context;
    const isSuccess = reply.status < 300;
    // A success is repeated over TCP, too: a proxy on its way may use UDP (section 13.3.1.4).
    const resendAt = isSuccess || !options.reliable ? now + t1Ms : null;
    const number = parseCSeq(header(request, 'cseq'))?.number ?? 0;
    if (this.#unacknowledged.size === MOST_UNACKNOWLEDGED) return;
    this.#unacknowledged.set(number, { bytes, isSuccess, endsAt: now + 64 * t1Ms, intervalMs: t1Ms, resendAt });
  }

  /** Takes an ACK; true for the first one of a re-INVITE that was accepted. */
  takeAck(ack: SipMessage): boolean {
    const number = parseCSeq(header(ack, 'cseq'))?.number ?? -1;
    const waiting = this.#unacknowledged.get(number);
    this.#unacknowledged.delete(number);
    return waiting?.isSuccess === true;
  }

  /** Stops waiting for ACKs: the dialog is over. */
  drop(): void {
    this.#unacknowledged.clear();
  }

  /** Repeats what is due. True where no ACK came for a success in 64 * T1: the dialog is to be ended (section 13.3.1.4). */
  tick(now: number): boolean {
    let isLost = false;
    for (const [number, waiting] of this.#unacknowledged) {
      if (now >= waiting.endsAt) {
        this.#unacknowledged.delete(number);
        isLost ||= waiting.isSuccess;
      } else if (waiting.resendAt !== null && now >= waiting.resendAt) {
        this.#context.out.push(waiting.bytes);
        waiting.intervalMs = Math.min(waiting.intervalMs * 2, 8 * this.#context.t1Ms);
        waiting.resendAt = now + waiting.intervalMs;
      }
    }
    return isLost;
  }

  nextAt(): number | null {
    return earliest([...this.#unacknowledged.values()].flatMap(({ resendAt, endsAt }) => [resendAt, endsAt]));
  }
}

/** What makes a request the same one: its first Via, which has the branch and the sender, and its CSeq (section 17.2.3). */
const keyOf = (request: SipMessage): string => {
  const { number, method } = parseCSeq(header(request, 'cseq')) ?? { number: 0, method: '' };
  return `${values(request, 'via')[0]} ${number} ${method}`;
};

function write(request: SipMessage, { status, headers = [], body = '' }: Reply, localTag: string): Buffer {
  const to = header(request, 'to');
  // A request outside of every dialog gets a tag in its answer (section 8.2.6.2).
  const tag = tagOf(to) === null && parseNameAddr(to) !== null ? `;tag=${localTag}` : '';
  return writeResponse(
    status,
    REASONS[status] ?? '',
    [
      ...(request.headers.get('via') ?? []).map((via): HeaderLine => ['Via', via]),
      ['From', header(request, 'from')],
      ['To', `${to}${tag}`],
      ['Call-ID', header(request, 'call-id')],
      ['CSeq', header(request, 'cseq')],
      ['Allow', ALLOW],
      ...headers,
    ],
    body,
  );
}
