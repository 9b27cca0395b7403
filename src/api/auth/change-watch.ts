// The watch on the change counter, by which keys and tokens may be held in memory: what is held is as good as the database while the counter was
// read a moment ago, and is forgotten when the number has changed.

import { readChanges } from '../../db/changes.ts';
import type { Db } from '../../db/schema.ts';
import { within } from '../../time/alarm.ts';
import { isAhead } from '../../time/wall-clock.ts';

export interface ChangeWatchOptions {
  db: Db;
  now(): number;
  /** How old the last reading may be, ms. */
  maxAgeMs: number;
  /** Called when the counter has changed: what is held is to be forgotten. */
  onChange(): void;
}

/** A reading that takes longer is not waited for: the database hangs, and callers would queue up in memory. */
const mostReadingMs = 2_000;

export class ChangeWatch {
  readonly #options: ChangeWatchOptions;
  #counter = -1;
  /** When the statement was sent that has read it, Unix ms. */
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(options: ChangeWatchOptions) {
    this.#options = options;
  }

  /** Whether what is held may be used without another reading. */
  get isFresh(): boolean {
    const { now, maxAgeMs } = this.#options;
    return isAhead(this.#confirmedAt + maxAgeMs + 1, now(), maxAgeMs + 1);
  }

  /** Reads the counter; callers at the same time share the reading. @throws when the database fails or does not answer in time. */
  refresh(): Promise<void> {
    this.#reading ??= within(this.#read(), mostReadingMs, 'the database does not answer').finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const startedAt = this.#options.now();
    this.saw(await readChanges(this.#options.db), startedAt);
  }

  /** The counter stood at `counter` in a statement that was sent at `startedAt`, Unix ms. */
  saw(counter: number, startedAt: number): void {
    // The statement that was sent last counts; but not where it lies ahead, because the clock was set back.
    if (startedAt < this.#confirmedAt && this.#confirmedAt <= this.#options.now()) return;
    const hasChanged = counter !== this.#counter;
    this.#counter = counter;
    this.#confirmedAt = startedAt;
    if (hasChanged) this.#options.onChange();
  }
}
