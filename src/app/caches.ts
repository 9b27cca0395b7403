// The caches of a process, cleared together: a change that raised the change counter may concern any of them.

interface Cache {
  clear(): void;
}

export class Caches implements Cache {
  readonly #caches: Cache[] = [];

  add(...caches: readonly Cache[]): void {
    this.#caches.push(...caches);
  }

  clear(): void {
    for (const cache of this.#caches) cache.clear();
  }
}
