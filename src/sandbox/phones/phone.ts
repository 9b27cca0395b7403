// One call at one phone, from its INVITE to its end: it rings, the person does what the scenario says, and the phone records. The state
// machine of a callee (RFC 3261 section 13.3); npm `sip` carries its messages.

import { randomBytes } from 'node:crypto';
import type { Headers, NameAddr } from 'sip';
import type { VoiceScript } from '../../core/verify/scenarios.ts';
import { type Clock, Schedule } from '../clock.ts';
import type { CallEnd } from '../views.ts';
import type { ShownCall } from './calls.ts';
import type { Hearing } from './hearing.ts';
import { MediaPort, type Pacer } from './rtp.ts';
import { type Offer, writeAnswer } from './sdp.ts';
import type { Incoming, Request, SipStack } from './stack.ts';

/** Person and network of one call. */
export interface PhoneContext {
  host: string;
  clock: Clock;
  stack: SipStack;
  pacer: Pacer;
  /** What the phone hears; made when it answers. */
  hear(offer: Offer): Hearing;
  /** The call as a page shows it. */
  call: ShownCall;
  /** Whether the person at the page takes the call, and not the scenario. */
  isPersonThere: boolean;
  onAnswered(): void;
  onOver(): void;
}

/** Methods of the requests that are answered here. */
export const methods = 'INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, UPDATE';

type State = 'ringing' | 'answered' | 'over';

/** RFC 3261 section 17.1.1.1, and its 64 × T1. */
const t1Ms = 500;
const t2Ms = 4_000;
const answerLastsMs = 64 * t1Ms;
/** A network ends ringing of its own accord; no caller here rings that long. */
const longestRingMs = 120_000;
const longestCallMs = 150_000;
/** After the answer was acknowledged; nothing of a code was spoken by then. */
const hangsUpAfterMs = 400;
/** The person has understood that the call is meant for them. */
const pressesAfterHearingMs = 300;

export class Phone {
  readonly number: string;
  #state: State = 'ringing';
  readonly #invite: Incoming;
  readonly #offer: Offer;
  readonly #script: VoiceScript;
  readonly #context: PhoneContext;
  readonly #schedule: Schedule;
  readonly #tag = randomBytes(6).toString('hex');
  readonly #sessionId = randomBytes(4).readUInt32BE();
  #isPersonThere: boolean;
  #media: MediaPort | null = null;
  #hearing: Hearing | null = null;
  #hasPressed = false;
  #isAcknowledged = false;
  #sequence = 0;

  constructor(number: string, invite: Incoming, offer: Offer, script: VoiceScript, context: PhoneContext) {
    this.number = number;
    this.#invite = invite;
    this.#offer = offer;
    this.#script = script;
    this.#context = context;
    this.#isPersonThere = context.isPersonThere;
    this.#schedule = new Schedule(context.clock);
  }

  /** `Via` branch of the INVITE, by which a CANCEL names it. */
  get branch(): unknown {
    return this.#invite.request.headers.via[0]?.params.branch;
  }

  /** Whether a request inside a dialog is about this call. */
  owns({ headers }: Request): boolean {
    return headers.to.params.tag === this.#tag;
  }

  begin(): void {
    if (this.#isPersonThere || this.#script.call !== 'busy') this.#answer(180, 'Ringing');
    this.#wait();
  }

  /** The person at the page comes to the phone, or leaves it to the scenario: a phone that rings goes on ringing. */
  meet(isPersonThere: boolean): void {
    if (this.#isPersonThere === isPersonThere) return;
    this.#isPersonThere = isPersonThere;
    this.#context.call.meet(isPersonThere);
    if (this.#state === 'ringing') this.#wait();
  }

  /** The person takes the call, or does not want it. False when the phone does not ring. */
  decide(wants: 'answer' | 'decline'): boolean {
    if (this.#state !== 'ringing') return false;
    this.meet(true);
    if (wants === 'decline') this.#refuse(603, 'Decline', 21, 'Call rejected', 'declined');
    else void this.#pickUp();
    return true;
  }

  /** Until the ringing ends: by the person at the page, or as the scenario has it. */
  #wait(): void {
    const script = this.#script;
    if (this.#isPersonThere || script.call === 'no_answer') {
      const end = () => this.#refuse(480, 'Temporarily Unavailable', 19, 'No answer', 'no_answer');
      this.#schedule.later(this, longestRingMs, end);
    } else if (script.call === 'busy') {
      this.#refuse(486, 'Busy Here', 17, 'User busy', 'busy');
    } else if (script.call === 'rejected') {
      this.#schedule.later(this, script.ringMs, () => this.#refuse(603, 'Decline', 21, 'Call rejected', 'declined'));
    } else {
      this.#schedule.later(this, script.ringMs, () => void this.#pickUp());
    }
  }

  /** The caller gave up. A call that was answered meanwhile stays answered (RFC 3261 section 9.2). */
  cancel(): void {
    if (this.#state === 'ringing') this.#refuse(487, 'Request Terminated', null, '', 'canceled');
  }

  /** The ACK of the answer. */
  acknowledge(): void {
    if (this.#state !== 'answered' || this.#isAcknowledged) return;
    this.#isAcknowledged = true;
    const isShort = !this.#isPersonThere && this.#script.call === 'answered' && this.#script.callee === 'hangs_up';
    this.#schedule.later(this, isShort ? hangsUpAfterMs : longestCallMs, () => this.hangUp());
  }

  /** A request inside the dialog. */
  take({ request, answer }: Incoming): void {
    if (request.method === 'BYE') {
      answer(200, 'OK');
      this.#end('caller_hung_up');
      return;
    }
    if (this.#state !== 'answered') answer(491, 'Request Pending');
    // An INVITE or UPDATE that refreshes the session: nothing of it changes.
    else if (request.method === 'INVITE' || request.method === 'UPDATE') answer(200, 'OK', this.#description());
    else answer(200, 'OK');
  }

  /** The person hangs up, or the phone itself. False when no call is up. */
  hangUp(end: CallEnd = 'hung_up'): boolean {
    if (this.#state !== 'answered') return false;
    const { headers, remote } = this.#within('BYE');
    const reason = { ...headers, reason: 'Q.850;cause=16;text="Normal call clearing"' };
    this.#context.stack.request({ method: 'BYE', uri: this.#target, headers: reason }, remote);
    this.#end(end);
    return true;
  }

  /** As a telephone event where the caller takes them, else by INFO. False when no call is up. */
  press(key: string): boolean {
    if (this.#state !== 'answered' || !this.#media) return false;
    this.#context.call.press(key);
    if (this.#media.press(key)) return true;
    const { headers, remote } = this.#within('INFO');
    const typed = { ...headers, 'content-type': 'application/dtmf-relay' };
    const content = `Signal=${key}\r\nDuration=100\r\n`;
    this.#context.stack.request({ method: 'INFO', uri: this.#target, headers: typed, content }, remote);
    return true;
  }

  /** The phone is switched off: nothing is sent any more. */
  stop(): void {
    this.#end('stopped');
  }

  async #pickUp(): Promise<void> {
    const { host, pacer, hear, call, onAnswered } = this.#context;
    const media = await MediaPort.open(host, (packet) => this.#hear(packet));
    if (this.#state !== 'ringing') {
      media.close(); // Canceled meanwhile.
      return;
    }
    this.#media = media;
    this.#hearing = hear(this.#offer);
    this.#state = 'answered';
    call.answer(this.#hearing.url);
    onAnswered();
    media.connect(this.#offer);
    pacer.add(media);
    this.#repeatAnswer(t1Ms, 0);
  }

  /** RFC 3261 section 13.3.1.4: the answer is repeated until its ACK comes, and after 32 s without one the call ends. */
  #repeatAnswer(pauseMs: number, passedMs: number): void {
    if (passedMs >= answerLastsMs) {
      this.hangUp('not_acknowledged');
      return;
    }
    this.#answer(200, 'OK', this.#description());
    const next = () => this.#repeatAnswer(Math.min(pauseMs * 2, t2Ms), passedMs + pauseMs);
    this.#schedule.later(this, pauseMs, next);
  }

  #hear(packet: Parameters<Hearing['take']>[0]): void {
    if (packet.payloadType !== this.#offer.payloadType || !this.#hearing) return;
    this.#hearing.take(packet);
    const presses = !this.#isPersonThere && this.#script.call === 'answered' && this.#script.callee === 'presses_key';
    if (!presses || this.#hasPressed || this.#hearing.heardMs < pressesAfterHearingMs) return;
    this.#hasPressed = true;
    this.press('1');
  }

  #description() {
    const port = this.#media?.port ?? 0;
    const content = writeAnswer({ host: this.#context.host, port, sessionId: this.#sessionId, offer: this.#offer });
    return { headers: { 'content-type': 'application/sdp' }, content };
  }

  #answer(status: number, reason: string, { headers = {}, content }: Partial<Description> = {}): void {
    const { request } = this.#invite;
    const all = { ...this.#identity(), 'record-route': request.headers['record-route'], ...headers };
    this.#invite.answer(status, reason, content === undefined ? { headers: all } : { headers: all, content });
  }

  #refuse(status: number, reason: string, cause: number | null, text: string, end: CallEnd): void {
    const q850 = cause === null ? {} : { reason: `Q.850;cause=${cause};text="${text}"` };
    this.#answer(status, reason, { headers: q850 });
    this.#end(end);
  }

  #end(end: CallEnd): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#schedule.stop();
    if (this.#media) {
      this.#context.pacer.remove(this.#media);
      this.#media.close();
    }
    this.#hearing?.end();
    this.#context.call.end(end);
    this.#context.onOver();
  }

  /** Our side of the dialog, in an answer. */
  #identity(): Record<string, unknown> {
    const { stack, host } = this.#context;
    const contact: NameAddr = { uri: `sip:phone@${host}:${stack.port}`, params: {} };
    return { to: this.#local, contact: [contact], allow: methods };
  }

  get #local(): NameAddr {
    const { to } = this.#invite.request.headers;
    return { ...to, params: { ...to.params, tag: this.#tag } };
  }

  /** Where a request inside the dialog goes: the caller's Contact. */
  get #target(): string {
    const { contact, from } = this.#invite.request.headers;
    const [first] = Array.isArray(contact) ? contact : [];
    return this.#context.stack.sip.stringifyUri((first ?? from).uri);
  }

  /** Headers and next hop of a request inside the dialog (RFC 3261 section 12.2.1.1). */
  #within(method: string): { headers: Omit<Headers, 'via'>; remote: Incoming['remote'] } {
    const { stack } = this.#context;
    const { request, remote } = this.#invite;
    const route = request.headers['record-route'];
    this.#sequence += 1;
    const hop = stack.sip.parseUri(route?.[0]?.uri ?? this.#target);
    const isAddress = hop !== undefined && /^\d{1,3}(\.\d{1,3}){3}$/.test(hop.host);
    return {
      headers: {
        from: this.#local,
        to: request.headers.from,
        'call-id': request.headers['call-id'],
        cseq: { seq: this.#sequence, method },
        'max-forwards': '70',
        ...(route ? { route } : {}),
      },
      remote: isAddress ? { address: hop.host, port: hop.port || 5060 } : remote,
    };
  }
}

interface Description {
  headers: Record<string, unknown>;
  content: string;
}
