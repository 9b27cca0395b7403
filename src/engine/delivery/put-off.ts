// Messages that a carrier has put off ("too fast", "try later"): how often, with which status, and when each may be offered again. A
// message that comes back every tenth of a second is what an SMSC that is too busy needs least.

import { BoundedMap } from '../../collections/small-maps.ts';
import type { Busy } from '../../core/verify/event.ts';
import { pause } from '../../time/repeat.ts';

const firstPauseMs = 250;
const longestPauseMs = 2_000;
/** A message that another process has taken over meanwhile is not asked about again. */
const mostKept = 10_000;

export class PutOff {
  readonly #now: () => number;
  readonly #messages = new BoundedMap<string, Busy & { until: number; pauseMs: number }>(mostKept);

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A message was refused for now: it may be offered again after 250 ms, then 500 ms, 1 s, 2 s, 2 s … */
  add(messageId: string, errorCode: string): Busy {
    const before = this.#messages.get(messageId);
    const pauseMs = Math.min(longestPauseMs, (before?.pauseMs ?? firstPauseMs / 2) * 2);
    const put = { errorCode, refusals: (before?.refusals ?? 0) + 1, until: this.#now() + pauseMs, pauseMs };
    this.#messages.set(messageId, put);
    return { errorCode, refusals: put.refusals };
  }

  /** Resolves when the message may be offered again, or `signal` is aborted. */
  async passed(messageId: string, signal: AbortSignal): Promise<void> {
    const put = this.#messages.get(messageId);
    if (!put) return;
    // A clock that was set back asks for no longer than the pause.
    const waitMs = Math.min(put.pauseMs, put.until - this.#now());
    if (waitMs > 0) await pause(waitMs, signal);
  }

  /** What there is to tell of a message whose wait is over; the message is forgotten. Null where it was never put off. */
  end(messageId: string): Busy | null {
    const put = this.#messages.get(messageId);
    this.#messages.delete(messageId);
    return put ? { errorCode: put.errorCode, refusals: put.refusals } : null;
  }
}
