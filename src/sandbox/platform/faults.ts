// What a test can make the platform do, beyond what numbers do: plain switches and counters, looked at where they matter.

import type { StatusWord } from './outcome.ts';

/** The statuses of messages to a number (or to all), in this order, each only after the one before was taken. */
export interface StatusScript {
  statuses: readonly StatusWord[];
  /** With `failed`. */
  errorCode?: number | undefined;
  /** Each is sent so many times. */
  copies: number;
}

/** What is sent instead of the usual answer to POST /messages. */
export type AnswerFault =
  /** An error of the platform's; the message is not taken. */
  | { kind: 'error'; code: number; details?: string | undefined }
  /** Taken, and the connection is closed instead of an answer. */
  | { kind: 'lost' }
  /** Anything at all, such as a proxy's page; the message is taken when `taken`. */
  | { kind: 'raw'; status: number; body: string; taken: boolean };

/** What becomes of a call of the Graph API that is no send. */
export type CallFault =
  | { kind: 'error'; code: number; subcode?: number | undefined }
  /** Done, and the connection is closed instead of an answer. */
  | { kind: 'lost' };

/** What a review of templates decides; null: it never ends. */
export type ReviewResult = 'APPROVED' | 'REJECTED' | null;

const ANY = '*';

export class PlatformFaults {
  /** Pause before each answer to POST /messages. Milliseconds. */
  answerDelayMs = 0;
  /** Status webhooks wait in line instead of going out. */
  statusesHeld = false;
  /** Status changes wait for each other until so many go out in one webhook. */
  batchSize = 1;
  reviewResult: ReviewResult = 'APPROVED';
  #calls: { edge: string; fault: CallFault; left: number }[] = [];
  #answers: { fault: AnswerFault; left: number }[] = [];
  #badSignatures = 0;
  readonly #scripts = new Map<string, StatusScript>();

  /** The next `count` sends; several orders are worked off one after another. */
  answerNext(fault: AnswerFault, count: number): void {
    this.#answers.push({ fault, left: count });
  }

  takeAnswer(): AnswerFault | null {
    while (this.#answers[0] && this.#answers[0].left <= 0) this.#answers.shift();
    const first = this.#answers[0];
    if (!first) return null;
    first.left -= 1;
    return first.fault;
  }

  /** The next `count` calls of an edge, e.g. `register`, or of `oauth`. */
  callNext(edge: string, fault: CallFault, count: number): void {
    this.#calls.push({ edge, fault, left: count });
  }

  takeCall(edge: string): CallFault | null {
    const order = this.#calls.find((each) => each.edge === edge && each.left > 0);
    if (!order) return null;
    order.left -= 1;
    return order.fault;
  }

  /** For one number, or for all where `to` is left out. */
  script(to: string | undefined, script: StatusScript): void {
    this.#scripts.set(to ?? ANY, script);
  }

  scriptFor(to: string): StatusScript | undefined {
    return this.#scripts.get(to) ?? this.#scripts.get(ANY);
  }

  /** The next `count` webhooks carry a signature by another secret. */
  signBadly(count: number): void {
    this.#badSignatures = count;
  }

  takeBadSignature(): boolean {
    if (this.#badSignatures <= 0) return false;
    this.#badSignatures -= 1;
    return true;
  }

  /** Everything as it was at the start. */
  reset(): void {
    this.answerDelayMs = 0;
    this.statusesHeld = false;
    this.batchSize = 1;
    this.reviewResult = 'APPROVED';
    this.#calls = [];
    this.#answers = [];
    this.#badSignatures = 0;
    this.#scripts.clear();
  }
}
