// What goes into one outgoing call, what comes out of it, and what its parts share: the tag and branches made for it, the bytes to
// send, the events, and the bound on repeated ACKs.

import { randomBytes } from 'node:crypto';
import { Authenticator, type Credentials } from './authenticator.ts';
import { header, tagOf } from './headers.ts';
import type { SipMessage } from './message.ts';
import type { HeaderLine } from './writer.ts';

export interface CallOptions {
  callId: string;
  /** Request URI of the INVITE. */
  uri: string;
  /** URI of its To, which has no port (RFC 3261 section 19.1.1, table 1). Default: `uri`. */
  to?: string;
  /** Name-addr without a tag. */
  from: string;
  /** Our URI, at which requests of the callee reach us. */
  contact: string;
  /** For example `SIP/2.0/UDP 192.0.2.1:5060;rport`; each request adds its branch. */
  via: string;
  /** TCP and TLS: nothing is sent twice for fear that it was lost. */
  reliable: boolean;
  /** Route values to go through before there is a dialog (RFC 3261 section 8.1.2). */
  routes?: readonly string[];
  /** Our session description. */
  offer: string;
  credentials: Credentials | null;
  /** From the first INVITE until an unanswered call is canceled. */
  ringForMs: number;
  /** Added to the INVITE: P-Asserted-Identity and the like. */
  headers?: readonly HeaderLine[];
  /** Round-trip time estimate, of which all timers are multiples (section 17.1.1.1). Default 500. */
  t1Ms?: number;
  /** Interval of session timers that we propose (RFC 4028). Default 1,800. */
  sessionExpiresSeconds?: number;
  random?(bytes: number): Buffer;
}

export interface CallEnd {
  how: /** A final answer of 300 to 699. */
    | 'refused'
    /** Answered without audio that we speak: acknowledged and hung up. The phone was picked up, so none may ring again. */
    | 'no_audio'
    /** Our ring time was over, and the INVITE was canceled. */
    | 'ring_time_up'
    /** `hangUp` while the INVITE was under way: it was canceled, and a phone may have rung. */
    | 'canceled'
    /** `hangUp`, or the end of our ring time, where no INVITE went out or the last one was answered by the wish for another: no phone rang. */
    | 'not_called'
    /** Timer B: no answer of any kind came, so nobody knows whether it rang. */
    | 'no_answer_at_all'
    /** The connection was refused: nothing was sent. */
    | 'transport'
    /** The callee's BYE. */
    | 'hung_up'
    /** Our BYE. */
    | 'completed'
    /** The dialog is gone: a session timer ran out, or a request within the dialog was not answered. */
    | 'timer';
  /** The final answer to the INVITE where the call never came to be; null otherwise. */
  status: number | null;
  /** Cause of a Reason header (RFC 3326) of the final answer or of the BYE. */
  q850: number | null;
  retryAfterSeconds: number | null;
}

export type CallEvent =
  /** 101 to 199; 100 says only that the next hop has it. */
  | { kind: 'provisional'; status: number }
  | { kind: 'answered'; sdp: string }
  /** A new description from there, by re-INVITE or UPDATE: audio goes where this says. */
  | { kind: 'media'; sdp: string }
  /** A key pressed, by INFO with application/dtmf-relay. */
  | { kind: 'key'; digit: string }
  | ({ kind: 'ended' } & CallEnd);

/** What all requests and answers of ours list (RFC 3261 section 20.5). */
export const ALLOW = 'INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE, INFO, NOTIFY';

/** ACKs for repeated answers, a second and call. Two ends that each answer the other's repetition sent 175,731 datagrams in 7 s. */
const MOST_REPEATED_ACKS = 8;

export class CallContext {
  readonly options: CallOptions;
  readonly t1Ms: number;
  readonly localTag: string;
  readonly authenticator: Authenticator;
  /** To be sent, in order. */
  readonly out: Buffer[] = [];
  readonly events: CallEvent[] = [];
  #secondBegan = Number.NEGATIVE_INFINITY;
  #acksInSecond = 0;

  constructor(options: CallOptions) {
    this.options = options;
    this.t1Ms = options.t1Ms ?? 500;
    this.localTag = this.random(8);
    this.authenticator = new Authenticator(options.credentials, () => this.random(8));
  }

  /** Hexadecimal digits, two a byte. */
  random(bytes: number): string {
    return (this.options.random ?? randomBytes)(bytes).toString('hex');
  }

  /** With the cookie that says it is unique (RFC 3261 section 8.1.1.7). */
  newBranch(): string {
    return `z9hG4bK${this.random(12)}`;
  }

  /** Whether an ACK may be repeated now. */
  mayRepeatAck(now: number): boolean {
    if (now - this.#secondBegan >= 1_000) {
      this.#secondBegan = now;
      this.#acksInSecond = 0;
    }
    this.#acksInSecond += 1;
    return this.#acksInSecond <= MOST_REPEATED_ACKS;
  }

  /** Whether the answer bears our From tag; one without it answers another call. */
  isOurs(response: SipMessage): boolean {
    return tagOf(header(response, 'from')) === this.localTag;
  }
}
