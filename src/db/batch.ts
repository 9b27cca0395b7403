// The lane: items of concurrent callers are batched into one statement. Where a caller waits for an item no delay is added: whatever has come in
// by the end of this turn of the event loop goes out, and while two batches are under way the next fills. A patient item, which no caller waits
// for, lingers until a few items are together or its time is up: setting up a statement costs more than one more row in it, and a steady trickle
// would otherwise make each row a statement of its own. Batches of patient items alone also keep a distance from the batch before.

import { alarm } from '../time/alarm.ts';
import { isUnstorable } from './outage.ts';

export interface LaneOptions {
  name: string;
  /** Items a batch. Default 400: beyond it a statement's time grows as fast as its size. */
  maxBatch?: number;
  /** Batches under way at once. Default 2: one in the database, one on the wire. */
  inFlight?: number;
  /** How long a `briefly` patient item lingers at most, and the distance that a batch of patient items keeps from the one before, ms. Default 5. */
  briefLingerMs?: number;
  /** How long any other patient item lingers at most, ms. Default 20. */
  lingerMs?: number;
  /** Items waiting before new ones are refused. Default 20 000. */
  maxWaiting?: number;
  /** New items are refused while every batch under way has been so for longer than this, ms. Default 3 000. */
  maxStallMs?: number;
  observe?(lane: string, batch: { size: number; waitMs: number; runMs: number }): void;
  now?(): number;
}

/** Too many items wait, or nothing moves: the caller must refuse its own caller, and not wait in memory. */
export class LaneFull extends Error {
  override name = 'LaneFull';
}

/**
 * How an item waits. True: nobody waits for it. `briefly`: no caller of the API does, but a peer that may send its next only after the answer,
 * as an operator with a window of one does with receipts.
 */
export type Patience = boolean | 'briefly';

export interface PushOptions {
  patient?: Patience;
  /** It follows from what is committed already, and is not refused: its number is bounded by that of those items. */
  isOwed?: boolean;
}

/** Patient items that make a batch: with so many together none lingers for more. */
const worthwhile = 4;

/** How often it is looked within `maxStallMs` whether batches move. */
const looks = 4;

interface Waiting<Item, Result> {
  item: Item;
  since: number;
  dueAt: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Serialization failures and deadlocks: the statement did nothing and may simply be run again (SQLSTATE 40001, 40P01). */
const isRetryable = (error: unknown): boolean => ['40001', '40P01'].includes((error as { code?: string }).code ?? '');
/** Errors of the data (beside those that are never stored, SQLSTATE class 23: constraints): one item of the batch is wrong, the others are not. */
const isPoison = (error: unknown): boolean =>
  isUnstorable(error) || /^23/.test((error as { code?: string }).code ?? '');

export class Lane<Item, Result> {
  readonly #run: (items: readonly Item[]) => Promise<Result[]>;
  readonly #options: Required<Omit<LaneOptions, 'observe'>> & Pick<LaneOptions, 'observe'>;
  #waiting: Waiting<Item, Result>[] = [];
  #batches = 0;
  #scheduled = false;
  /** When the first item that waits has lingered for long enough; -∞ where one of them does not linger at all. */
  #dueAt = Number.POSITIVE_INFINITY;
  /** Set while all items that wait linger; it fires `at`. */
  #linger: { timer: NodeJS.Timeout; at: number } | null = null;
  /** When a batch last left. */
  #leftAt = Number.NEGATIVE_INFINITY;
  /** Looks in a row that found every batch under way, and none of them gone or come since the look before. */
  #still = 0;
  #isWatched = false;

  constructor(run: (items: readonly Item[]) => Promise<Result[]>, options: LaneOptions) {
    this.#run = run;
    const usual = {
      maxBatch: 400,
      inFlight: 2,
      briefLingerMs: 5,
      lingerMs: 20,
      maxWaiting: 20_000,
      maxStallMs: 3_000,
      now: Date.now,
    };
    this.#options = { ...usual, ...options };
  }

  /** Items neither answered nor refused yet that have not left for the database. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves once the item's batch is committed. @throws LaneFull, or what the statement threw for this item. */
  push(item: Item, { patient = false, isOwed = false }: PushOptions = {}): Promise<Result> {
    if (!isOwed && this.#waiting.length >= this.#options.maxWaiting) {
      return Promise.reject(new LaneFull(`lane ${this.#options.name} is full`));
    }
    if (!isOwed && this.#still >= looks)
      return Promise.reject(new LaneFull(`lane ${this.#options.name} does not move`));
    return new Promise((resolve, reject) => {
      const since = this.#options.now();
      const dueAt = since + this.#lingerOf(patient);
      this.#waiting.push({ item, since, dueAt, resolve, reject });
      this.#dueAt = Math.min(this.#dueAt, dueAt);
      this.#schedule();
    });
  }

  /** Sends patient items that linger now. */
  flush(): void {
    if (this.#linger) this.#leave();
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0 || this.#batches >= this.#options.inFlight) return;
    const leftMs = this.#lingerLeftMs();
    if (leftMs > 0) {
      const at = this.#options.now() + leftMs;
      if (this.#linger && this.#linger.at <= at) return;
      if (this.#linger) clearTimeout(this.#linger.timer);
      this.#linger = { at, timer: setTimeout(() => this.#leave(), leftMs) };
      return;
    }
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#leaveIfDue();
    });
  }

  #leaveIfDue(): void {
    if (this.#lingerLeftMs() > 0) this.#schedule();
    else this.#leave();
  }

  #lingerOf(patient: Patience): number {
    const { briefLingerMs, lingerMs } = this.#options;
    if (patient === 'briefly') return briefLingerMs;
    return patient ? Math.max(briefLingerMs, lingerMs) : Number.NEGATIVE_INFINITY;
  }

  /** How much longer the items that wait linger, ms; 0 or less = they leave now. A clock that was set back makes them linger no longer. */
  #lingerLeftMs(): number {
    if (this.#dueAt === Number.NEGATIVE_INFINITY) return 0;
    const at = this.#options.now();
    const apartAt = Math.min(this.#leftAt, at) + this.#options.briefLingerMs;
    const leaveAt = this.#waiting.length < worthwhile ? Math.max(apartAt, this.#dueAt) : apartAt;
    return Math.min(leaveAt - at, this.#lingerOf(true));
  }

  /**
   * A database that is frozen answers nothing and refuses nothing: what came in behind would wait in memory. A process that stood still looks once
   * for all of that time, behind the answers that came meanwhile.
   */
  #watch(): void {
    const { inFlight, maxStallMs } = this.#options;
    if (this.#isWatched || this.#batches < inFlight) return;
    this.#isWatched = true;
    const look = () => {
      this.#isWatched = false;
      this.#still += 1;
      this.#watch();
    };
    alarm(look, maxStallMs / looks, { ref: false });
  }

  /** Sends what waits, as far as there is room. */
  #leave(): void {
    if (this.#linger) clearTimeout(this.#linger.timer);
    this.#linger = null;
    while (this.#waiting.length > 0 && this.#batches < this.#options.inFlight) {
      const batch = this.#waiting.splice(0, this.#options.maxBatch);
      this.#dueAt = this.#waiting.reduce((first, { dueAt }) => Math.min(first, dueAt), Number.POSITIVE_INFINITY);
      this.#batches += 1;
      this.#leftAt = this.#options.now();
      this.#still = 0;
      void this.#send(batch).finally(() => {
        this.#batches -= 1;
        this.#still = 0;
        this.#leaveIfDue();
      });
    }
    this.#watch();
  }

  async #send(batch: Waiting<Item, Result>[]): Promise<void> {
    const { now, observe, name } = this.#options;
    const startedAt = now();
    await this.#runOrHalve(batch, 3);
    observe?.(name, {
      size: batch.length,
      waitMs: startedAt - (batch[0]?.since ?? startedAt),
      runMs: now() - startedAt,
    });
  }

  /** A batch with a poisoned item is halved until the item stands alone; only its caller sees the error. */
  async #runOrHalve(batch: Waiting<Item, Result>[], tries: number): Promise<void> {
    try {
      const results = await this.#run(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => {
        resolve(results[index] as Result);
      });
    } catch (error) {
      if (isRetryable(error) && tries > 1) return this.#runOrHalve(batch, tries - 1);
      if (!isPoison(error) || batch.length === 1) {
        for (const { reject } of batch) reject(error);
        return;
      }
      const middle = batch.length >> 1;
      await this.#runOrHalve(batch.slice(0, middle), tries);
      await this.#runOrHalve(batch.slice(middle), tries);
    }
  }
}

/**
 * A lane for each place that items go to, such as a database: what fails or stalls in one keeps no item of another waiting, and no batch
 * spans two.
 */
export class Lanes<Item, Result> {
  readonly #placeOf: (item: Item) => string;
  readonly #open: () => Lane<Item, Result>;
  readonly #lanes = new Map<string, Lane<Item, Result>>();

  constructor(
    placeOf: (item: Item) => string,
    run: (items: readonly Item[]) => Promise<Result[]>,
    options: LaneOptions,
  ) {
    this.#placeOf = placeOf;
    this.#open = () => new Lane(run, options);
  }

  get waiting(): number {
    let waiting = 0;
    for (const lane of this.#lanes.values()) waiting += lane.waiting;
    return waiting;
  }

  /** As that of a lane. */
  push(item: Item, options?: PushOptions): Promise<Result> {
    const place = this.#placeOf(item);
    const lane = this.#lanes.get(place) ?? this.#open();
    this.#lanes.set(place, lane);
    return lane.push(item, options);
  }

  flush(): void {
    for (const lane of this.#lanes.values()) lane.flush();
  }
}
