// The outage of one number: while the platform refuses it for every recipient its legs are skipped, and after a pause one message
// tries again. It is pure, with the time (Unix ms) as an argument.
//
// A locked or unpaid account takes messages all the same (200, with an id) and reports their failure a moment later. So an outage that
// a callback began is ended by no answer, and by nothing but a message that was made after the refusal and reached its phone.

import { isAhead } from '../../time/wall-clock.ts';

const firstOutageMs = 60_000;
const longestOutageMs = 15 * 60_000;
/** How long the one message that tries again is waited for, before another may try: statuses take seconds. */
const trialMs = 20_000;

export class Outage {
  #code: string | null = null;
  #until = 0;
  #pauseMs = 0;
  #refusedAt = 0;
  /** A callback has reported it, so that an answer proves nothing. */
  #isReported = false;
  #triedUntil = 0;

  /** The code of the refusal that began the outage; null without an outage, or when it is time to try again. */
  codeAt(now: number): string | null {
    return this.#isPausing(now) || isAhead(this.#triedUntil, now, trialMs) ? this.#code : null;
  }

  /** Notes a refusal, which doubles the pause. Refusals within a pause count as one. Returns the new end, or null within a pause. */
  refused(code: string, by: 'answer' | 'callback', now: number): number | null {
    this.#isReported ||= by === 'callback';
    this.#refusedAt = now;
    this.#triedUntil = 0;
    if (this.#isPausing(now)) return null;
    this.#pauseMs = this.#pauseMs === 0 ? firstOutageMs : Math.min(this.#pauseMs * 2, longestOutageMs);
    this.#code = code;
    this.#until = now + this.#pauseMs;
    return this.#until;
  }

  /** A message goes out: where the outage's pause is over it is the one that tries, and no other person's code is risked beside it. */
  tried(now: number): void {
    if (this.#code === null || this.#isPausing(now)) return;
    this.#triedUntil = now + trialMs;
    this.#refusedAt = Math.min(this.#refusedAt, now); // Lower where the clock was set back: what is made from now on is made after it.
  }

  /** The message that tried was not taken for a reason of its own, and shows nothing. */
  notTaken(): void {
    this.#triedUntil = 0;
  }

  /** The platform took a message. True where that ended an outage. */
  taken(): boolean {
    return !this.#isReported && this.end();
  }

  /** A message made at `madeAt` reached its phone. True where that ended an outage. */
  delivered(madeAt: number): boolean {
    return madeAt > this.#refusedAt && this.end();
  }

  /** Ends the outage, as new settings do. True where there had been one. */
  end(): boolean {
    const was = this.#code !== null;
    this.#code = null;
    this.#until = 0;
    this.#pauseMs = 0;
    this.#isReported = false;
    this.#triedUntil = 0;
    return was;
  }

  #isPausing(now: number): boolean {
    return isAhead(this.#until, now, this.#pauseMs);
  }
}
