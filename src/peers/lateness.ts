// The lateness of frames: how much longer one was on its way than the quickest ones. The clocks of two hosts have nothing to do with
// each other, so only differences are used. A process that was frozen finds questions whose senders have long done the
// work themselves: it leaves them alone.

/** The quickest frame of this one and of the window before counts, so that clocks may drift apart and networks change. */
const windowMs = 30_000;

export class Lateness {
  readonly #limitMs: number;
  /** Distance of the two clocks and the first frame's way: the others are counted from it, or the sums would overflow. */
  #base: number | null = null;
  #before: number | null = null;
  #quickest: number | null = null;
  #since = 0;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Whether a frame was under way for more than the limit. @param sentAt the sender's clock, ms modulo 2³² @param now this one's, ms */
  isLate(sentAt: number, now: number): boolean {
    // Modulo 2³², as the sender counts; about 25 days either way.
    const apart = (Math.floor(now) - sentAt) | 0;
    this.#base ??= apart;
    const delay = (apart - this.#base) | 0;
    if (this.#quickest === null || now - this.#since > windowMs) {
      this.#before = this.#quickest;
      this.#quickest = delay;
      this.#since = now;
    }
    this.#quickest = Math.min(this.#quickest, delay);
    return delay - Math.min(this.#quickest, this.#before ?? this.#quickest) > this.#limitMs;
  }
}
