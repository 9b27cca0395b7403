// Rows of API keys this process has looked up, until any key anywhere is changed. Only keys that exist are held: an id that
// does not can be made up endlessly, and holding those would push the real ones out.

import type { ApiKeyRow } from '../../db/schema.ts';

export interface HeldKey {
  row: ApiKeyRow;
  /** When its use was last noted, Unix ms; 0 = never. */
  notedAt: number;
  /** SHA-256 of the secret that was found right; null while none was. */
  proven: Buffer | null;
}

/** Least recently used goes first. */
export class HeldKeys {
  readonly #most: number;
  readonly #held = new Map<string, HeldKey>();
  /** Rises at every `clear`: a row that was asked for before must not be held after. */
  generation = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#held.size;
  }

  get(id: string): HeldKey | undefined {
    const held = this.#held.get(id);
    if (!held) return undefined;
    this.#held.delete(id); // and to the end: a Map keeps the order of insertion
    this.#held.set(id, held);
    return held;
  }

  /** Keeps the row unless something was changed since `generation` was read. */
  hold(row: ApiKeyRow, generation: number): HeldKey {
    const held = { row, notedAt: row.last_used_at?.getTime() ?? 0, proven: null };
    if (generation !== this.generation) return held;
    this.#held.set(row.id, held);
    if (this.#held.size > this.#most) {
      const [oldest] = this.#held.keys();
      if (oldest !== undefined) this.#held.delete(oldest);
    }
    return held;
  }

  clear(): void {
    this.generation += 1;
    this.#held.clear();
  }
}
