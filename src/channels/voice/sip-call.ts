// One call by SIP: its signalling, its sound and the reading of the code, each of which knows nothing of the others. What they say is turned
// into the report of the call here.

import { randomBytes, randomInt } from 'node:crypto';
import { isIP } from 'node:net';
import type { TrunkConfig } from '../../config.ts';
import type { CallReport, CallState } from '../../core/verify/call.ts';
import {
  type CallEnd,
  type CallEvent,
  type Endpoint,
  type EndpointCall,
  parseAnswer,
  writeOffer,
} from '../../sip/index.ts';
import { requestTerminated, stateOfRefusal } from './answer.ts';
import type { CallListener, CallRequest, EndHow, Placed } from './caller.ts';
import type { Media, MediaEvent } from './media/media.ts';
import { dialed } from './number.ts';
import { callLimitMs, Reading, type ReadingInput, type ReadingOutput } from './reading.ts';

export type CallMedia = Pick<Media, 'open' | 'connect' | 'say' | 'finishPhrase' | 'close'>;

export interface SipCallOptions {
  request: CallRequest;
  trunk: TrunkConfig;
  endpoint: Pick<Endpoint, 'call'>;
  media: CallMedia;
  /** Our address in the SDP; null = the trunk's `advertise`, else `boundTo` where that is one address, else the one that the trunk is reached from. */
  advertise: string | null;
  /** The address that the sound is bound to; `0.0.0.0` and `::` are all of this machine's of that family. */
  boundTo: string;
  listener: CallListener;
  /** Unix ms. */
  now(): number;
  /** Ms of a clock that is never set, for all that is measured and waited for. Default: that of this process. */
  uptimeMs?(): number;
  /** No event follows. */
  onOver(): void;
}

export class SipCall {
  readonly callId: string;
  readonly #options: SipCallOptions;
  readonly #reading: Reading;
  readonly #placed = Promise.withResolvers<Placed>();
  #call: EndpointCall | null = null;
  #isPlaced = false;
  #isStopped = false;
  #state: CallState = 'ringing';
  #rang = false;
  /** By the clock that is never set, as all times but `#answeredAt`. */
  #beganMs = 0;
  #ringMs: number | null = null;
  #talkingSinceMs = 0;
  /** Unix ms. */
  #answeredAt: number | null = null;
  /** When we hung up, and as what; the answer to our BYE comes later. */
  #left: { atMs: number; word: CallState } | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SipCallOptions) {
    const { id, attempt, script } = options.request;
    this.#options = options;
    this.callId = `${id}.${attempt}.${randomBytes(8).toString('hex')}`;
    this.#reading = new Reading(script);
  }

  /** Resolves with what became of the call as far as the first answer says. @param mayCall False: the trunk can't be spoken to. */
  async place(mayCall: boolean): Promise<Placed> {
    try {
      return await this.#begin(mayCall);
    } catch (error) {
      // A fault of ours: nothing is sent and nothing is kept.
      this.#close();
      throw error;
    }
  }

  async #begin(mayCall: boolean): Promise<Placed> {
    const { request, media } = this.#options;
    const opened = mayCall ? await media.open(this.callId, request.script.language) : null;
    if (opened && !this.#isStopped) {
      this.#invite(opened.port);
      return this.#placed.promise;
    }
    this.#close();
    if (this.#isStopped) return { kind: 'not_placed', why: 'stopped' };
    return { kind: 'not_placed', why: mayCall ? 'no_port' : 'trunk' };
  }

  end(how: EndHow): void {
    this.#isStopped = true;
    const isAnswered = this.#answeredAt !== null;
    if (how === 'now' || !isAnswered) this.#hangUp('canceled');
    else if (how === 'after_phrase') this.#read({ kind: 'stop' });
  }

  hear(event: MediaEvent): void {
    if (event.kind === 'key' || event.kind === 'played') this.#read(event);
    else this.#hangUp('media_lost');
  }

  #invite(port: number): void {
    const { endpoint, trunk, request, advertise, boundTo } = this.#options;
    const { username, password, digest: hashes, callerId, assertedIdentity, ringSeconds } = trunk;
    const sessionId = String(randomInt(1, 2 ** 47));
    // Signalling may leave by another address of this machine, at which nothing hears the sound. Where the trunk is told an address of a NAT,
    // that one leads here.
    const isAnywhere = boundTo === '0.0.0.0' || boundTo === '::';
    const soundAt = advertise ?? trunk.advertise ?? (isAnywhere ? null : boundTo);
    this.#beganMs = this.#uptimeMs();
    this.#call = endpoint.call(
      {
        callId: this.callId,
        to: dialed(request.to, trunk),
        from: { user: callerId },
        identity: assertedIdentity,
        offer: (address) => writeOffer({ address: soundAt ?? address, port, sessionId, version: 1 }),
        credentials: username !== null && password !== null ? { username, password, hashes } : null,
        ringForMs: ringSeconds * 1000,
        // By the other family the SDP would name an address at which nothing hears the sound.
        family: soundAt === null ? isIP(boundTo) : null,
      },
      (event) => this.#take(event),
    );
  }

  #take(event: CallEvent): void {
    if (event.kind === 'provisional') {
      this.#rang = true;
      this.#ring();
    } else if (event.kind === 'answered') this.#answered(event.sdp);
    else if (event.kind === 'media') this.#connect(event.sdp);
    else if (event.kind === 'key') this.#read(event);
    else this.#ended(event);
  }

  #ring(): void {
    if (this.#isPlaced) return;
    this.#isPlaced = true;
    const report = this.#report();
    this.#options.listener.rang(this.callId, report);
    this.#placed.resolve({ kind: 'ringing', callId: this.callId, report });
  }

  #answered(sdp: string): void {
    const now = this.#options.now();
    // A call that is answered at once rings first, too: its answer is an event of its own, which makes its leg hold.
    this.#ring();
    this.#state = 'answered';
    this.#ringMs = this.#sinceBegan();
    this.#talkingSinceMs = this.#uptimeMs();
    this.#answeredAt = now;
    this.#options.listener.answered(this.#report(), now + callLimitMs);
    this.#connect(sdp);
    this.#read({ kind: 'answered' });
  }

  /** A description that has no audio for us changes nothing: the callee's offer was refused then. */
  #connect(sdp: string): void {
    const parsed = parseAnswer(sdp);
    if (parsed.kind === 'ok') this.#options.media.connect(this.callId, parsed.answer);
  }

  #read(input: ReadingInput): void {
    if (this.#left) return;
    for (const output of this.#reading.take(input, this.#uptimeMs())) this.#carryOut(output);
    this.#arm();
  }

  #carryOut(output: ReadingOutput): void {
    const { media, listener } = this.#options;
    if (output.kind === 'say') media.say(this.callId, output.clips, output.token);
    else if (output.kind === 'finish_phrase') media.finishPhrase(this.callId);
    else if (output.kind === 'hang_up') this.#hangUp(output.word);
    else {
      this.#state = 'heard';
      listener.heard(this.#report());
    }
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const at = this.#left ? null : this.#reading.nextAt();
    if (at === null) return;
    this.#timer = setTimeout(() => this.#read({ kind: 'tick' }), Math.max(1, at - this.#uptimeMs()));
  }

  #hangUp(word: CallState): void {
    if (this.#left) return;
    this.#left = { atMs: this.#uptimeMs(), word };
    clearTimeout(this.#timer);
    this.#call?.hangUp();
  }

  #ended(end: CallEnd): void {
    const { listener } = this.#options;
    const isUnanswered = this.#answeredAt === null;
    const isPickedUp = isUnanswered && end.status !== null && end.status < 300;
    if (isPickedUp) this.#ring();
    if (isUnanswered) this.#ringMs = this.#sinceBegan();
    this.#state = isUnanswered ? this.#wordUnanswered(end) : this.#wordAnswered();
    if (isPickedUp) this.#pickedUp();
    const report = this.#report(end);
    this.#close();
    if (this.#isPlaced) listener.ended(report);
    else this.#placed.resolve(this.#refused(end, report));
  }

  /** Picked up and left at once: our CANCEL crossed the answer, or it has no audio that we speak. The network charges for that as well. */
  #pickedUp(): void {
    this.#answeredAt = this.#options.now();
    this.#talkingSinceMs = this.#uptimeMs();
  }

  #wordAnswered(): CallState {
    if (this.#reading.readings > 0) return 'heard';
    return this.#left?.word ?? 'hung_up';
  }

  #wordUnanswered({ how, status }: CallEnd): CallState {
    if (how === 'refused') return stateOfRefusal(status ?? 0, this.#rang);
    if (how === 'no_audio') return 'media_lost';
    if (how === 'ring_time_up') return 'no_answer';
    // We gave it up: with the media thread, or as this process ends (`timer`). It says nothing of the number.
    if (how === 'canceled' || how === 'timer') return this.#left?.word ?? 'canceled';
    return 'unreachable';
  }

  #refused({ how, status, retryAfterSeconds }: CallEnd, report: CallReport): Placed {
    const { callId } = this;
    const isMediaLost = this.#left?.word === 'media_lost';
    if (how === 'not_called' && this.#isStopped) return { kind: 'not_placed', why: 'stopped' };
    if (how === 'not_called' && isMediaLost) return { kind: 'not_placed', why: 'media_lost' };
    if (how === 'transport' || how === 'not_called')
      return { kind: 'not_placed', why: 'trunk', failure: this.#call?.failure ?? null };
    // `timer`: the endpoint was closed under the call, whose INVITE may have arrived.
    if (how === 'no_answer_at_all' || how === 'timer') return { kind: 'unknown', callId, report };
    // We canceled it ourselves, and nothing rang: the message did not fail.
    if (isMediaLost && status === requestTerminated) return { kind: 'not_placed', why: 'media_lost' };
    return { kind: 'refused', callId, report, status: status ?? 0, retryAfterSeconds };
  }

  #report(end: CallEnd | null = null): CallReport {
    const { request } = this.#options;
    const isAnswered = this.#answeredAt !== null;
    const talkMs = (this.#left?.atMs ?? this.#uptimeMs()) - this.#talkingSinceMs;
    return {
      state: this.#state,
      ringMs: this.#ringMs,
      answeredAt: this.#answeredAt,
      talkSeconds: end ? (isAnswered ? Math.max(1, Math.ceil(talkMs / 1000)) : 0) : null,
      sipCode: isAnswered ? 200 : (end?.status ?? null),
      q850: end?.q850 ?? null,
      keys: this.#reading.keys,
      readings: this.#reading.readings,
      trunk: request.trunk,
      ended: end !== null,
    };
  }

  #uptimeMs(): number {
    return this.#options.uptimeMs?.() ?? performance.now();
  }

  #sinceBegan(): number {
    return Math.round(this.#uptimeMs() - this.#beganMs);
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#options.media.close(this.callId);
    this.#options.onOver();
  }
}
