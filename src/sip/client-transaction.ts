// One request of ours and its retransmissions (RFC 3261 section 17.1): timers A, B and D of an INVITE, E, F and K of any other. It
// holds no socket and no clock: its owner sends the bytes when `tick` says so.

import { header, parseVia } from './headers.ts';
import type { SipMessage } from './message.ts';
import { type HeaderLine, writeRequest } from './writer.ts';

export interface Request {
  readonly method: string;
  readonly uri: string;
  readonly headers: readonly HeaderLine[];
  readonly body?: string;
  readonly branch: string;
  readonly number: number;
}

export interface Timing {
  readonly t1Ms: number;
  readonly reliable: boolean;
}

/** `repeated`: a final answer after the final answer. `late`: a provisional one after it. */
export type Heard = 'provisional' | 'final' | 'repeated' | 'late';

/** Multiples of T1 by the table of section 17.1.1.1: with T1 = 500 ms these are 4 s, 5 s and 32 s. */
const T2 = 8;
const T4 = 10;
const LONGEST = 64;

export class ClientTransaction {
  readonly request: Request;
  readonly bytes: Buffer;
  readonly #timing: Timing;
  #state: 'trying' | 'proceeding' | 'completed' | 'timed_out' | 'finished' = 'trying';
  #sent = 1;
  #intervalMs: number;
  #resendAt: number | null;
  #endsAt: number | null;

  /** The caller sends `bytes` at once. */
  constructor(request: Request, timing: Timing, now: number) {
    this.request = request;
    this.bytes = writeRequest(request.method, request.uri, request.headers, request.body ?? '');
    this.#timing = timing;
    this.#intervalMs = timing.t1Ms;
    this.#resendAt = timing.reliable ? null : now + timing.t1Ms;
    this.#endsAt = now + LONGEST * timing.t1Ms;
  }

  /** Times that the bytes went out. */
  get sent(): number {
    return this.#sent;
  }

  /** Whether nothing was heard yet, and time is left. */
  get isTrying(): boolean {
    return this.#state === 'trying';
  }

  get isPending(): boolean {
    return this.#state === 'trying' || this.#state === 'proceeding';
  }

  get isFinished(): boolean {
    return this.#state === 'finished';
  }

  /** A response fits by the branch of its first Via and by its method (section 17.1.3). */
  fits(response: SipMessage, method: string): boolean {
    return method === this.request.method && parseVia(header(response, 'via'))?.branch === this.request.branch;
  }

  take(status: number, now: number): Heard {
    const isFirst = this.isPending || this.#state === 'timed_out';
    if (!isFirst) return status < 200 ? 'late' : 'repeated';
    if (status < 200) this.#proceed(now);
    else this.#complete(now);
    return status < 200 ? 'provisional' : 'final';
  }

  #proceed(now: number): void {
    if (this.#state !== 'trying') return;
    this.#state = 'proceeding';
    if (this.request.method === 'INVITE') {
      this.#resendAt = null;
      this.#endsAt = null; // how long it may ring is the owner's decision
    } else if (this.#resendAt !== null) {
      this.#intervalMs = T2 * this.#timing.t1Ms;
      this.#resendAt = now + this.#intervalMs;
    }
  }

  /** Keeps the transaction for what UDP repeats: timer D (an INVITE's final answers are acknowledged again) and timer K. */
  #complete(now: number): void {
    const { t1Ms, reliable } = this.#timing;
    this.#state = reliable ? 'finished' : 'completed';
    this.#resendAt = null;
    this.#endsAt = reliable ? null : now + (this.request.method === 'INVITE' ? LONGEST : T4) * t1Ms;
  }

  /** `resend`: the bytes are to be sent again. `timed_out`: timer B or F, once. */
  tick(now: number): 'resend' | 'timed_out' | null {
    if (this.#endsAt !== null && now >= this.#endsAt) {
      const isPending = this.isPending;
      this.#endsAt = null;
      this.#resendAt = null;
      this.#state = isPending ? 'timed_out' : 'finished';
      return isPending ? 'timed_out' : null;
    }
    if (this.#resendAt === null || now < this.#resendAt) return null;
    // Timer A doubles without a limit, timer E up to T2.
    const mostMs = this.request.method === 'INVITE' ? Number.POSITIVE_INFINITY : T2 * this.#timing.t1Ms;
    this.#intervalMs = Math.min(this.#intervalMs * 2, mostMs);
    this.#resendAt = now + this.#intervalMs;
    this.#sent += 1;
    return 'resend';
  }

  nextAt(): number | null {
    return earliest([this.#resendAt, this.#endsAt]);
  }
}

/** Null where there is none. */
export function earliest(times: readonly (number | null)[]): number | null {
  const set = times.filter((time) => time !== null);
  return set.length === 0 ? null : Math.min(...set);
}

const only = (request: Request, names: readonly string[]): HeaderLine[] =>
  request.headers.filter(([name]) => names.includes(name.toLowerCase()));

/** The ACK for a final answer of 300 to 699, in the INVITE's own transaction (section 17.1.1.3). */
export function writeFailureAck(invite: Request, response: SipMessage): Buffer {
  const kept = only(invite, ['via', 'max-forwards', 'route', 'from', 'call-id']);
  return writeRequest('ACK', invite.uri, [...kept, ['To', header(response, 'to')], ['CSeq', `${invite.number} ACK`]]);
}

/** The CANCEL of an INVITE: everything that identifies it is the INVITE's, the branch included (section 9.1). */
export function cancelOf(invite: Request, reason: string | null): Request {
  const kept = only(invite, ['via', 'max-forwards', 'route', 'from', 'to', 'call-id']);
  const reasons: HeaderLine[] = reason === null ? [] : [['Reason', reason]];
  const headers: HeaderLine[] = [...kept, ['CSeq', `${invite.number} CANCEL`], ...reasons];
  return { method: 'CANCEL', uri: invite.uri, headers, branch: invite.branch, number: invite.number };
}
