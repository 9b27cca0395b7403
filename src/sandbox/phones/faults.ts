// Faults of the trunk that a test can order: plain switches that phones.ts and rtp.ts read where they matter.

import type { trunkMoods } from '../views.ts';

export class PhoneFaults {
  /** `down` is no fault of a trunk that listens: it is in phones.ts. */
  mood: Exclude<(typeof trunkMoods)[number], 'down'> = 'well';
  /** Before the first answer to an INVITE, even `100 Trying`. Milliseconds. */
  delayMs = 0;
  /** Phones send no audio, in calls that are up too. */
  muted = false;
  #refusals = { left: 0, status: 503, retryAfterSeconds: null as number | null };

  /** The next `count` calls are refused with this final status. */
  refuseCalls(count: number, status = 503, retryAfterSeconds: number | null = null): void {
    this.#refusals = { left: count, status, retryAfterSeconds };
  }

  /** What to refuse this call with; null = go on. */
  takeRefusal(): { status: number; retryAfterSeconds: number | null } | null {
    if (this.mood === 'refusing') return { status: 403, retryAfterSeconds: null };
    if (this.#refusals.left <= 0) return null;
    this.#refusals.left -= 1;
    return this.#refusals;
  }

  /** Everything as it was at the start. */
  reset(): void {
    this.mood = 'well';
    this.delayMs = 0;
    this.muted = false;
    this.refuseCalls(0);
  }
}
