// One call through an endpoint: the trunk's hosts are tried in turn while it is certain that nothing rang (RFC 3263 section 4.3), and
// every message of the call is sent where it belongs. What the messages are is the business of `Call`.

import { isIP } from 'node:net';
import { Call } from './call.ts';
import type { CallEnd, CallEvent, CallOptions } from './call-context.ts';
import { earliest } from './client-transaction.ts';
import { header, isOfThePhone, tagOf } from './headers.ts';
import { answerTarget, type Hop, isWithinReach, nextHop } from './hop.ts';
import type { Located, Locator } from './locate.ts';
import { parseMessage, type SipMessage } from './message.ts';
import { plainAddress, type Reached, type Remote, remoteKey } from './transport/transport.ts';

/** What a call needs of its endpoint. */
export interface Line {
  readonly reliable: boolean;
  readonly defaultPort: number;
  now(): number;
  /** The call is to be looked at by then; null = nothing new. */
  arm(at: number | null): void;
  /** The trunk's hosts, best first. */
  locate(): Promise<Located>;
  locator(host: string, port: number | null): Locator;
  reach(target: Remote): Promise<Reached>;
  /** @param instead Where it goes when `to` can't be connected to. */
  send(bytes: Buffer, to: Remote, instead: Remote): void;
  /** The host gave no answer: others are tried first for a time. */
  markSilent(target: Remote): void;
}

/** `ringForMs` counts from the beginning, over all hosts. `local`: our own address and port as the trunk sees them. */
export type MakeOptions = (local: Remote) => CallOptions;

export type CallListener = (event: CallEvent) => void;

/** The call at one of the trunk's hosts. */
interface Attempt {
  call: Call;
  target: Remote;
  /** Request URI of its INVITE. */
  uri: string;
}

export class PlacedCall {
  readonly callId: string;
  /** The last one is the call as it stands; those before it still answer what comes late. */
  readonly #attempts: Attempt[] = [];
  readonly #line: Line;
  readonly #makeOptions: MakeOptions;
  readonly #listener: CallListener;
  readonly #beganAt: number;
  /** Hosts that the trunk has named, by name and port; `last`: where the last request to it went. */
  readonly #hops = new Map<string, { locator: Locator; last: Remote | null }>();
  #targets: Remote[] = [];
  /** Where the last request of the trunk came from. */
  #askedFrom: Remote | null = null;
  #isHeard = false;
  #hasRung = false;
  #isWanted = true;
  #isOver = false;
  /** The last BYE or CANCEL: a phone must not go on for want of it. */
  #lastWish: Buffer | null = null;
  #failure: string | null = null;

  constructor(callId: string, makeOptions: MakeOptions, listener: CallListener, line: Line) {
    this.callId = callId;
    this.#makeOptions = makeOptions;
    this.#listener = listener;
    this.#line = line;
    this.#beganAt = line.now();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Why the last host that failed did. */
  get failure(): string | null {
    return this.#failure;
  }

  /** Finds the trunk and calls. Never rejects. */
  async begin(): Promise<void> {
    const located = await this.#line.locate();
    if (located.kind === 'unresolved') this.#failure = located.why;
    else this.#targets = [...located.targets];
    await this.#tryNext();
  }

  async #tryNext(): Promise<void> {
    for (let target = this.#targets.shift(); target && this.#isWanted; target = this.#targets.shift()) {
      const reached = await this.#line.reach(target);
      if (reached.kind === 'reached' && this.#isWanted && !this.#isOver) return this.#callAt(target, reached.local);
      if (reached.kind === 'reached') break;
      this.#failure = `${target.address} port ${target.port}: ${reached.why}`;
      this.#line.markSilent(target);
    }
    this.#end({ how: this.#isWanted ? 'transport' : 'not_called' });
  }

  #callAt(target: Remote, local: Remote): void {
    const options = this.#optionsFor(local);
    const now = this.#line.now();
    const ringForMs = (options?.ringForMs ?? 0) - (now - this.#beganAt);
    if (options === null || ringForMs <= 0) {
      this.#failure ??= 'the time to ring was over before the trunk was reached';
      this.#end({ how: 'transport' });
      return;
    }
    this.#isHeard = false;
    const call = new Call({ ...options, ringForMs });
    this.#attempts.push({ call, target, uri: options.uri });
    call.start(now);
    this.#flush();
  }

  /** Null where the caller's settings make no message: its mistake ends this call, and no other. */
  #optionsFor(local: Remote): CallOptions | null {
    try {
      return this.#makeOptions(local);
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error);
      return null;
    }
  }

  take(message: SipMessage, from: Remote): void {
    if (message.method !== null) this.#askedFrom = from;
    this.#isHeard = true;
    const now = this.#line.now();
    // An answer may belong to a host tried before, which repeats it; each call knows its own by the tag.
    const takers = message.method === null ? this.#attempts : this.#attempts.slice(-1);
    for (const { call } of takers) call.take(message, now);
    this.#flush();
  }

  tick(now: number): void {
    for (const { call } of this.#attempts) call.tick(now);
    this.#flush();
  }

  nextAt(): number | null {
    return earliest(this.#attempts.map(({ call }) => call.nextAt()));
  }

  isForgotten(now: number): boolean {
    return this.#isOver && this.#attempts.every(({ call }) => call.forgotten(now));
  }

  hangUp(): void {
    if (this.#isOver) return;
    this.#isWanted = false;
    this.#attempts.at(-1)?.call.hangUp(this.#line.now());
    this.#flush();
  }

  /**
   * `refused`: the host refused a datagram. `lost`: the connection ended. Nothing heard, the INVITE is settled by that; else a call that is up
   * goes on, and ringing is stopped where the connection ended. A BYE or CANCEL goes out again by a new one: nothing else repeats it there.
   */
  transportFailed(target: Remote, how: 'refused' | 'lost'): void {
    const attempt = this.#attempts.at(-1);
    if (this.#isOver || attempt === undefined || remoteKey(target) !== remoteKey(attempt.target)) return;
    if (how === 'lost' && this.#lastWish) this.#transmit(this.#lastWish, attempt);
    if (this.#isHeard && how === 'refused') return;
    this.#failure = `${target.address} port ${target.port}: ${how}`;
    if (this.#isHeard) attempt.call.answerLost(this.#line.now());
    else attempt.call.transportFailed(this.#line.now(), how);
    this.#flush();
  }

  /** The endpoint closes and waits no more. */
  abandon(): void {
    if (this.#attempts.length === 0) this.#end({ how: 'not_called' });
    else this.#end({ how: this.#isHeard ? 'timer' : 'no_answer_at_all' });
  }

  /** Sends what there is to send, and passes on what happened. */
  #flush(): void {
    for (const attempt of this.#attempts) {
      for (const bytes of attempt.call.out.splice(0)) this.#transmit(bytes, attempt);
      for (const event of attempt.call.events.splice(0)) this.#hear(event, attempt.target);
    }
    this.#line.arm(this.nextAt());
  }

  #hear(event: CallEvent, target: Remote): void {
    if (event.kind === 'provisional') this.#hasRung = true;
    if (event.kind !== 'ended') {
      if (!this.#isOver) this.#listener(event);
      return;
    }
    const { how, status, q850 } = event;
    const isElsewhere = how === 'transport' || (how === 'refused' && status === 503 && !isOfThePhone(q850));
    if (isElsewhere || how === 'no_answer_at_all') this.#line.markSilent(target);
    if (isElsewhere && this.#isWanted && !this.#hasRung && this.#targets.length > 0) void this.#tryNext();
    else this.#end(event);
  }

  #end({ how, status = null, q850 = null, retryAfterSeconds = null }: Pick<CallEnd, 'how'> & Partial<CallEnd>): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#lastWish = null;
    this.#line.arm(this.#line.now());
    this.#listener({ kind: 'ended', how, status, q850, retryAfterSeconds });
  }

  #transmit(bytes: Buffer, { target, uri }: Attempt): void {
    const message = parseMessage(bytes);
    if (message === null) return;
    if (message.method === null) {
      // On a connection the answer goes back by it, whatever the Via says (RFC 3261 section 18.2.2).
      const to = this.#line.reliable ? this.#askedFrom : answerTarget(message, this.#line.defaultPort);
      this.#line.send(bytes, to ?? target, target);
      return;
    }
    if (message.method === 'BYE' || message.method === 'CANCEL') this.#lastWish = bytes;
    const hop = isOutsideDialog(message, uri) ? null : nextHop(message);
    if (hop === null) this.#line.send(bytes, target, target);
    else if (isIP(hop.host) === 0) void this.#sendToName(bytes, hop, target);
    else this.#sendTo(bytes, { address: plainAddress(hop.host), port: hop.port ?? this.#line.defaultPort }, target);
  }

  /**
   * Of several hosts behind a name, the one that has the call is the one to ask: that of the INVITE, else that of the request before.
   * Any other one may know nothing of it, and a repetition that goes elsewhere is a new request there (RFC 3263 section 4.3).
   */
  async #sendToName(bytes: Buffer, { host, port }: Hop, target: Remote): Promise<void> {
    const name = `${host} ${port}`;
    const hop = this.#hops.get(name) ?? { locator: this.#line.locator(host, port), last: null };
    this.#hops.set(name, hop);
    const located = await hop.locator.locate(this.#line.now());
    const targets = located.kind === 'located' ? located.targets : [];
    const isThere = (remote: Remote | null) => remote && targets.some((each) => remoteKey(each) === remoteKey(remote));
    hop.last = [target, hop.last].find(isThere) ?? targets[0] ?? target;
    this.#sendTo(bytes, hop.last, target);
  }

  #sendTo(bytes: Buffer, to: Remote, target: Remote): void {
    this.#line.send(bytes, isWithinReach(to.address, target.address) ? to : target, target);
  }
}

/** INVITE, its CANCEL and the ACK of its refusal go where the INVITE went. */
function isOutsideDialog(request: SipMessage, inviteUri: string): boolean {
  if (tagOf(header(request, 'to')) === null) return true;
  return request.uri === inviteUri && !request.headers.has('route');
}
