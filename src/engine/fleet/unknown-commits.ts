// Commits of unknown outcome: a connection that breaks under a statement leaves open whether the statement was committed. If it was, its
// rows name this process as their holder, and no other process takes them while this one lives. So this process searches for rows of its
// own that it does not know of.

import { isOutage } from '../../db/outage.ts';

/** How long an abandoned statement may still be committed: the statement timeout and a margin. */
export const openMs = 20_000;

/** Calls `onUnknownCommit` where the statement breaks off: it may have been committed like any other. */
export async function noticeUnknownCommit<Result>(
  statement: Promise<Result>,
  onUnknownCommit: () => void,
): Promise<Result> {
  try {
    return await statement;
  } catch (error) {
    if (isOutage(error)) onUnknownCommit();
    throw error;
  }
}

export interface UnknownCommitsOptions {
  now(): number;
  /** How long an abandoned statement may still be committed. Default 20 000, as above. */
  openMs?: number;
  /** Between two searches. Default 1 000. */
  everyMs?: number;
}

export class UnknownCommits {
  readonly #options: Required<UnknownCommitsOptions>;
  #until = 0;
  #searchedAt = Number.NEGATIVE_INFINITY;

  constructor(options: UnknownCommitsOptions) {
    this.#options = { openMs, everyMs: 1_000, ...options };
  }

  /** Called when the outcome of a statement is not known. */
  add(): void {
    this.#until = this.#options.now() + this.#options.openMs;
    this.#searchedAt = Number.NEGATIVE_INFINITY;
  }

  /** Whether such a statement may still be committed. */
  get isOpen(): boolean {
    const { now, openMs } = this.#options;
    this.#until = Math.min(this.#until, now() + openMs); // Lower where the clock was set back.
    return now() < this.#until;
  }

  /** Runs `find` after an unknown commit: at once, then once a second until no such statement can be committed any more. */
  async search(find: () => Promise<unknown>): Promise<void> {
    const at = this.#options.now();
    // A clock that was set back counts as time that has passed.
    if (!this.isOpen || Math.abs(at - this.#searchedAt) < this.#options.everyMs) return;
    await find();
    this.#searchedAt = at;
  }
}
