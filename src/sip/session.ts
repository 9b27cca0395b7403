// What may change while a call is up: the descriptions of both sides, by re-INVITE and UPDATE (RFC 3261 section 14, RFC 3311,
// RFC 3264), and the session timer's refreshes (RFC 4028).

import { descriptionOf, isMultipart } from './body.ts';
import type { CallContext } from './call-context.ts';
import { earliest } from './client-transaction.ts';
import type { DialogClient, Settled } from './dialog-client.ts';
import { header, values } from './headers.ts';
import type { SipMessage } from './message.ts';
import type { Replies, Reply } from './replies.ts';
import { SUPPORTED } from './requests.ts';
import { parseAnswer, writeAnswer } from './sdp.ts';
import { LEAST_SECONDS, type SessionTimer } from './session-timer.ts';
import type { HeaderLine } from './writer.ts';

const SDP: HeaderLine = ['Content-Type', 'application/sdp'];
/** Before a refresh that was refused, or that something else was in the way of, is tried again. */
const RETRY_MS = { busy: 1_000, refused: 10_000 };

export class Session {
  readonly #context: CallContext;
  readonly #client: DialogClient;
  readonly #timer: SessionTimer;
  readonly #replies: Replies;
  /** Our description as they have it. */
  #local: string;
  #version: number;
  #remote: string;
  /** Our offer went out in an answer to a re-INVITE without one: theirs comes in the ACK. */
  #awaitsAnswer = false;
  #allowsUpdate: boolean;

  constructor(context: CallContext, client: DialogClient, timer: SessionTimer, replies: Replies, remote: string) {
    this.#context = context;
    this.#client = client;
    this.#timer = timer;
    this.#replies = replies;
    this.#local = context.options.offer;
    this.#version = originOf(this.#local).version;
    this.#remote = remote;
    this.#allowsUpdate = false;
  }

  /** Takes the answer that made the call. */
  begin(answer: SipMessage, now: number): void {
    this.#allowsUpdate = allowsUpdate(answer);
    this.#timer.takeAnswer(answer, now);
  }

  /** The answer to an INVITE or UPDATE from there. */
  reply(request: SipMessage, now: number): Reply {
    const isInvite = request.method === 'INVITE';
    const hasOffer = request.body !== '';
    const offer = descriptionOf(request);
    const changes = isInvite || hasOffer;
    // Two descriptions on their way at once would leave both sides with different ones (RFC 3261 section 14.2, RFC 3311 section 5.2).
    if (changes && (this.#client.isAsking('INVITE') || this.#awaitsAnswer)) return { status: 491 };
    const type = header(request, 'content-type');
    if (hasOffer && !(/^application\/sdp\s*(;|$)/i.test(type) || (isMultipart(type) && offer !== '')))
      return { status: 415, headers: [['Accept', 'application/sdp']] };
    if (hasOffer && this.#answerTo(offer, this.#version) === null) return { status: 488 };
    const timer = this.#timer.takeRequest(request, now);
    if (timer === null) return { status: 422, headers: [['Min-SE', String(LEAST_SECONDS)]] };

    this.#client.dialog.refreshTarget(request);
    this.#allowsUpdate ||= !isInvite || allowsUpdate(request);
    const headers: HeaderLine[] = [['Contact', `<${this.#context.options.contact}>`], SUPPORTED, ...timer];
    if (!changes) return { status: 200, headers };
    const body = this.#describe((version) =>
      hasOffer ? (this.#answerTo(offer, version) ?? '') : withVersion(this.#context.options.offer, version),
    );
    if (hasOffer) this.#hear(offer);
    else this.#awaitsAnswer = true;
    return { status: 200, headers: [...headers, SDP], body };
  }

  /** Takes the ACK of our answer to a re-INVITE. */
  takeAck(ack: SipMessage): void {
    const answer = descriptionOf(ack);
    if (this.#awaitsAnswer && parseAnswer(answer).kind === 'ok') this.#hear(answer);
    this.#awaitsAnswer = false;
  }

  #answerTo(offer: string, version: number): string | null {
    const { offer: own } = this.#context.options;
    const place = parseAnswer(own);
    if (place.kind !== 'ok' || parseAnswer(offer).kind !== 'ok') return null;
    const { address, port } = place.answer;
    return writeAnswer(offer, { address, port, sessionId: originOf(own).sessionId, version });
  }

  /** A description that differs from the one before has the next version (RFC 3264 section 8). */
  #describe(write: (version: number) => string): string {
    if (write(this.#version) !== this.#local) this.#version += 1;
    this.#local = write(this.#version);
    return this.#local;
  }

  #hear(sdp: string): void {
    if (sdp !== this.#remote) this.#context.events.push({ kind: 'media', sdp });
    this.#remote = sdp;
  }

  /** A refresh of ours was settled. True where it shows that the dialog is gone (RFC 3261 section 12.2.1.2). */
  settle({ method, response }: Settled, now: number): boolean {
    const status = response?.status ?? 408;
    if (response === null || status === 408 || status === 481) return true;
    if (status < 300) {
      this.#client.dialog.refreshTarget(response);
      this.#timer.takeAnswer(response, now);
      const answer = descriptionOf(response);
      if (parseAnswer(answer).kind === 'ok') this.#hear(answer);
      return false;
    }
    const isUpdateUnknown = method === 'UPDATE' && (status === 405 || status === 501);
    if (isUpdateUnknown) this.#allowsUpdate = false;
    const isRaised = status === 422 && this.#timer.raise(response);
    // Glare: the one who made the Call-ID waits 2.1 to 4 s (section 14.1).
    const glareMs = 2_100 + (Number.parseInt(this.#context.random(1), 16) / 255) * 1_900;
    const waitMs = isUpdateUnknown || isRaised ? 0 : status === 491 ? glareMs : RETRY_MS.refused;
    this.#timer.refreshLater(now + waitMs);
    return false;
  }

  /** Sends the refresh that is due. True where the session has expired. */
  tick(now: number): boolean {
    const { refreshAt, expireAt } = this.#timer;
    if (expireAt !== null && now >= expireAt) return true;
    if (refreshAt === null || now < refreshAt) return false;
    const isBusy = this.#replies.awaitsAck || this.#client.isAsking('INVITE') || this.#client.isAsking('UPDATE');
    this.#timer.refreshLater(isBusy ? now + RETRY_MS.busy : null);
    if (isBusy) return false;
    const proposal = this.#timer.proposal();
    if (this.#allowsUpdate) this.#client.ask('UPDATE', proposal, '', now);
    else this.#client.ask('INVITE', [...proposal, SDP], this.#local, now);
    return false;
  }

  nextAt(): number | null {
    return earliest([this.#timer.refreshAt, this.#timer.expireAt]);
  }
}

const allowsUpdate = (message: SipMessage): boolean =>
  values(message, 'allow').some((method) => method.toUpperCase() === 'UPDATE');

/** Of the o= line: who described, and how often (RFC 4566 section 5.2). */
function originOf(sdp: string): { sessionId: string; version: number } {
  const [, sessionId = '0', version = '0'] = /^o=\S+ (\S+) ([0-9]+) /m.exec(sdp) ?? [];
  return { sessionId, version: Number(version) };
}

const withVersion = (sdp: string, version: number): string =>
  sdp.replace(/^(o=\S+ \S+ )[0-9]+/m, (_, before: string) => `${before}${version}`);
