// Lines of the log that are written once in a while, however often there is reason to: one cause may come with every message that is sent.

import { isAhead } from './ahead.ts';

/** Lines remembered; beyond that all are forgotten, and each is written once more. */
const mostLines = 1_000;

export class SeldomLines {
  readonly #now: () => number;
  /** Until when each is silent, Unix ms. */
  readonly #silentUntil = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether the line is to be written now; then not again for `silentMs`, the same for each use of a line. */
  isDue(line: string, silentMs: number): boolean {
    const now = this.#now();
    if (isAhead(this.#silentUntil.get(line) ?? now, now, silentMs)) return false;
    if (this.#silentUntil.size >= mostLines) this.#silentUntil.clear();
    this.#silentUntil.set(line, now + silentMs);
    return true;
  }
}
