// The one clock of the media thread: every call has a frame each 20 ms, and the calls are spread over those 20 ms, so that a thousand
// calls are a few packets each millisecond and no burst. A timer for each call would cost more and drift apart.

/** Length of a frame, ms. */
export const frameMs = 20;
/**
 * A thread that stood still for longer goes on from the present, ms. Below, the frames that are due are sent at once: a jitter buffer
 * takes them, while a second of sound at once would be thrown away by the phone.
 */
export const mostBehindMs = 100;

export interface ClockMember {
  /** A frame was due at `dueAt`; it is now `now`. Both in ms of the clock's own time. */
  frame(now: number, dueAt: number): void;
  /** The thread stood still: so many frames will never be sent. */
  skip(frames: number): void;
}

export class FrameClock {
  readonly #now: () => number;
  readonly #beginAt: number;
  /** One for each millisecond of a frame. */
  readonly #slots = Array.from({ length: frameMs }, () => new Set<ClockMember>());
  #members = 0;
  /** The millisecond since the beginning that comes next. */
  #tick = 0;

  /** @param now monotonic time, ms with fractions */
  constructor(now: () => number) {
    this.#now = now;
    this.#beginAt = now();
  }

  /** A member that is there stays where it is. */
  join(member: ClockMember): void {
    if (this.#slots.some((slot) => slot.has(member))) return;
    // Milliseconds that passed without members have no frames to send.
    if (this.#members === 0) this.#tick = Math.ceil(this.#now() - this.#beginAt);
    const emptiest = this.#slots.reduce((least, slot) => (slot.size < least.size ? slot : least));
    emptiest.add(member);
    this.#members += 1;
  }

  leave(member: ClockMember): void {
    if (this.#slots.some((slot) => slot.delete(member))) this.#members -= 1;
  }

  /** When `run` has something to do, in the clock's time; null without members. */
  nextAt(): number | null {
    if (this.#members === 0) return null;
    let tick = this.#tick;
    while (this.#slots[tick % frameMs]?.size === 0) tick += 1;
    return this.#beginAt + tick;
  }

  /** Gives every member the frames that are due. */
  run(): void {
    // Read once: on a machine that can't keep up, packets from outside would never be read otherwise.
    const until = this.#now() - this.#beginAt;
    this.#catchUp(until);
    for (; this.#tick <= until; this.#tick += 1) {
      const dueAt = this.#beginAt + this.#tick;
      for (const member of this.#slots[this.#tick % frameMs] ?? []) member.frame(this.#now(), dueAt);
    }
  }

  #catchUp(until: number): void {
    if (until - this.#tick <= mostBehindMs) return;
    const frames = Math.floor((until - this.#tick) / frameMs);
    this.#tick += frames * frameMs;
    for (const slot of this.#slots) for (const member of slot) member.skip(frames);
  }
}
