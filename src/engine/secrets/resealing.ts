// Sealing again: what is sealed under an older key of the ring is sealed under the current one, so that the older key may go. In small
// transactions, by one process at a time; a row that changes meanwhile is left to its change.

import { isSealedWithCurrentKey, type KeyRing, open, type SealPurpose, seal } from '../../core/secrets/key-ring.ts';
import { inTransaction } from '../../db/changes.ts';
import type { Db, Tx } from '../../db/schema.ts';
import { lockResealing } from '../../db/secrets/resealing.ts';
import { Wakeup } from '../../time/on-demand.ts';

/** Rows of one batch. */
export interface ResealedRows {
  /** Id of the last row that was looked at; null: there was none. */
  last: string | null;
  /** Rows that are sealed under the current key now. */
  resealed: number;
  /** Ids of rows that could not be opened: their key is lost. */
  unreadable: readonly string[];
}

/** Sealed rows of one kind, kept by the room that they belong to. */
export interface SealedRows {
  purpose: SealPurpose;
  /** Seals up to `limit` rows again, with ids after `after`, of those that are sealed under none of `keyIds`. */
  reseal(tx: Tx, batch: { keyIds: readonly string[]; after: string; limit: number }): Promise<ResealedRows>;
}

export interface ResealingOptions {
  db: Db;
  ring: KeyRing;
  sources: readonly SealedRows[];
  /** Rows of one transaction. Default 100. */
  batch?: number;
}

/** What was done with the rows of each purpose. */
export type ResealedCounts = Map<SealPurpose, Omit<ResealedRows, 'last'>>;

export interface Resealed {
  /** `busy`: another process is at it, or this one is to end. What is in `rows` was done before. */
  kind: 'done' | 'busy';
  rows: ResealedCounts;
}

export class Resealing {
  /** Set when another key is current. */
  readonly due = new Wakeup();
  readonly #options: ResealingOptions;

  constructor(options: ResealingOptions) {
    this.#options = options;
  }

  /** Adds to `rows` as it goes: what was done before an outage is done. Ends early once `stopping` is aborted. @throws an outage */
  async run(rows: ResealedCounts = new Map(), stopping?: AbortSignal): Promise<Resealed> {
    for (const source of this.#options.sources) {
      const sum = { resealed: 0, unreadable: [] as string[] };
      rows.set(source.purpose, sum);
      if (!(await this.#all(source, sum, stopping))) return { kind: 'busy', rows };
    }
    return { kind: 'done', rows };
  }

  /** Adds to `sum` as it goes. False where another process is at it, or this one is to end. */
  async #all(
    source: SealedRows,
    sum: { resealed: number; unreadable: string[] },
    stopping: AbortSignal | undefined,
  ): Promise<boolean> {
    const { db, ring, batch = 100 } = this.#options;
    const { purpose } = source;
    if (!ring.has(purpose)) return true;
    // What a process that is ahead of this one has sealed under the next key stays.
    const keyIds = [ring.current(purpose), ring.next(purpose)].flatMap((key) => (key ? [key.id] : []));
    for (let after: string | null = ''; after !== null; ) {
      if (stopping?.aborted) return false;
      const from: string = after;
      const rows = await inTransaction(db, async (tx) =>
        (await lockResealing(tx)) ? source.reseal(tx, { keyIds, after: from, limit: batch }) : null,
      );
      if (rows === null) return false;
      sum.resealed += rows.resealed;
      sum.unreadable.push(...rows.unreadable);
      after = rows.last;
    }
    return true;
  }
}

/** The text under the current key: itself where it is there already, undefined where it can't be opened. `iv`: 12 random bytes. */
export function resealedText(
  ring: KeyRing,
  purpose: SealPurpose,
  { sealed, aad, iv }: { sealed: string; aad: string; iv: Uint8Array },
): string | undefined {
  if (isSealedWithCurrentKey(ring, purpose, sealed)) return sealed;
  const opened = open(ring, purpose, sealed, aad);
  return opened.kind === 'ok' ? seal(ring, purpose, opened.plaintext, aad, iv) : undefined;
}
