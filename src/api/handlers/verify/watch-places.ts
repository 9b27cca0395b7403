// Places for watches: a number for each account and mode, and one for all of them.

export type Place = { kind: 'taken'; leave(): void } | { kind: 'account_full'; most: number } | { kind: 'full' };

export class WatchPlaces {
  readonly #ofCaller = new Map<string, number>();
  #taken = 0;

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

  #count(caller: string, by: 1 | -1): void {
    const own = (this.#ofCaller.get(caller) ?? 0) + by;
    if (own > 0) this.#ofCaller.set(caller, own);
    else this.#ofCaller.delete(caller);
    this.#taken += by;
  }
}
