// Places for watches: a number for each account and mode, one for all of them, and one for those that read at the same time.

/** Watches whose receipts are being read: they share the readers' connections with lists and lookups, and must not take them all. */
const mostReading = 3;

export type Place = { kind: 'taken'; leave(): void } | { kind: 'account_full'; most: number } | { kind: 'full' };

export class WatchPlaces {
  readonly #ofCaller = new Map<string, number>();
  #taken = 0;
  #reading = 0;
  readonly #waiting: (() => void)[] = [];

  /** Accounts and modes that watch something. */
  get callers(): number {
    return this.#ofCaller.size;
  }

  /** Taken before anything is read for the watch: a caller who opens thousands at once is refused without a statement. */
  take(caller: string, most: { ofCaller: number; ofAll: number }): Place {
    const own = this.#ofCaller.get(caller) ?? 0;
    if (own >= most.ofCaller) return { kind: 'account_full', most: most.ofCaller };
    if (this.#taken >= most.ofAll) return { kind: 'full' };
    this.#count(caller, 1);
    return { kind: 'taken', leave: () => this.#count(caller, -1) };
  }

  /** Runs `read` when fewer than three others are reading, in the order of asking. */
  async read<T>(read: () => Promise<T>): Promise<T> {
    if (this.#reading >= mostReading) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#reading += 1;
    try {
      return await read();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#reading -= 1;
    }
  }

  #count(caller: string, by: 1 | -1): void {
    const own = (this.#ofCaller.get(caller) ?? 0) + by;
    if (own > 0) this.#ofCaller.set(caller, own);
    else this.#ofCaller.delete(caller);
    this.#taken += by;
  }
}
