// Ringing: the INVITE of one call until its final answer (RFC 3261 sections 9, 13 and 17.1.1), with the further INVITEs that a
// challenge or a session timer needs, and the CANCEL. It never leaves a phone ringing: after each wish to stop, and even after the
// call was given up, a provisional answer is met with CANCEL.

import { ALLOW, type CallContext, type CallEnd } from './call-context.ts';
import { ClientTransaction, cancelOf, earliest, type Request, writeFailureAck } from './client-transaction.ts';
import { routed } from './dialog.ts';
import { q850Of, retryAfterOf } from './headers.ts';
import type { SipMessage } from './message.ts';
import type { SessionTimer } from './session-timer.ts';
import type { HeaderLine } from './writer.ts';

export type InviteNews = { kind: 'provisional'; status: number } | { kind: 'over'; end: CallEnd };

type Stop = { readonly how: 'canceled' | 'ring_time_up'; readonly reason: string | null };

/** Challenges of several hops, stale nonces and one raised interval; beyond that it is a loop. */
const MOST_TRIES = 6;

/** A challenge, or a session interval that is to be longer: the same INVITE is sent again with what was asked for. */
const isAsking = (status: number): boolean => [401, 407, 422].includes(status);

export class Invite {
  readonly #context: CallContext;
  readonly #timer: SessionTimer;
  /** One an INVITE, the current one last. They stay: each may still be answered again. */
  readonly #attempts: ClientTransaction[] = [];
  readonly #answered = new Set<string>();
  #cancel: ClientTransaction | null = null;
  #stop: Stop | null = null;
  #ringEndsAt: number | null = null;
  /** When a canceled INVITE counts as canceled though nothing says so (section 9.1). */
  #givesUpAt: number | null = null;
  #isOver = false;
  /** The connection broke by which the INVITE would be answered. */
  #isAnswerLost = false;
  #lastProvisional = 0;

  constructor(context: CallContext, timer: SessionTimer) {
    this.#context = context;
    this.#timer = timer;
  }

  start(now: number): void {
    this.#ringEndsAt = now + this.#context.options.ringForMs;
    this.#send(now);
  }

  /** The INVITE of this number, if it was one of these. */
  request(number: number): Request | null {
    return this.#attempts.find(({ request }) => request.number === number)?.request ?? null;
  }

  /** Whether nothing is left to send or to wait for. */
  get isIdle(): boolean {
    return this.#givesUpAt === null && !this.#cancel?.isPending;
  }

  #send(now: number): void {
    const { options, localTag, authenticator, t1Ms } = this.#context;
    const number = this.#attempts.length + 1;
    const branch = this.#context.newBranch();
    const { uri, routes } = routed(options.uri, options.routes ?? []);
    const headers: HeaderLine[] = [
      ['Via', `${options.via};branch=${branch}`],
      ['Max-Forwards', '70'],
      ...routes.map((route): HeaderLine => ['Route', route]),
      ['From', `${options.from};tag=${localTag}`],
      ['To', `<${options.to ?? options.uri}>`],
      ['Call-ID', options.callId],
      ['CSeq', `${number} INVITE`],
      ['Contact', `<${options.contact}>`],
      ['Allow', ALLOW],
      ...this.#timer.proposal(),
      ...authenticator.lines('INVITE', uri),
      ...(options.headers ?? []),
      ['Content-Type', 'application/sdp'],
    ];
    const request = { method: 'INVITE', uri, headers, body: options.offer, branch, number };
    const attempt = new ClientTransaction(request, { t1Ms, reliable: options.reliable }, now);
    this.#attempts.push(attempt);
    this.#context.out.push(attempt.bytes);
  }

  /** Stops the ringing: by CANCEL as soon as a provisional answer allows it, because before it nobody there may know the INVITE. */
  stop(stop: Stop, now: number): void {
    if (this.#isOver || this.#stop !== null) return;
    this.#stop = stop;
    this.#ringEndsAt = null;
    this.#cancelIfAllowed(now);
  }

  #cancelIfAllowed(now: number): void {
    const current = this.#attempts.at(-1);
    if (this.#cancel !== null || current === undefined || current.isTrying) return;
    const { t1Ms, options } = this.#context;
    const request = cancelOf(current.request, this.#stop?.reason ?? null);
    this.#cancel = new ClientTransaction(request, { t1Ms, reliable: options.reliable }, now);
    this.#givesUpAt = now + 64 * t1Ms;
    this.#context.out.push(this.#cancel.bytes);
  }

  /** Answers to CANCEL, and those to INVITE that are not 200 to 299. */
  take(response: SipMessage, method: string, now: number): InviteNews | null {
    if (method === 'CANCEL') {
      const isFinal = this.#cancel?.fits(response, method) && this.#cancel.take(response.status, now) === 'final';
      return isFinal && this.#isAnswerLost ? this.#end(this.#stop!.how) : null;
    }
    const attempt = this.#attempts.find((each) => each.fits(response, method));
    if (attempt === undefined) return null;
    const heard = attempt.take(response.status, now);
    if (heard === 'provisional') return this.#takeProvisional(response.status, now);
    if (heard === 'final' || (heard === 'repeated' && this.#context.mayRepeatAck(now)))
      this.#context.out.push(writeFailureAck(attempt.request, response));
    return heard === 'final' ? this.#takeFailure(response, now) : null;
  }

  #takeProvisional(status: number, now: number): InviteNews | null {
    if (this.#stop !== null || this.#isOver) this.#cancelIfAllowed(now);
    if (this.#isOver || status === 100 || status === this.#lastProvisional) return null;
    this.#lastProvisional = status;
    return { kind: 'provisional', status };
  }

  #takeFailure(response: SipMessage, now: number): InviteNews | null {
    const { status } = response;
    const wasOver = this.#isOver;
    const said = { q850: q850Of(response), retryAfterSeconds: retryAfterOf(response) };
    if (wasOver || this.#stop !== null || !this.#tryAgain(response, now)) this.#finish();
    else return null;
    if (wasOver) return null;
    return { kind: 'over', end: { ...this.#endOf(status), ...said } };
  }

  /** After a wish to stop, 487 says nothing about the callee, and the wish for another INVITE nothing about the trunk either. */
  #endOf(status: number): Pick<CallEnd, 'how' | 'status'> {
    if (this.#stop !== null && isAsking(status))
      return { how: this.#lastProvisional === 0 ? 'not_called' : this.#stop.how, status: null };
    return { how: this.#stop !== null && status === 487 ? this.#stop.how : 'refused', status };
  }

  #tryAgain(response: SipMessage, now: number): boolean {
    if (this.#attempts.length >= MOST_TRIES) return false;
    const { status } = response;
    const isChallenge = status === 401 || status === 407;
    const isAnswerable = isChallenge && this.#context.authenticator.take(response, this.#answered);
    if (!isAnswerable && !(status === 422 && this.#timer.raise(response))) return false;
    this.#send(now);
    return true;
  }

  /** The INVITE has its final answer: no CANCEL is of use any more. */
  #finish(): void {
    this.#isOver = true;
    this.#cancel = null;
    this.#ringEndsAt = null;
    this.#givesUpAt = null;
  }

  /** An answer of 200 to 299 came to the INVITE of this number. Returns the wish to stop that it crossed, or null. */
  takeSuccess(number: number, now: number): Stop['how'] | null {
    this.#attempts.find(({ request }) => request.number === number)?.take(200, now);
    this.#finish();
    return this.#stop?.how ?? null;
  }

  /** @param wasSent False: the connection was refused. True: it broke, and what went out may have arrived. */
  transportFailed(wasSent: boolean): InviteNews | null {
    const current = this.#attempts.at(-1);
    if (this.#isOver || !current?.isTrying) return null;
    return this.#end(wasSent || current.sent > 1 ? 'no_answer_at_all' : 'transport');
  }

  /**
   * The connection broke after a provisional answer. The final one would go back by it (section 18.2.2), and we listen nowhere else: who picks
   * up would hear nothing. The ringing is stopped by a new connection, and is over with the answer to the CANCEL.
   */
  answerLost(now: number): InviteNews | null {
    if (this.#isOver) return null;
    if (this.#attempts.at(-1)?.isTrying) return this.transportFailed(true);
    this.#isAnswerLost = true;
    this.stop({ how: 'canceled', reason: null }, now);
    return null;
  }

  #end(how: CallEnd['how']): InviteNews {
    this.#finish();
    return { kind: 'over', end: { how, status: null, q850: null, retryAfterSeconds: null } };
  }

  tick(now: number): InviteNews | null {
    if (this.#ringEndsAt !== null && now >= this.#ringEndsAt) this.stop({ how: 'ring_time_up', reason: null }, now);
    if (this.#cancel?.tick(now) === 'resend') this.#context.out.push(this.#cancel.bytes);
    const isGivenUp = this.#givesUpAt !== null && now >= this.#givesUpAt;
    if (isGivenUp) this.#givesUpAt = null;
    let isUnanswered = false;
    for (const attempt of this.#attempts) {
      const due = this.#isOver ? null : attempt.tick(now);
      if (due === 'resend') this.#context.out.push(attempt.bytes);
      if (due === 'timed_out') isUnanswered = true;
    }
    if (this.#isOver || !(isGivenUp || isUnanswered)) return null;
    this.#isOver = true;
    this.#ringEndsAt = null;
    const how = isUnanswered ? 'no_answer_at_all' : this.#stop!.how;
    return { kind: 'over', end: { how, status: null, q850: null, retryAfterSeconds: null } };
  }

  nextAt(): number | null {
    const own = [this.#ringEndsAt, this.#givesUpAt, this.#cancel?.nextAt() ?? null];
    return earliest(this.#isOver ? own : [...own, ...this.#attempts.map((attempt) => attempt.nextAt())]);
  }
}
