// One outgoing call as a state machine without I/O: messages, times and the wish to hang up go in; bytes, events and the next time to
// look come out. It rings, is up, says BYE and lingers, so that whatever comes late is answered as RFC 3261 asks.

import { Branches } from './branches.ts';
import { CallContext, type CallEnd, type CallEvent, type CallOptions } from './call-context.ts';
import { earliest } from './client-transaction.ts';
import { credentialsOf } from './dialog.ts';
import type { DialogClient, Settled } from './dialog-client.ts';
import { header, parseCSeq, q850Of, tagOf } from './headers.ts';
import { Invite, type InviteNews } from './invite.ts';
import type { SipMessage } from './message.ts';
import { Replies, type Reply } from './replies.ts';
import { meaningOf, type Place } from './requests.ts';
import { parseAnswer } from './sdp.ts';
import { Session } from './session.ts';
import { SessionTimer } from './session-timer.ts';

/** Reason headers of our BYEs (RFC 3326): why the phone that answered is left. */
const REASON = {
  cleared: 'Q.850;cause=16;text="Normal call clearing"',
  elsewhere: 'SIP;cause=200;text="Call completed elsewhere"',
  noAudio: 'SIP;cause=488;text="Not Acceptable Here"',
  expired: 'Q.850;cause=102;text="Recovery on timer expiry"',
};

const ended = (how: CallEnd['how'], status: number | null = null, q850: number | null = null): CallEnd => {
  return { how, status, q850, retryAfterSeconds: null };
};

export class Call {
  readonly #context: CallContext;
  readonly #timer: SessionTimer;
  readonly #invite: Invite;
  readonly #replies: Replies;
  readonly #branches: Branches;
  #state: 'new' | 'ringing' | 'up' | 'closing' | 'over' = 'new';
  #session: Session | null = null;
  #closingAs: CallEnd | null = null;
  /** Until then what comes late is answered: timers D and M, 64 * T1. */
  #lingersUntil = Number.POSITIVE_INFINITY;
  #lingered = false;

  constructor(options: CallOptions) {
    this.#context = new CallContext(options);
    this.#timer = new SessionTimer(options.sessionExpiresSeconds ?? 1_800);
    this.#invite = new Invite(this.#context, this.#timer);
    this.#replies = new Replies(this.#context);
    this.#branches = new Branches(this.#context);
  }

  /** Bytes to send, in order; the caller empties it. */
  get out(): Buffer[] {
    return this.#context.out;
  }

  /** In order, `ended` exactly once; the caller empties it. */
  get events(): CallEvent[] {
    return this.#context.events;
  }

  /** Whether `ended` has been reported. */
  get over(): boolean {
    return this.#state === 'over';
  }

  /** Whether nothing that comes late needs an answer any more. */
  forgotten(now: number): boolean {
    return this.over && (this.#lingered || now >= this.#lingersUntil) && this.#isIdle;
  }

  get #isIdle(): boolean {
    return this.#invite.isIdle && this.#branches.isIdle;
  }

  start(now: number): void {
    if (this.#state !== 'new') return;
    this.#state = 'ringing';
    this.#invite.start(now);
  }

  /** Stops the ringing, or ends an answered call. @param reason Value of a Reason header (RFC 3326) for the CANCEL or BYE. */
  hangUp(now: number, reason: string | null = null): void {
    if (this.#state === 'new') this.#end(ended('not_called'), now);
    if (this.#state === 'ringing') this.#invite.stop({ how: 'canceled', reason }, now);
    if (this.#state === 'up') this.#close(ended('completed'), reason ?? REASON.cleared, now);
  }

  /**
   * The transport failed. While it rings or is up the call goes on: its timers end it if nothing more is heard.
   * @param how `refused`: nothing could be sent. `lost`: the connection broke, and what went out may have arrived.
   */
  transportFailed(now: number, how: 'refused' | 'lost' = 'refused'): void {
    if (this.#state === 'ringing') this.#heard(this.#invite.transportFailed(how === 'lost'), now);
    if (this.#state !== 'closing' && this.#state !== 'over') return;
    for (const settled of this.#branches.transportFailed()) this.#settle(settled, now);
  }

  /** The connection broke, and the trunk had answered by it before. A call that is up goes on by a new one; ringing is stopped. */
  answerLost(now: number): void {
    if (this.#state === 'ringing') this.#heard(this.#invite.answerLost(now), now);
  }

  take(message: SipMessage, now: number): void {
    const cseq = parseCSeq(header(message, 'cseq'));
    if (cseq === null || this.#state === 'new' || this.forgotten(now)) return;
    if (message.method !== null) this.#takeRequest(message, cseq.number, now);
    else if (this.#context.isOurs(message)) this.#takeResponse(message, cseq, now);
  }

  #takeResponse(response: SipMessage, cseq: { number: number; method: string }, now: number): void {
    const { status } = response;
    if (cseq.method === 'INVITE' && status >= 200 && status < 300) {
      this.#takeSuccess(response, cseq.number, now);
      return;
    }
    const client = this.#branches.answered(header(response, 'to'));
    if (client) this.#takeInside(client, response, now);
    if (cseq.method !== 'INVITE' && cseq.method !== 'CANCEL') return;
    if (status > 100 && status < 200 && this.#state === 'ringing') this.#branches.note(response);
    this.#heard(this.#invite.take(response, cseq.method, now), now);
  }

  #takeInside(client: DialogClient, response: SipMessage, now: number): void {
    const settled = client.take(response, now);
    if (settled !== null && client === this.#branches.current) this.#settle(settled, now);
  }

  #heard(news: InviteNews | null, now: number): void {
    if (news?.kind === 'provisional') this.#context.events.push(news);
    if (news?.kind === 'over') this.#end(news.end, now);
  }

  /** An answer of 200 to 299 to an INVITE: each branch that sends one gets an ACK, and all but the first a BYE (section 13.2.2.4). */
  #takeSuccess(response: SipMessage, number: number, now: number): void {
    const known = this.#branches.answered(header(response, 'to'));
    const ack = known?.dialog.ackOf(number) ?? null;
    if (ack !== null) {
      if (this.#context.mayRepeatAck(now)) this.#context.out.push(ack);
      return;
    }
    const request = this.#invite.request(number);
    if (known) this.#takeInside(known, response, now);
    const client = known || request === null ? null : this.#branches.add(response, number);
    if (request === null || client === null) return;

    this.#context.out.push(client.dialog.acknowledge(number, credentialsOf(request)));
    const stopped = this.#invite.takeSuccess(number, now);
    if (this.#state === 'ringing') this.#answered(client, response, stopped, now);
    else client.ask('BYE', [['Reason', REASON.elsewhere]], '', now);
  }

  #answered(client: DialogClient, response: SipMessage, stopped: CallEnd['how'] | null, now: number): void {
    this.#branches.current = client;
    const sdp = this.#branches.sdpOf(response);
    if (stopped !== null) this.#close(ended(stopped, response.status), REASON.cleared, now);
    else if (parseAnswer(sdp).kind !== 'ok') this.#close(ended('no_audio', response.status), REASON.noAudio, now);
    else {
      this.#state = 'up';
      this.#session = new Session(this.#context, client, this.#timer, this.#replies, sdp);
      this.#session.begin(response, now);
      this.#context.events.push({ kind: 'answered', sdp });
    }
  }

  #settle(settled: Settled, now: number): void {
    if (settled.method === 'BYE' && this.#closingAs !== null) this.#end(this.#closingAs, now);
    else if (this.#state === 'up' && this.#session?.settle(settled, now))
      this.#close(ended('timer'), REASON.expired, now);
  }

  #takeRequest(request: SipMessage, number: number, now: number): void {
    const client = this.#branches.answered(header(request, 'from'));
    if (request.method === 'ACK') {
      const isCurrent = client !== null && client === this.#branches.current;
      if (isCurrent && this.#replies.takeAck(request)) this.#session?.takeAck(request);
    } else if (!this.#replies.repeat(request)) {
      this.#replies.send(request, this.#replyTo(request, client, number, now), now);
    }
  }

  #replyTo(request: SipMessage, client: DialogClient | null, number: number, now: number): Reply {
    if (request.method === 'CANCEL') return { status: this.#replies.knowsInviteOf(request) ? 200 : 481 };
    const place = this.#placeOf(request, client);
    const isInOrder = place === 'stranger' || client === null || client.dialog.isInOrder(number);
    const meaning = meaningOf(request, place, isInOrder);
    if (meaning.kind === 'reply') return meaning.reply;
    if (meaning.kind === 'offer') return this.#session!.reply(request, now);
    if (meaning.kind === 'key') this.#context.events.push(meaning);
    else {
      client?.drop();
      const end = this.#closingAs ?? ended('hung_up', null, q850Of(request));
      if (client && client === this.#branches.current) this.#end(end, now);
    }
    return { status: 200 };
  }

  #placeOf(request: SipMessage, client: DialogClient | null): Place {
    if (tagOf(header(request, 'to')) !== this.#context.localTag) return 'stranger';
    if (client === null) return this.#branches.rang(header(request, 'from')) ? 'ringing' : 'stranger';
    return this.#state === 'up' && client === this.#branches.current ? 'up' : 'left';
  }

  #close(end: CallEnd, reason: string, now: number): void {
    this.#state = 'closing';
    this.#closingAs = end;
    this.#replies.drop();
    this.#branches.current?.drop();
    this.#branches.current?.ask('BYE', [['Reason', reason]], '', now);
  }

  #end(end: CallEnd, now: number): void {
    if (this.over) return;
    this.#state = 'over';
    this.#lingersUntil = now + 64 * this.#context.t1Ms;
    this.#replies.drop();
    this.#branches.current?.drop();
    this.#context.events.push({ kind: 'ended', ...end });
  }

  /** To be called at `nextAt`, or later. */
  tick(now: number): void {
    if (this.#state === 'new') return;
    this.#heard(this.#invite.tick(now), now);
    for (const settled of this.#branches.tick(now)) this.#settle(settled, now);
    const isLost = this.#replies.tick(now);
    if (this.#state === 'up' && (this.#session?.tick(now) || isLost)) this.#close(ended('timer'), REASON.expired, now);
    if (this.over && now >= this.#lingersUntil) this.#lingered = true;
  }

  /** When `tick` is to be called; null while nothing is awaited, and once the call is forgotten. */
  nextAt(): number | null {
    if (this.#lingered && this.#isIdle) return null;
    const session = this.#state === 'up' ? this.#session!.nextAt() : null;
    const lingers = this.over && !this.#lingered ? this.#lingersUntil : null;
    return earliest([this.#invite.nextAt(), this.#replies.nextAt(), session, lingers, this.#branches.nextAt()]);
  }
}
