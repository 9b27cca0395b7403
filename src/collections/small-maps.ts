// Maps that stay small: one forgets its oldest entry when it is full, one counts and removes a key that reaches zero. A cache of what
// callers send must not grow with their number.

export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number;
  readonly #onEvicted: ((value: Value, key: Key) => void) | undefined;

  /** `most`: entries kept. `onEvicted` is called with each entry that had to make room, never with one that was deleted. */
  constructor(most: number, onEvicted?: (value: Value, key: Key) => void) {
    super();
    this.#most = most;
    this.#onEvicted = onEvicted;
  }

  /** The entry becomes the youngest, whether its key was there before or not. */
  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#most) this.#evict();
    return this;
  }

  #evict(): void {
    for (const [key, value] of this) {
      this.delete(key);
      this.#onEvicted?.(value, key);
      return;
    }
  }
}

/** Counts per key; no larger than what is counted at the moment. */
export class Counter<Key = string> {
  readonly #counts = new Map<Key, number>();

  of(key: Key): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: Key, by: 1 | -1): void {
    const left = this.of(key) + by;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
  }
}
