// Whether this process may hold sessions it does not know of: a connection that breaks under a statement leaves open whether
// the statement was committed. If it was, its rows name this process as their holder, which then never acts on them, and
// nobody else does either while it lives. What is looked for is in sweeps.ts (`heldBy`).

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
  /** How long a statement nobody listens to any more may still be committed. Default 20 000: statement timeout and some. */
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

  /** The outcome of a statement is not known. */
  lost(): void {
    this.#until = this.#options.now() + this.#options.openMs;
    this.#nextAt = 0;
  }

  /** Runs `look` when there is something to look for: at once, then once a second until nothing can come any more. */
  async lookAgain(look: () => Promise<unknown>): Promise<void> {
    const at = this.#options.now();
    if (at >= this.#until || at < this.#nextAt) return;
    await look();
    this.#nextAt = at + this.#options.everyMs;
  }
}
