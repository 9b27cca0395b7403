// Messages that may be on record as `submitting` and were certainly never written: the commit that stored them so broke off. Without
// this they would have to pass for sent, like what a dead process leaves behind.

/** How long a statement nobody listens to any more may still be committed: statement timeout and much more. */
const rememberMs = 60_000;

export class Unwritten {
  readonly #now: () => number;
  /** Until when each is remembered, Unix ms, in the order they came. */
  readonly #until = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  add(messageId: string): void {
    const now = this.#now();
    for (const [id, until] of this.#until) {
      if (until > now) break;
      this.#until.delete(id);
    }
    this.#until.set(messageId, now + rememberMs);
  }

  /** Whether it was one of them; from now on it is not, because whoever asks is about to send it. */
  take(messageId: string): boolean {
    return this.#until.delete(messageId);
  }
}
