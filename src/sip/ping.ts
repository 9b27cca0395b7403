// Pings: one OPTIONS to one host each, with timers E and F (RFC 3261 sections 11 and 17.1.2). They show whether a trunk is there before
// a call needs it.

import { randomBytes } from 'node:crypto';
import { ClientTransaction, earliest, type Request } from './client-transaction.ts';
import { header, parseCSeq, parseVia } from './headers.ts';
import type { SipMessage } from './message.ts';
import { type Remote, remoteKey } from './transport/transport.ts';
import type { HeaderLine } from './writer.ts';

export type PingResult =
  /** `seenAs`: our address and port as the trunk sees them, where it says so (RFC 3581): it differs from ours behind NAT. */
  { kind: 'up'; status: number; seenAs: string | null } | { kind: 'down'; why: string };

export interface PingOptions {
  /** The trunk. */
  uri: string;
  via: string;
  contact: string;
  timeoutMs: number;
  t1Ms: number;
}

/** What pings need of their endpoint. */
export interface PingLine {
  readonly reliable: boolean;
  now(): number;
  arm(at: number | null): void;
  send(bytes: Buffer, to: Remote, instead: Remote): void;
  markSilent(target: Remote): void;
  /** What is open to that host may be dead: it is opened again by the next request. */
  drop(target: Remote): void;
}

interface Waiting {
  readonly transaction: ClientTransaction;
  readonly target: Remote;
  readonly endsAt: number;
  resolve(result: PingResult): void;
}

/** The pings that wait for an answer. */
export class Pings {
  readonly #line: PingLine;
  /** Pings that wait, by Call-ID. */
  readonly #waiting = new Map<string, Waiting>();

  constructor(line: PingLine) {
    this.#line = line;
  }

  send(target: Remote, options: PingOptions): Promise<PingResult> {
    const now = this.#line.now();
    const callId = random(16);
    const timing = { t1Ms: options.t1Ms, reliable: this.#line.reliable };
    const transaction = new ClientTransaction(newOptions(callId, options), timing, now);
    return new Promise((resolve) => {
      const waiting = { transaction, target, endsAt: now + options.timeoutMs, resolve };
      this.#waiting.set(callId, waiting);
      this.#line.send(transaction.bytes, target, target);
      this.#arm(waiting);
    });
  }

  /** False when the answer belongs to none of them. */
  take(answer: SipMessage): boolean {
    const callId = header(answer, 'call-id');
    const waiting = this.#waiting.get(callId);
    if (waiting === undefined) return false;
    const method = parseCSeq(header(answer, 'cseq'))?.method ?? '';
    const isFinal =
      waiting.transaction.fits(answer, method) && waiting.transaction.take(answer.status, this.#line.now()) === 'final';
    if (isFinal) this.#settle(callId, waiting, resultOf(answer));
    return true;
  }

  tick(now: number): void {
    for (const [callId, waiting] of this.#waiting) {
      const { transaction, target, endsAt } = waiting;
      const due = transaction.tick(now);
      if (due === 'timed_out' || now >= endsAt) {
        this.#line.drop(target);
        this.#settle(callId, waiting, { kind: 'down', why: 'no answer' });
        continue;
      }
      if (due === 'resend') this.#line.send(transaction.bytes, target, target);
      this.#arm(waiting);
    }
  }

  /** @param target Null = all. */
  fail(target: Remote | null, why: string): void {
    for (const [callId, waiting] of this.#waiting)
      if (target === null || remoteKey(waiting.target) === remoteKey(target))
        this.#settle(callId, waiting, { kind: 'down', why });
  }

  #arm({ transaction, endsAt }: Waiting): void {
    this.#line.arm(earliest([transaction.nextAt(), endsAt]));
  }

  #settle(callId: string, { target, resolve }: Waiting, result: PingResult): void {
    this.#waiting.delete(callId);
    if (result.kind === 'down') this.#line.markSilent(target);
    resolve(result);
  }
}

const random = (bytes: number): string => randomBytes(bytes).toString('hex');

function newOptions(callId: string, { uri, via, contact }: PingOptions): Request {
  const branch = `z9hG4bK${random(12)}`;
  const headers: HeaderLine[] = [
    ['Via', `${via};branch=${branch}`],
    ['Max-Forwards', '70'],
    ['From', `<${contact}>;tag=${random(8)}`],
    ['To', `<${uri}>`],
    ['Call-ID', callId],
    ['CSeq', '1 OPTIONS'],
    ['Contact', `<${contact}>`],
    ['Accept', 'application/sdp'],
  ];
  return { method: 'OPTIONS', uri, headers, branch, number: 1 };
}

/** Any final answer shows that the trunk is there, a refusal too; 503 and 408 say that it serves nobody. */
function resultOf(answer: SipMessage): PingResult {
  const { status, reason } = answer;
  if (status === 503 || status === 408) return { kind: 'down', why: `${status} ${reason}`.trim() };
  return { kind: 'up', status, seenAs: seenAs(answer) };
}

function seenAs(answer: SipMessage): string | null {
  const parameters = parseVia(header(answer, 'via'))?.parameters;
  const address = parameters?.get('received') || null;
  const port = parameters?.get('rport') || null;
  return address === null || port === null ? address : `${address} port ${port}`;
}
