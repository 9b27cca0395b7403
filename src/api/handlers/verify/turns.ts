// One at a time for each key, in the order they came: calls with the same Idempotency-Key wait for the first one.

export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** Keys somebody has or waits for. */
  get size(): number {
    return this.#last.size;
  }

  /** Runs `work` when everybody before is done, whatever became of them. */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const { promise: done, resolve: finish } = Promise.withResolvers<void>();
    this.#last.set(key, done);
    await before;
    try {
      return await work();
    } finally {
      if (this.#last.get(key) === done) this.#last.delete(key);
      finish();
    }
  }
}
