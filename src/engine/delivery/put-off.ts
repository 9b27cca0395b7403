// Messages that a carrier has put off ("too fast", "try later"): when each may be offered again. A message that comes back every tenth of a
// second is what an SMSC that is too busy needs least.

import { BoundedMap } from '../../collections/small-maps.ts';
import { pause } from '../../time/repeat.ts';

const firstPauseMs = 250;
const longestPauseMs = 2_000;
/** A message that another process has taken over meanwhile is not asked about again. */
const mostKept = 10_000;

export class PutOff {
  readonly #now: () => number;
  readonly #messages = new BoundedMap<string, { until: number; pauseMs: number }>(mostKept);

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A message was refused for now, for the nth time: it may be offered again after 250 ms, then 500 ms, 1 s, 2 s, 2 s … */
  add(messageId: string, refusals: number): void {
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (refusals - 1));
    this.#messages.set(messageId, { until: this.#now() + pauseMs, pauseMs });
  }

  /** Resolves when the message may be offered again, or `signal` is aborted. */
  async passed(messageId: string, signal: AbortSignal): Promise<void> {
    const put = this.#messages.get(messageId);
    if (!put) return;
    // A clock that was set back asks for no longer than the pause.
    const waitMs = Math.min(put.pauseMs, put.until - this.#now());
    if (waitMs > 0) await pause(waitMs, signal);
  }

  forget(messageId: string): void {
    this.#messages.delete(messageId);
  }
}
