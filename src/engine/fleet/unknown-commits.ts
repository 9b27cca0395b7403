// Commits of unknown outcome: a connection that breaks under a statement leaves open whether the statement was committed. If it was, its
// rows name this process as their holder and no other process takes them while this one lives. So this process looks for rows of its own
// that it does not know of (`heldBy` in db/fleet/holder.ts, `heldDeliveries` in db/webhooks).

import { isOutage } from '../../db/outage.ts';

/** Calls `lost` where a statement breaks off: it may have been committed like any other. */
export async function orLost<Result>(statement: Promise<Result>, lost: () => void): Promise<Result> {
  try {
    return await statement;
  } catch (error) {
    if (isOutage(error)) lost();
    throw error;
  }
}

export interface LostTrackOptions {
  now(): number;
  /** How long an abandoned statement may still be committed. Default 20 000: statement timeout and some. */
  openMs?: number;
  /** Between two looks. Default 1 000. */
  everyMs?: number;
}

export class LostTrack {
  readonly #options: Required<LostTrackOptions>;
  #until = 0;
  #nextAt = 0;

  constructor(options: LostTrackOptions) {
    this.#options = { openMs: 20_000, everyMs: 1_000, ...options };
  }

  /** To be called when the outcome of a statement is not known. */
  lost(): void {
    this.#until = this.#options.now() + this.#options.openMs;
    this.#nextAt = 0;
  }

  /** Runs `look` after a loss: at once, then once a second until no commit can come any more. */
  async lookAgain(look: () => Promise<unknown>): Promise<void> {
    const at = this.#options.now();
    if (at >= this.#until || at < this.#nextAt) return;
    await look();
    this.#nextAt = at + this.#options.everyMs;
  }
}
