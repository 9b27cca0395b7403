// Whether the other side is still there (SMPP v3.4 sections 2.7 and 7.2): enquire_link when it is silent, and giving up. Pure:
// times are arguments, in ms.

export interface LinkTimersOptions {
  /** Silence after which it is asked. */
  idleMs: number;
  /** How long its answer is waited for. */
  responseMs: number;
  /** Unanswered enquire_link in a row after which it is dead. */
  maxMisses: number;
  /** Time without anything but enquire_link after which the connection is not worth keeping; null = never. */
  inactivityMs: number | null;
}

/** `until`: nothing more before then. */
export type Due =
  | { kind: 'enquire_link'; until: number }
  | { kind: 'dead' }
  | { kind: 'inactive' }
  | { kind: 'wait'; until: number };

export class LinkTimers {
  readonly #options: LinkTimersOptions;
  #heardAt: number;
  #workedAt: number;
  #askedAt: number | null = null;
  #misses = 0;

  constructor(options: LinkTimersOptions, now: number) {
    this.#options = options;
    this.#heardAt = now;
    this.#workedAt = now;
  }

  /** A PDU came, whichever: who speaks is alive. */
  heard(now: number): void {
    this.#heardAt = now;
    this.#askedAt = null;
    this.#misses = 0;
  }

  /** A PDU came or went that was not about the link itself. */
  worked(now: number): void {
    this.#workedAt = now;
  }

  /** What is to be done now; an enquire_link it asks for counts as sent. */
  due(now: number): Due {
    const { idleMs, responseMs, maxMisses, inactivityMs } = this.#options;
    const inactiveAt = inactivityMs === null ? Number.POSITIVE_INFINITY : this.#workedAt + inactivityMs;
    if (now >= inactiveAt) return { kind: 'inactive' };

    const askAt = this.#askedAt === null ? this.#heardAt + idleMs : this.#askedAt + responseMs;
    // Looked at once more after idleMs at the latest: an answer that comes meanwhile starts the idle time anew.
    const until = (at: number): number => Math.min(at, now + idleMs, inactiveAt);
    if (now < askAt) return { kind: 'wait', until: until(askAt) };

    if (this.#askedAt !== null) this.#misses += 1;
    if (this.#misses >= maxMisses) return { kind: 'dead' };
    this.#askedAt = now;
    return { kind: 'enquire_link', until: until(now + responseMs) };
  }
}
