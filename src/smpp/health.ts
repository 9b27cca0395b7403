// The health of a bind that answers enquire_link and no message: counted by the messages that it leaves without an answer. Pure; times
// are arguments, in ms.

export interface HealthOptions {
  /** Unanswered submit_sm in a row after which the bind is sick. */
  misses: number;
  /** How long a sick bind gets no message that another bind can take; doubles with each time, up to ten times as long. */
  restMs: number;
}

/** What a bind is good for: any message, one at a time to see whether it answers again, or only what no other bind can take. */
export type Trust = 'well' | 'to_be_tried' | 'last_resort';

export class Health {
  readonly #options: HealthOptions;
  #missed = 0;
  /** Times in a row that it was found sick. */
  #times = 0;
  #restUntil = 0;
  #round = 0;

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  get sick(): boolean {
    return this.#times > 0;
  }

  /** Goes up each time that the bind is found sick. Each message belongs to the round it was sent in. */
  get round(): number {
    return this.#round;
  }

  trust(now: number): Trust {
    if (!this.sick) return 'well';
    return now < this.#restUntil ? 'last_resort' : 'to_be_tried';
  }

  /** A message was answered, late or in time. */
  answered(): void {
    this.#missed = 0;
    this.#times = 0;
  }

  /**
   * A message was left without an answer. True where the bind is to be made again: it is sick, for the first time or still. What was sent
   * before it was found sick says nothing new: a whole window ends at the same moment.
   */
  missed(now: number, round = this.#round): boolean {
    if (round !== this.#round) return false;
    this.#missed += 1;
    if (!this.sick && this.#missed < this.#options.misses) return false;
    this.#missed = 0;
    this.#restUntil = now + this.#options.restMs * Math.min(10, 2 ** this.#times);
    this.#times += 1;
    this.#round += 1;
    return true;
  }
}
