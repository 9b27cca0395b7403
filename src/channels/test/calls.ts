// The calls of test keys: each rings, is answered and ends as its script says, unless it is stopped before. They report as calls of the
// voice channel do: the answer, the first reading, and the end.

import type { CallReport, CallState, StopReason } from '../../core/verify/call.ts';
import type { OutgoingMessage } from '../channel.ts';
import { callLimitMs } from '../voice/reading.ts';
import { type CallScript, ringing } from './script.ts';

export interface TestCallsOptions {
  now(): number;
  /** Runs something once, later; returns what undoes it. */
  later(delayMs: number, run: () => void): () => void;
  answered(message: OutgoingMessage, call: CallReport, holdUntil: number): void;
  /** The first reading was played to its end, or the call is over. */
  report(message: OutgoingMessage, call: CallReport): void;
}

export class TestCalls {
  readonly #options: TestCallsOptions;
  readonly #underWay = new Map<string, TestCall>();

  constructor(options: TestCallsOptions) {
    this.#options = options;
  }

  /** The phone rings from now on. */
  ring(message: OutgoingMessage, script: CallScript): CallReport {
    const call = new TestCall(message, script, this.#options, () => this.#underWay.delete(message.id));
    this.#underWay.set(message.id, call);
    return call.ring();
  }

  /** Stops what may be stopped for that reason. Nothing changes where the call is over. */
  stop(messageId: string, why: StopReason): void {
    this.#underWay.get(messageId)?.stop(why);
  }

  clear(): void {
    this.#underWay.clear();
  }
}

class TestCall {
  readonly #message: OutgoingMessage;
  readonly #script: CallScript;
  readonly #options: TestCallsOptions;
  readonly #onEnd: () => void;
  readonly #startedAt: number;
  #call: CallReport = ringing;
  #undo = () => {};

  constructor(message: OutgoingMessage, script: CallScript, options: TestCallsOptions, onEnd: () => void) {
    this.#message = message;
    this.#script = script;
    this.#options = options;
    this.#onEnd = onEnd;
    this.#startedAt = options.now();
  }

  ring(): CallReport {
    const { ringMs, answered, end, sipCode } = this.#script;
    this.#next(ringMs, () => (answered ? this.#answer(answered) : this.#end(end, sipCode)));
    return this.#call;
  }

  stop(why: StopReason): void {
    if (this.#call.answeredAt === null) this.#end('canceled', 487);
    // A callee who listens is not cut off: only the end of the session ends the call, and what was heard stays heard.
    else if (why === 'session_over') this.#end(this.#call.state === 'heard' ? 'heard' : 'canceled');
  }

  #next(delayMs: number, run: () => void): void {
    this.#undo = this.#options.later(delayMs, run);
  }

  #answer({ heardAfterMs, hangUpAfterMs }: NonNullable<CallScript['answered']>): void {
    const now = this.#options.now();
    const { sipCode, end } = this.#script;
    this.#call = { ...this.#call, state: 'answered', ringMs: now - this.#startedAt, answeredAt: now, sipCode };
    this.#options.answered(this.#message, this.#call, now + callLimitMs);
    const hangUp = () => this.#next(hangUpAfterMs, () => this.#end(end));
    const heard = () => {
      this.#call = { ...this.#call, state: 'heard', keys: 1, readings: 1 };
      this.#options.report(this.#message, this.#call);
      hangUp();
    };
    if (heardAfterMs === null) hangUp();
    else this.#next(heardAfterMs, heard);
  }

  #end(state: CallState, sipCode = this.#call.sipCode): void {
    this.#undo();
    this.#onEnd();
    const now = this.#options.now();
    const { answeredAt, ringMs } = this.#call;
    this.#options.report(this.#message, {
      ...this.#call,
      state,
      sipCode,
      ringMs: ringMs ?? now - this.#startedAt,
      talkSeconds: answeredAt === null ? 0 : Math.max(1, Math.ceil((now - answeredAt) / 1000)),
      ended: true,
    });
  }
}
