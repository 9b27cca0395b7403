// Not too many messages to one phone: the platform counts them per pair of numbers. Pure; the caller brings the time.

/** Phones remembered; the one sent to longest ago is forgotten first, and the platform's own refusal still holds. */
const maxPhones = 50_000;

export class Pairs {
  /** When the next message may go to a phone, Unix ms; in the order of sending. */
  readonly #freeAt = new Map<string, number>();

  /** Takes the phone's turn, which is free again after `intervalMs`; or says how long until then, in ms. */
  take(to: string, now: number, intervalMs: number): number {
    const freeAt = this.#freeAt.get(to) ?? 0;
    if (freeAt > now) return freeAt - now;
    this.hold(to, now + intervalMs);
    this.#forget(now);
    return 0;
  }

  /** The platform itself said "too many to this phone". */
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
