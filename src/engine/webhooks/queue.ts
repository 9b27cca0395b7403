// Who is next: bounded, in turn between endpoints, within one the older first. Holds no timer and no I/O.

export interface QueueOptions {
  /** Under way at once, over all endpoints. */
  maxInFlight: number;
  /** Under way at once to one endpoint; while it fails, one. */
  maxInFlightPerEndpoint: number;
  /** Waiting here, over all endpoints. What does not fit stays in the database. */
  maxWaiting: number;
  /** Of each source. */
  maxWaitingPerEndpoint: number;
}

/** `commit`: stored just now. `table`: has waited there. Each has room of its own, so that the new can't keep the old out. */
export type Source = 'commit' | 'table';

interface Line<Item> {
  id: string;
  waiting: Record<Source, Item[]>;
  inFlight: number;
}

/** Endpoints remembered as failing while nothing of theirs is here. */
const maxTroubled = 10_000;

/**
 * Endpoints whose last attempt failed get one place each and together at most half of all places, so that any number of
 * endpoints that hang leaves room for those that answer.
 */
export class FairQueue<Item> {
  readonly #options: QueueOptions;
  readonly #isOlder: (one: Item, other: Item) => boolean;
  readonly #lines = new Map<string, Line<Item>>();
  /** Lines with something to do, in turn. Healthy ones and troubled ones alternate. */
  readonly #ready = { healthy: new Set<Line<Item>>(), troubled: new Set<Line<Item>>() };
  readonly #troubled = new Set<string>();
  #troubledInFlight = 0;
  #troubledNext = false;
  #inFlight = 0;
  #waiting = 0;

  constructor(options: QueueOptions, isOlder: (one: Item, other: Item) => boolean) {
    this.#options = options;
    this.#isOlder = isOlder;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get room(): number {
    return this.#options.maxWaiting - this.#waiting;
  }

  /** What waits here. */
  *items(): Generator<Item> {
    for (const { waiting } of this.#lines.values()) {
      yield* waiting.table;
      yield* waiting.commit;
    }
  }

  /** Endpoints with enough from the table: half of what fits waits. Claimed for again when they have worked that off. */
  full(): string[] {
    const enough = Math.ceil(this.#options.maxWaitingPerEndpoint / 2);
    return [...this.#lines.values()].filter((line) => line.waiting.table.length >= enough).map(({ id }) => id);
  }

  /** False where it does not fit. */
  offer(endpointId: string, item: Item, from: Source = 'commit'): boolean {
    const line = this.#lines.get(endpointId) ?? { id: endpointId, waiting: { commit: [], table: [] }, inFlight: 0 };
    if (this.room <= 0 || line.waiting[from].length >= this.#options.maxWaitingPerEndpoint) return false;
    this.#lines.set(endpointId, line);
    line.waiting[from].push(item);
    this.#waiting += 1;
    this.#place(line);
    return true;
  }

  /** The next item, whose place is taken until `done`; null when nothing may start now. */
  take(): { endpointId: string; item: Item } | null {
    const line = this.#next();
    if (!line) return null;
    const item = this.#shift(line.waiting);
    this.#waiting -= 1;
    this.#count(line, 1);
    this.#leave(line);
    this.#place(line); // to the end of its row
    return { endpointId: line.id, item };
  }

  /** Gives the place back. `delivered` is null when nothing was learned about the endpoint. */
  done(endpointId: string, delivered: boolean | null): void {
    const line = this.#lines.get(endpointId);
    if (!line || line.inFlight === 0) throw new Error('done without take');
    this.#count(line, -1);
    if (delivered !== null) this.#setTroubled(endpointId, !delivered);
    this.#leave(line);
    this.#place(line);
    if (line.inFlight === 0 && !isWaiting(line)) this.#lines.delete(endpointId);
  }

  /** Forgets what waits; it stays in the database. */
  clear(): void {
    for (const line of this.#lines.values()) {
      line.waiting = { commit: [], table: [] };
      this.#leave(line);
      if (line.inFlight === 0) this.#lines.delete(line.id);
    }
    this.#waiting = 0;
  }

  /** From a line that has some. */
  #shift({ table, commit }: Line<Item>['waiting']): Item {
    const [old, young] = [table[0], commit[0]];
    const isTable = young === undefined || (old !== undefined && this.#isOlder(old, young));
    return (isTable ? table : commit).shift() as Item;
  }

  #next(): Line<Item> | undefined {
    if (this.#inFlight >= this.#options.maxInFlight) return undefined;
    const [healthy] = this.#ready.healthy;
    const troubledFit = this.#troubledInFlight < Math.max(1, this.#options.maxInFlight >> 1);
    const [troubled] = troubledFit ? this.#ready.troubled : [];
    this.#troubledNext = !this.#troubledNext;
    return this.#troubledNext ? (troubled ?? healthy) : (healthy ?? troubled);
  }

  #place(line: Line<Item>): void {
    const troubled = this.#troubled.has(line.id);
    const limit = troubled ? 1 : this.#options.maxInFlightPerEndpoint;
    if (!isWaiting(line) || line.inFlight >= limit) return;
    this.#ready[troubled ? 'troubled' : 'healthy'].add(line);
  }

  #leave(line: Line<Item>): void {
    this.#ready.healthy.delete(line);
    this.#ready.troubled.delete(line);
  }

  #count(line: Line<Item>, by: 1 | -1): void {
    line.inFlight += by;
    this.#inFlight += by;
    if (this.#troubled.has(line.id)) this.#troubledInFlight += by;
  }

  #setTroubled(endpointId: string, troubled: boolean): void {
    if (this.#troubled.has(endpointId) === troubled) return;
    const inFlight = this.#lines.get(endpointId)?.inFlight ?? 0;
    if (!troubled) {
      this.#troubled.delete(endpointId);
      this.#troubledInFlight -= inFlight;
      return;
    }
    this.#troubled.add(endpointId);
    this.#troubledInFlight += inFlight;
    const [oldest] = this.#troubled;
    if (this.#troubled.size > maxTroubled && oldest !== undefined) {
      this.#setTroubled(oldest, false);
      const line = this.#lines.get(oldest);
      if (line) this.#leave(line);
      if (line) this.#place(line);
    }
  }
}

const isWaiting = ({ waiting }: Line<unknown>): boolean => waiting.table.length + waiting.commit.length > 0;
