// What a test can make go wrong in an SMSC. Plain switches; smsc.ts looks at them where they matter.

import { status } from './codec.ts';

export class Faults {
  /** Answers to submit_sm wait until `resumeAnswers`. */
  answersPaused = false;
  /** Pause before each answer to submit_sm. Milliseconds. */
  answerDelayMs = 0;
  /** Each answer to submit_sm is sent so many times. */
  answerCopies = 1;
  /** Each receipt is sent so many times. */
  receiptCopies = 1;
  /** command_status for every bind; null = binds are judged as usual. */
  bindStatus: number | null = null;
  /** Sender names that are refused with 0x0A. */
  readonly refusedSenders = new Set<string>();
  #refusals = { left: 0, commandStatus: status.throttled as number };
  #answersToLose = 0;

  /** The next `count` submit_sm get this command_status, default 0x58 (throttled), and are not taken. */
  refuseSubmits(count: number, commandStatus: number = status.throttled): void {
    this.#refusals = { left: count, commandStatus };
  }

  /** The next `count` submit_sm are taken and delivered, but never answered. */
  loseAnswers(count: number): void {
    this.#answersToLose = count;
  }

  /** The command_status to refuse this submit_sm with; null = go on. */
  takeRefusal(): number | null {
    if (this.#refusals.left <= 0) return null;
    this.#refusals.left -= 1;
    return this.#refusals.commandStatus;
  }

  /** True when this answer must not be sent. */
  takeLoss(): boolean {
    if (this.#answersToLose <= 0) return false;
    this.#answersToLose -= 1;
    return true;
  }

  /** Everything as it was at the start. */
  reset(): void {
    this.answersPaused = false;
    this.answerDelayMs = 0;
    this.answerCopies = 1;
    this.receiptCopies = 1;
    this.bindStatus = null;
    this.refusedSenders.clear();
    this.refuseSubmits(0);
    this.loseAnswers(0);
  }
}
