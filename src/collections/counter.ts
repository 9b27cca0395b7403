// Counts per key. A key that reaches zero is removed, so that a counter is no larger than what is counted at the moment.

export class Counter {
  readonly #counts = new Map<string, number>();

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: string, by: 1 | -1): void {
    const left = this.of(key) + by;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
  }
}
