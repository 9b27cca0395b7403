// Faults of the platform: those that a number stands for, and those that a test orders. Numbers are decided before anything
// happens and purely; a test's orders are switches and counters, read where they matter.

import { defaultScenario, scenarioOf } from '../../core/verify/scenarios.ts';
import type { MoodWord } from '../views.ts';
import { isErrorCode } from './call.ts';

export const statusWords = ['sent', 'delivered', 'read', 'played', 'failed'] as const;

export type StatusWord = (typeof statusWords)[number];

export interface StatusStep {
  status: StatusWord;
  /** From the answer on. Milliseconds. */
  delayMs: number;
  /** With `failed`. */
  errorCode?: number;
}

export type Outcome =
  | { kind: 'refused'; code: number }
  /** `arrives`: the person sees it, so it is in the inbox. */
  | { kind: 'accepted'; arrives: boolean; steps: readonly StatusStep[] };

/** Delay of `sent`: the platform has the message and looks for the phone. */
const sentAfterMs = 5;

/**
 * The numbers under the scenario prefix that stand for an error code: `8` and the code in six digits is refused with it at
 * once, `9` and the code is accepted and fails with it. `+21355 9 131026` → accepted, then 131026.
 */
function errorNumber(e164: string, scenarioPrefix: string): { late: boolean; code: number } | null {
  if (!e164.startsWith(scenarioPrefix)) return null;
  const [, how, digits] = /^([89])(\d{6})$/.exec(e164.slice(scenarioPrefix.length)) ?? [];
  const code = Number(digits);
  return digits !== undefined && isErrorCode(code) ? { late: how === '9', code } : null;
}

/** The outcome of a message to this number; `deliverDelayMs` replaces the delay of the scenario table. */
export function outcomeOf(e164: string, scenarioPrefix: string, deliverDelayMs?: number): Outcome {
  const error = errorNumber(e164, scenarioPrefix);
  if (error && !error.late) return { kind: 'refused', code: error.code };
  if (error) return failsWith(error.code, deliverDelayMs);
  const { app } = scenarioOf(e164, scenarioPrefix) ?? defaultScenario;
  // The real platform takes the message too, and finds out later that the number has no account.
  if (app.answer === 'reject') return failsWith(131026, deliverDelayMs);
  const sent: StatusStep = { status: 'sent', delayMs: Math.min(sentAfterMs, deliverDelayMs ?? sentAfterMs) };
  if (app.status === 'none') return { kind: 'accepted', arrives: true, steps: [sent] };
  const delivered: StatusStep = { status: app.status, delayMs: deliverDelayMs ?? app.delayMs };
  return { kind: 'accepted', arrives: true, steps: [sent, delivered] };
}

function failsWith(errorCode: number, deliverDelayMs = 40): Outcome {
  return { kind: 'accepted', arrives: false, steps: [{ status: 'failed', delayMs: deliverDelayMs, errorCode }] };
}

/** The statuses of messages to a number (or to all), in this order, each only after the one before was taken. */
export interface StatusScript {
  statuses: readonly StatusWord[];
  /** With `failed`. */
  errorCode?: number | undefined;
  /** Each is sent so many times. */
  copies: number;
}

/** A test's replacement for the usual answer to POST /messages. */
export type AnswerFault =
  /** An error of the platform's; the message is not taken. */
  | { kind: 'error'; code: number; details?: string | undefined }
  /** Taken, and the connection is closed instead of an answer. */
  | { kind: 'lost' }
  /** A status and a body of the test's own, such as a proxy's page; the message is taken when `taken`. */
  | { kind: 'raw'; status: number; body: string; taken: boolean };

/** The fault of a call of the Graph API that is no send. */
export type CallFault =
  | { kind: 'error'; code: number; subcode?: number | undefined }
  /** Done, and the connection is closed instead of an answer. */
  | { kind: 'lost' };

/** The decision of template reviews; null = reviews never end. */
export type ReviewResult = 'APPROVED' | 'REJECTED' | null;

/** `code`: the SDK never calls back. `ids`: no message comes. */
export type SignupAnswers = 'none' | 'code' | 'ids' | 'both';

const ANY = '*';

/** The code for a platform that gets too much from one number. */
const tooFast = 130429;
/** A code that stands for this message alone: the channel is not taken for broken, and works again at once. HTTP 403. */
const refusedForGood = 130497;

export class PlatformFaults {
  mood: MoodWord = 'well';
  /** Pause before each answer to POST /messages. Milliseconds. */
  answerDelayMs = 0;
  /** Status webhooks wait in line instead of going out. */
  statusesHeld = false;
  /** Status changes wait for each other until so many go out in one webhook. */
  batchSize = 1;
  reviewResult: ReviewResult = 'APPROVED';
  /** Answers that the signup's window keeps to itself, as the real one does now and then. */
  signupWithholds: SignupAnswers = 'none';
  #calls: { edge: string; fault: CallFault; left: number }[] = [];
  #answers: { fault: AnswerFault; left: number }[] = [];
  #badSignatures = 0;
  readonly #scripts = new Map<string, StatusScript>();

  /** Orders a fault for the next `count` sends; several orders are worked off one after another. */
  answerNext(fault: AnswerFault, count: number): void {
    this.#answers.push({ fault, left: count });
  }

  takeAnswer(): AnswerFault | null {
    if (this.mood === 'throttling') return { kind: 'error', code: tooFast, details: 'Too many messages.' };
    if (this.mood === 'refusing') return { kind: 'error', code: refusedForGood, details: 'Not to this country.' };
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

  /** Orders the statuses of messages to one number, or to all where `to` is left out. */
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
    this.mood = 'well';
    this.answerDelayMs = 0;
    this.statusesHeld = false;
    this.batchSize = 1;
    this.reviewResult = 'APPROVED';
    this.signupWithholds = 'none';
    this.#calls = [];
    this.#answers = [];
    this.#badSignatures = 0;
    this.#scripts.clear();
  }
}
