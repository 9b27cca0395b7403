// Pings: one OPTIONS to one host each, with timers E and F (RFC 3261 sections 11 and 17.1.2). They show whether a trunk is there before
// a call needs it.

import { randomBytes } from 'node:crypto';
import { ClientTransaction, earliest } from './client-transaction.ts';
import { header, parseCSeq, parseVia } from './headers.ts';
import type { SipMessage } from './message.ts';
import { type Remote, remoteKey } from './transport/transport.ts';

export type PingResult =
  /** `seenAs`: our address and port as the trunk sees them, where it says so (RFC 3581): it differs from ours behind NAT. */
  { kind: 'up'; status: number; seenAs: string | null } | { kind: 'down'; why: string };

export interface PingOptions {
  /** The trunk. */
  uri: string;
  via: string;
  contact: string;
  reliable: boolean;
  timeoutMs: number;
  t1Ms: number;
}

class Ping {
  readonly callId: string;
  readonly out: Buffer[] = [];
  readonly #transaction: ClientTransaction;
  readonly #endsAt: number;
  #result: PingResult | null = null;
  #isTimedOut = false;

  constructor({ uri, via, contact, reliable, timeoutMs, t1Ms }: PingOptions, now: number) {
    const random = (bytes: number) => randomBytes(bytes).toString('hex');
    this.callId = random(16);
    const branch = `z9hG4bK${random(12)}`;
    const request = {
      method: 'OPTIONS',
      uri,
      branch,
      number: 1,
      headers: [
        ['Via', `${via};branch=${branch}`],
        ['Max-Forwards', '70'],
        ['From', `<${contact}>;tag=${random(8)}`],
        ['To', `<${uri}>`],
        ['Call-ID', this.callId],
        ['CSeq', '1 OPTIONS'],
        ['Contact', `<${contact}>`],
        ['Accept', 'application/sdp'],
      ],
    } as const;
    this.#transaction = new ClientTransaction(request, { t1Ms, reliable }, now);
    this.#endsAt = now + timeoutMs;
    this.out.push(this.#transaction.bytes);
  }

  get result(): PingResult | null {
    return this.#result;
  }

  get isTimedOut(): boolean {
    return this.#isTimedOut;
  }

  /** Any final answer shows that the trunk is there, a refusal too; 503 and 408 say that it serves nobody. */
  take(response: SipMessage, now: number): void {
    const method = parseCSeq(header(response, 'cseq'))?.method ?? '';
    if (response.method !== null || this.#result !== null || !this.#transaction.fits(response, method)) return;
    if (this.#transaction.take(response.status, now) !== 'final') return;
    const { status, reason } = response;
    const isUp = status !== 503 && status !== 408;
    this.#result = isUp
      ? { kind: 'up', status, seenAs: seenAs(response) }
      : { kind: 'down', why: `${status} ${reason}`.trim() };
  }

  tick(now: number): void {
    if (this.#result !== null) return;
    const due = this.#transaction.tick(now);
    this.#isTimedOut = due === 'timed_out' || now >= this.#endsAt;
    if (this.#isTimedOut) this.fail('no answer');
    else if (due === 'resend') this.out.push(this.#transaction.bytes);
  }

  fail(why: string): void {
    this.#result ??= { kind: 'down', why };
  }

  nextAt(): number | null {
    return this.#result === null ? earliest([this.#transaction.nextAt(), this.#endsAt]) : null;
  }
}

function seenAs(response: SipMessage): string | null {
  const parameters = parseVia(header(response, 'via'))?.parameters;
  const address = parameters?.get('received') || null;
  const port = parameters?.get('rport') || null;
  return address === null || port === null ? address : `${address} port ${port}`;
}

/** What pings need of their endpoint. */
export interface PingLine {
  now(): number;
  arm(at: number | null): void;
  send(bytes: Buffer, to: Remote, instead: Remote): void;
  markSilent(target: Remote): void;
  /** What is open to that host may be dead: it is opened again by the next request. */
  drop(target: Remote): void;
}

interface Waiting {
  ping: Ping;
  target: Remote;
  resolve(result: PingResult): void;
}

/** Those that wait for their answer. */
export class Pings {
  readonly #line: PingLine;
  readonly #waiting = new Map<string, Waiting>();

  constructor(line: PingLine) {
    this.#line = line;
  }

  send(target: Remote, options: PingOptions): Promise<PingResult> {
    const ping = new Ping(options, this.#line.now());
    return new Promise((resolve) => {
      const waiting = { ping, target, resolve };
      this.#waiting.set(ping.callId, waiting);
      this.#advance(waiting);
    });
  }

  /** False when the answer belongs to none of them. */
  take(answer: SipMessage): boolean {
    const waiting = this.#waiting.get(header(answer, 'call-id'));
    if (waiting === undefined) return false;
    waiting.ping.take(answer, this.#line.now());
    this.#advance(waiting);
    return true;
  }

  tick(now: number): void {
    for (const waiting of [...this.#waiting.values()]) {
      waiting.ping.tick(now);
      this.#advance(waiting);
    }
  }

  /** @param target Null = all. */
  fail(target: Remote | null, why: string): void {
    for (const waiting of [...this.#waiting.values()]) {
      if (target !== null && remoteKey(waiting.target) !== remoteKey(target)) continue;
      waiting.ping.fail(why);
      this.#advance(waiting);
    }
  }

  #advance({ ping, target, resolve }: Waiting): void {
    for (const bytes of ping.out.splice(0)) this.#line.send(bytes, target, target);
    if (ping.result === null) this.#line.arm(ping.nextAt());
    else if (this.#waiting.delete(ping.callId)) {
      if (ping.result.kind === 'down') this.#line.markSilent(target);
      if (ping.isTimedOut) this.#line.drop(target);
      resolve(ping.result);
    }
  }
}
