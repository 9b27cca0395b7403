// Who may send next to one operator: a place is a free seat in some bind's window and a token of the operator's rate.
// First come, first served. Knows nothing of sockets: binds are told to it as seats.

/** One bind, as the queue sees it. */
export interface Seats {
  /** Bound and able to send. */
  readonly open: boolean;
  /** submit_sm that may still be written before an answer must come. */
  readonly free: number;
}

/** The rate: a token bucket that slows down when the operator says so. Times in Unix ms. */
export interface Rate {
  /** Takes a token, or says when the next one will be there. */
  take(now: number): { kind: 'taken' } | { kind: 'wait'; until: number };
  /** Puts back a token that was taken and not used. */
  put(): void;
}

export interface QueueOptions<Bind extends Seats> {
  binds(): readonly Bind[];
  rate: Rate;
  now(): number;
  /** Injectable for tests. */
  setTimer?(run: () => void, ms: number): { clear(): void };
}

interface Waiter<Bind> {
  resolve(bind: Bind | null): void;
  signal: AbortSignal;
  aborted(): void;
}

const systemTimer = (run: () => void, ms: number) => {
  const timer = setTimeout(run, ms);
  return { clear: () => clearTimeout(timer) };
};

export class PlaceQueue<Bind extends Seats> {
  readonly #options: QueueOptions<Bind>;
  /** In the order they came; a set, because one whose leg is over leaves from the middle. */
  readonly #waiting = new Set<Waiter<Bind>>();
  readonly #reserved = new Map<Bind, number>();
  #timer: { clear(): void } | null = null;

  constructor(options: QueueOptions<Bind>) {
    this.#options = options;
  }

  get length(): number {
    return this.#waiting.size;
  }

  /** True while some bind could take a message, now or after a wait. */
  get open(): boolean {
    return this.#options.binds().some((bind) => bind.open);
  }

  /** A bind with a seat kept free, for `release` or `giveBack`. Null when every bind is lost or `signal` is aborted first. */
  reserve(signal: AbortSignal): Promise<Bind | null> {
    if (signal.aborted || !this.open) return Promise.resolve(null);
    return new Promise((resolve) => {
      const aborted = () => {
        this.#waiting.delete(waiter);
        resolve(null);
      };
      const waiter: Waiter<Bind> = { resolve, signal, aborted };
      signal.addEventListener('abort', aborted, { once: true });
      this.#waiting.add(waiter);
      this.pump();
    });
  }

  /** The same, where it takes no waiting and overtakes nobody; else null. */
  reserveNow(): Bind | null {
    const bind = this.#waiting.size === 0 ? this.#freest() : null;
    if (!bind || this.#options.rate.take(this.#options.now()).kind === 'wait') return null;
    this.#keep(bind);
    return bind;
  }

  /** Neither seat nor token was used: others may have both. */
  giveBack(bind: Bind): void {
    this.#options.rate.put();
    this.release(bind);
  }

  /** The seat was used: the window counts it now. */
  release(bind: Bind): void {
    const left = (this.#reserved.get(bind) ?? 0) - 1;
    if (left > 0) this.#reserved.set(bind, left);
    else this.#reserved.delete(bind);
    this.pump();
  }

  /** Gives out what there is. Called whenever a bind opens, closes or gets a seat back. */
  pump(): void {
    if (!this.open) this.#refuseAll();
    for (const waiter of this.#waiting) {
      const bind = this.#freest();
      if (!bind) return;
      const token = this.#options.rate.take(this.#options.now());
      if (token.kind === 'wait') {
        this.#pumpAt(token.until);
        return;
      }
      this.#keep(bind);
      this.#give(waiter, bind);
    }
  }

  stop(): void {
    this.#timer?.clear();
    this.#timer = null;
    this.#refuseAll();
  }

  #keep(bind: Bind): void {
    this.#reserved.set(bind, (this.#reserved.get(bind) ?? 0) + 1);
  }

  #refuseAll(): void {
    for (const waiter of this.#waiting) this.#give(waiter, null);
  }

  #give(waiter: Waiter<Bind>, bind: Bind | null): void {
    this.#waiting.delete(waiter);
    waiter.signal.removeEventListener('abort', waiter.aborted);
    waiter.resolve(bind);
  }

  #freest(): Bind | null {
    let best: Bind | null = null;
    let most = 0;
    for (const bind of this.#options.binds()) {
      const free = bind.open ? bind.free - (this.#reserved.get(bind) ?? 0) : 0;
      if (free > most) [best, most] = [bind, free];
    }
    return best;
  }

  #pumpAt(at: number): void {
    if (this.#timer) return;
    const run = () => {
      this.#timer = null;
      this.pump();
    };
    this.#timer = (this.#options.setTimer ?? systemTimer)(run, Math.max(1, at - this.#options.now()));
  }
}
