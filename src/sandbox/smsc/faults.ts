// Faults of an SMSC that a test can order: plain switches that smsc.ts and traffic.ts read where they matter, and the queue of
// answers to submit_sm. Answers have a way out of their own, so that a test can pause, delay, double or lose them.

import { type Clock, Schedule } from '../clock.ts';
import type { MoodWord } from '../views.ts';
import { type Pdu, status } from './codec.ts';
import type { Link } from './link.ts';

export class Faults {
  /** `down` is no fault of an SMSC that listens: it is in smsc.ts. */
  mood: Exclude<MoodWord, 'down'> = 'well';
  /** Answers to submit_sm wait until `resumeAnswers`. */
  answersPaused = false;
  /** Pause before each answer to submit_sm. Milliseconds. */
  answerDelayMs = 0;
  /** How often each answer to submit_sm is sent. */
  answerCopies = 1;
  /** How often each receipt is sent. */
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
    if (this.mood === 'throttling') return status.throttled;
    if (this.mood === 'refusing') return status.submitFailed;
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
    this.mood = 'well';
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

export class Answers {
  readonly #faults: Faults;
  readonly #schedule: Schedule;
  #held: (() => void)[] = [];

  constructor(faults: Faults, clock: Clock) {
    this.#faults = faults;
    this.#schedule = new Schedule(clock);
  }

  send(link: Link, pdu: Pdu, fields: Record<string, unknown>): void {
    const faults = this.#faults;
    if (faults.takeLoss()) return;
    const write = () => {
      for (let copy = 0; copy < faults.answerCopies; copy += 1) link.answer(pdu, fields);
    };
    if (faults.answersPaused) this.#held.push(write);
    else if (faults.answerDelayMs > 0) this.#schedule.later(pdu, faults.answerDelayMs, write);
    else write();
  }

  /** Sends the answers held during a pause, in order. */
  release(): void {
    const held = this.#held;
    this.#held = [];
    for (const write of held) write();
  }

  stop(): void {
    this.#schedule.stop();
    this.#held = [];
  }
}
