// The way out for answers to submit_sm: where a test can pause, delay, double or lose them.

import type { Clock } from '../clock.ts';
import type { Pdu } from './codec.ts';
import type { Faults } from './faults.ts';
import type { Link } from './link.ts';
import { Schedule } from './schedule.ts';

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

  /** Sends what was held while answers were paused, in order. */
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
