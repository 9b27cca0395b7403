// Reasons for a line not to send now: an outage of the whole number, and the pause between two messages to one phone. Both are
// pure, with the time as an argument, so that minutes of waiting need none in a test.

const firstPauseMs = 60_000;
const longestPauseMs = 15 * 60_000;

/** An outage: while the platform refuses a number altogether legs are skipped, and after a pause one message tries again. */
export class Outage {
  #code: string | null = null;
  #until = 0;
  #pauseMs = 0;

  /** The code of the refusal that began the outage; null without an outage, or when it is time to try again. Times in Unix ms. */
  codeAt(now: number): string | null {
    return now < this.#until ? this.#code : null;
  }

  /** Notes a refusal, which doubles the pause. Refusals within a pause count as one. Returns the new end, or null within a pause. */
  refused(code: string, now: number): number | null {
    if (now < this.#until) return null;
    this.#pauseMs = this.#pauseMs === 0 ? firstPauseMs : Math.min(this.#pauseMs * 2, longestPauseMs);
    this.#code = code;
    this.#until = now + this.#pauseMs;
    return this.#until;
  }

  /** Ends the outage: a message was taken, or the settings were changed. True where there had been one. */
  end(): boolean {
    const was = this.#code !== null;
    this.#code = null;
    this.#until = 0;
    this.#pauseMs = 0;
    return was;
  }
}

/** Phones remembered; the one sent to longest ago is forgotten first, and the platform's own limit still holds for it. */
const maxPhones = 50_000;

/** The pause between two messages to one phone: the platform counts messages per pair of numbers. */
export class Pairs {
  /** When the next message may go to a phone, Unix ms; in the order of sending. */
  readonly #freeAt = new Map<string, number>();

  /** Takes the phone's turn, which is free again after `intervalMs`, and returns 0; or returns the wait until then, in ms. */
  take(to: string, now: number, intervalMs: number): number {
    const freeAt = this.#freeAt.get(to) ?? 0;
    if (freeAt > now) return freeAt - now;
    this.hold(to, now + intervalMs);
    this.#forget(now);
    return 0;
  }

  /** Keeps messages from the phone until then: the platform itself said "too many to this phone". */
  hold(to: string, until: number): void {
    this.#freeAt.delete(to);
    this.#freeAt.set(to, until);
  }

  #forget(now: number): void {
    for (const [to, freeAt] of this.#freeAt) {
      if (freeAt > now && this.#freeAt.size <= maxPhones) return;
      this.#freeAt.delete(to);
    }
  }
}
