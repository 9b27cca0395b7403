// One outgoing call as a state machine without I/O: messages, times and the wish to hang up go in; bytes, events and the next time to
// look come out. It rings, is up, says BYE and lingers, so that whatever comes late is answered as RFC 3261 asks.

import { CallContext, type CallEnd, type CallEvent, type CallOptions } from './call-context.ts';
import { earliest } from './client-transaction.ts';
import { credentialsOf } from './dialog.ts';
import { DialogClient, type Settled } from './dialog-client.ts';
import { header, parseCSeq, q850Of, tagOf } from './headers.ts';
import { Invite, type InviteNews } from './invite.ts';
import type { SipMessage } from './message.ts';
import { keyOfInfo, politeReply, Replies, type Reply, unsupportedOf } from './replies.ts';
import { parseAnswer } from './sdp.ts';
import { Session } from './session.ts';
import { SessionTimer } from './session-timer.ts';

/** Branches of a forked INVITE that are kept: those that rang, and those that answered. */
const MOST_BRANCHES = 16;
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
  #state: 'new' | 'ringing' | 'up' | 'closing' | 'over' = 'new';
  /** Descriptions that came with provisional answers, by the tag of the branch; '' = none. */
  readonly #early = new Map<string, string>();
  /** Branches that answered, by tag: the first is the call, the others are left at once. */
  readonly #dialogs = new Map<string, DialogClient>();
  #current: DialogClient | null = null;
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
    return this.#invite.isIdle && [...this.#dialogs.values()].every(({ isIdle }) => isIdle);
  }

  start(now: number): void {
    if (this.#state !== 'new') return;
    this.#state = 'ringing';
    this.#invite.start(now);
  }

  /** Stops the ringing, or ends an answered call. @param reason Value of a Reason header (RFC 3326) for the CANCEL or BYE. */
  hangUp(now: number, reason: string | null = null): void {
    if (this.#state === 'new') this.#end(ended('canceled'), now);
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
    for (const client of this.#dialogs.values())
      for (const settled of client.transportFailed()) this.#settle(client, settled, now);
  }

  take(message: SipMessage, now: number): void {
    const cseq = parseCSeq(header(message, 'cseq'));
    if (cseq === null || this.#state === 'new' || this.forgotten(now)) return;
    if (message.method !== null) this.#takeRequest(message, message.method, cseq.number, now);
    else if (this.#context.isOurs(message)) this.#takeResponse(message, cseq, now);
  }

  #takeResponse(response: SipMessage, cseq: { number: number; method: string }, now: number): void {
    const tag = tagOf(header(response, 'to')) ?? '';
    const { status } = response;
    if (cseq.method === 'INVITE' && status >= 200 && status < 300) {
      this.#takeSuccess(response, cseq.number, tag, now);
      return;
    }
    const client = this.#dialogs.get(tag);
    if (client) this.#settle(client, client.take(response, now), now);
    if (cseq.method !== 'INVITE' && cseq.method !== 'CANCEL') return;
    if (status > 100 && status < 200 && this.#state === 'ringing') this.#noteBranch(tag, response.body);
    this.#heard(this.#invite.take(response, cseq.method, now), now);
  }

  #noteBranch(tag: string, sdp: string): void {
    const isNew = !this.#early.has(tag);
    if (tag === '' || (isNew && this.#early.size === MOST_BRANCHES)) return;
    if (isNew || sdp !== '') this.#early.set(tag, sdp.length <= 4_096 ? sdp : '');
  }

  #heard(news: InviteNews | null, now: number): void {
    if (news?.kind === 'provisional') this.#context.events.push(news);
    if (news?.kind === 'over') this.#end(news.end, now);
  }

  /** An answer of 200 to 299 to an INVITE: each branch that sends one gets an ACK, and all but the first a BYE (section 13.2.2.4). */
  #takeSuccess(response: SipMessage, number: number, tag: string, now: number): void {
    const known = this.#dialogs.get(tag);
    const ack = known?.dialog.ackOf(number) ?? null;
    if (ack !== null) {
      if (this.#context.mayRepeatAck(now)) this.#context.out.push(ack);
      return;
    }
    const request = this.#invite.request(number);
    if (known) this.#settle(known, known.take(response, now), now);
    if (known || request === null || this.#dialogs.size === MOST_BRANCHES) return;

    const client = new DialogClient(this.#context, response, number);
    this.#dialogs.set(tag, client);
    this.#context.out.push(client.dialog.acknowledge(number, credentialsOf(request)));
    const stopped = this.#invite.takeSuccess(number, now);
    if (this.#state === 'ringing') this.#answered(client, response, stopped, now);
    else client.ask('BYE', [['Reason', REASON.elsewhere]], '', now);
  }

  #answered(client: DialogClient, response: SipMessage, stopped: CallEnd['how'] | null, now: number): void {
    this.#current = client;
    // A callee that described itself in a provisional answer may leave it out here.
    const sdp = response.body === '' ? (this.#early.get(client.dialog.remoteTag) ?? '') : response.body;
    if (stopped !== null) this.#close(ended(stopped, response.status), REASON.cleared, now);
    else if (parseAnswer(sdp).kind !== 'ok') this.#close(ended('refused', 488), REASON.noAudio, now);
    else {
      this.#state = 'up';
      this.#session = new Session(this.#context, client, this.#timer, this.#replies, sdp);
      this.#session.begin(response, now);
      this.#context.events.push({ kind: 'answered', sdp });
    }
  }

  #settle(client: DialogClient, settled: Settled | null, now: number): void {
    if (settled === null || client !== this.#current) return;
    if (settled.method === 'BYE' && this.#closingAs !== null) this.#end(this.#closingAs, now);
    else if (this.#state === 'up' && this.#session?.settle(settled, now))
      this.#close(ended('timer'), REASON.expired, now);
  }

  #takeRequest(request: SipMessage, method: string, number: number, now: number): void {
    if (method === 'ACK') {
      const isCurrent = this.#dialogs.get(tagOf(header(request, 'from')) ?? '') === this.#current;
      if (isCurrent && this.#replies.takeAck(request)) this.#session?.takeAck(request);
    } else if (!this.#replies.repeat(request)) {
      this.#replies.send(request, this.#replyTo(request, method, number, now), now);
    }
  }

  #replyTo(request: SipMessage, method: string, number: number, now: number): Reply {
    if (method === 'CANCEL') return { status: this.#replies.knowsInviteOf(request) ? 200 : 481 };
    const tag = tagOf(header(request, 'from')) ?? '';
    const client = this.#dialogs.get(tag);
    const isOurs = tagOf(header(request, 'to')) === this.#context.localTag;
    if (!isOurs || !(client || this.#early.has(tag))) return { status: 481 };
    if (client?.dialog.isInOrder(number) === false) return { status: 500 };
    if (method === 'BYE') return this.#takeBye(request, client, now);
    const isUp = this.#state === 'up' && client === this.#current;
    if (client && !isUp) return { status: 481 };
    const unsupported = unsupportedOf(request);
    if (unsupported.length > 0) return { status: 420, headers: [['Unsupported', unsupported.join(', ')]] };
    if (method === 'INFO') return this.#takeInfo(request, isUp);
    if (method !== 'INVITE' && method !== 'UPDATE') return politeReply(method);
    // Before the answer our offer is still open (RFC 3311 section 5.2).
    if (isUp && this.#session) return this.#session.reply(request, now);
    return { status: method === 'UPDATE' && request.body === '' ? 200 : 491 };
  }

  #takeBye(request: SipMessage, client: DialogClient | undefined, now: number): Reply {
    client?.drop();
    const end = this.#closingAs ?? ended('hung_up', null, q850Of(request));
    if (client && client === this.#current) this.#end(end, now);
    return { status: 200 };
  }

  #takeInfo(request: SipMessage, isUp: boolean): Reply {
    const digit = keyOfInfo(request);
    if (digit !== null && isUp) this.#context.events.push({ kind: 'key', digit });
    return { status: digit === null && request.body !== '' ? 415 : 200 };
  }

  #close(end: CallEnd, reason: string, now: number): void {
    this.#state = 'closing';
    this.#closingAs = end;
    this.#replies.drop();
    this.#current?.drop();
    this.#current?.ask('BYE', [['Reason', reason]], '', now);
  }

  #end(end: CallEnd, now: number): void {
    if (this.over) return;
    this.#state = 'over';
    this.#lingersUntil = now + 64 * this.#context.t1Ms;
    this.#replies.drop();
    this.#current?.drop();
    this.#context.events.push({ kind: 'ended', ...end });
  }

  /** To be called at `nextAt`, or later. */
  tick(now: number): void {
    if (this.#state === 'new') return;
    this.#heard(this.#invite.tick(now), now);
    for (const client of this.#dialogs.values())
      for (const settled of client.tick(now)) this.#settle(client, settled, now);
    const isLost = this.#replies.tick(now);
    if (this.#state === 'up' && (this.#session?.tick(now) || isLost)) this.#close(ended('timer'), REASON.expired, now);
    if (this.over && now >= this.#lingersUntil) this.#lingered = true;
  }

  /** When `tick` is to be called; null while nothing is awaited, and once the call is forgotten. */
  nextAt(): number | null {
    if (this.#lingered && this.#isIdle) return null;
    const clients = [...this.#dialogs.values()].map((client) => client.nextAt());
    const session = this.#state === 'up' ? this.#session!.nextAt() : null;
    const lingers = this.over && !this.#lingered ? this.#lingersUntil : null;
    return earliest([this.#invite.nextAt(), this.#replies.nextAt(), session, lingers, ...clients]);
  }
}
