// While the platform refuses us altogether: legs are skipped, and after a pause one message finds out anew. Pure.

const firstPauseMs = 60_000;
const longestPauseMs = 15 * 60_000;

export class Outage {
  #code: string | null = null;
  #until = 0;
  #pauseMs = 0;

  /** The code of the refusal that began it; null while there is none, or while it is time to try again. Times in Unix ms. */
  codeAt(now: number): string | null {
    return now < this.#until ? this.#code : null;
  }

  /** Refused again: the pause doubles. Answers sent at the same time are one refusal. Returns its end where it is news. */
  refused(code: string, now: number): number | null {
    if (now < this.#until) return null;
    this.#pauseMs = this.#pauseMs === 0 ? firstPauseMs : Math.min(this.#pauseMs * 2, longestPauseMs);
    this.#code = code;
    this.#until = now + this.#pauseMs;
    return this.#until;
  }

  /** A message was taken, or the settings were changed. True where there had been an outage. */
  end(): boolean {
    const was = this.#code !== null;
    this.#code = null;
    this.#until = 0;
    this.#pauseMs = 0;
    return was;
  }
}
