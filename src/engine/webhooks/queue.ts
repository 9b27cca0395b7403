// The queue of deliveries: bounded, round-robin over endpoints, oldest first within each, within each host's limits and each account's share.
// Holds no timer and does no I/O.

import { AccountShares } from './account-shares.ts';
import { HostLimiter, noLimits } from './host-limiter.ts';
import { HostLines, type Kind, type Line, noLines, type Source } from './host-lines.ts';

export interface QueueOptions {
  /** Under way at once, over all endpoints. */
  maxInFlight: number;
  /** Under way at once to one endpoint, over all processes; while it fails, one at each. */
  maxInFlightPerEndpoint: number;
  /** Waiting here, over all endpoints. What does not fit stays in the database. */
  maxWaiting: number;
  /** Deliveries that wait for one endpoint, of each source apart. */
  maxWaitingPerEndpoint: number;
}

/** Endpoints remembered as failing while nothing of theirs is here. */
const maxTroubled = 10_000;

const unlimited = () => new HostLimiter({ settings: noLimits, fleet: { alive: 1 }, now: Date.now });
const isWaiting = ({ waiting }: Line<unknown>): boolean => waiting.table.length + waiting.commit.length > 0;

/**
 * Endpoints whose last attempt failed get one place each and together at most half of all places, so that any number of
 * endpoints that hang leaves room for those that answer.
 */
export class FairQueue<Item> {
  readonly #options: QueueOptions;
  readonly #isOlder: (one: Item, other: Item) => boolean;
  readonly #limiter: HostLimiter;
  readonly #lines = new Map<string, Line<Item>>();
  readonly #byHost: HostLines<Item>;
  readonly #accountOf: (item: Item) => string | null;
  readonly #shares = new AccountShares<Item>();
  /** Lines with something to do, in turn. Healthy ones and troubled ones alternate. */
  readonly #ready = noLines<Item>();
  readonly #troubled = new Set<string>();
  #troubledInFlight = 0;
  #troubledNext = false;
  #inFlight = 0;
  #waiting = 0;

  /** `accountOf`: whose an item is. Default: nobody's. */
  constructor(
    options: QueueOptions,
    isOlder: (one: Item, other: Item) => boolean,
    limiter: HostLimiter = unlimited(),
    accountOf: (item: Item) => string | null = () => null,
  ) {
    this.#options = options;
    this.#accountOf = accountOf;
    this.#limiter = limiter;
    this.#byHost = new HostLines(limiter);
    this.#isOlder = isOlder;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get #free(): number {
    return this.#options.maxInFlight - this.#inFlight;
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

  /** Endpoints with something here. */
  endpoints(): string[] {
    return [...this.#lines.keys()];
  }

  /** Endpoints that, alone, with their host or with their account, already hold enough claimed rows; claims skip them until half their room is free. */
  full(): string[] {
    return [
      ...new Set([...this.slow(), ...this.#byHost.full(), ...this.#shares.full(this.#lines.values(), this.room)]),
    ];
  }

  /** Endpoints that are full by themselves, and not only because their host gets no more. */
  slow(): string[] {
    const enough = Math.ceil(this.#options.maxWaitingPerEndpoint / 2);
    return [...this.#lines.values()].filter((line) => line.waiting.table.length >= enough).map(({ id }) => id);
  }

  /** False where it does not fit. `host`: where the endpoint's posts go; null = not known until `setHost`. */
  offer(endpointId: string, item: Item, from: Source = 'commit', host: string | null = endpointId): boolean {
    const held = this.#lines.get(endpointId);
    const line: Line<Item> = held ?? {
      id: endpointId,
      account: this.#accountOf(item),
      host: null,
      waiting: { commit: [], table: [] },
      inFlight: 0,
    };
    if (this.room <= 0 || line.waiting[from].length >= this.#options.maxWaitingPerEndpoint) return false;
    if (!this.#shares.admits(line, this.room) || !this.#byHost.admits(line, from, host)) return false;
    this.#lines.set(endpointId, line);
    line.waiting[from].push(item);
    this.#waiting += 1;
    this.#shares.count(line, { waiting: 1 });
    if (line.host) line.host.waiting[from] += 1;
    else if (host !== null) this.setHost(endpointId, host);
    this.#place(line);
    return true;
  }

  /** Sets where the posts of an endpoint go: for the first time, or because its address was changed. */
  setHost(endpointId: string, name: string): void {
    const line = this.#lines.get(endpointId);
    if (!line || line.host?.name === name) return;
    this.#leave(line);
    this.#byHost.join(line, name);
    this.#place(line);
  }

  /** How long until the rate of some host lets a line go on, ms; null where none waits for that. */
  waitMs(): number | null {
    return this.#byHost.waitMs();
  }

  /** Lets lines go on whose host gets more by now. Called when `waitMs` has passed. */
  wake(): void {
    this.#byHost.releaseAll(this.#ready);
  }

  /** The next item, whose place is taken until `done`; null when nothing may start now. */
  take(): { endpointId: string; host: string; item: Item } | null {
    const line = this.#next();
    if (!line?.host) return null;
    const host = line.host.name;
    const item = this.#shift(line);
    this.#waiting -= 1;
    this.#count(line, 1);
    this.#shares.count(line, { waiting: -1 });
    this.#limiter.take(host);
    this.#leave(line);
    this.#place(line); // to the end of its row
    return { endpointId: line.id, host, item };
  }

  /** Gives the place back, at the host that `take` named. `delivered` is null when nothing was sent, or nothing learned from it. */
  done(endpointId: string, delivered: boolean | null, hostName: string = endpointId): void {
    const line = this.#lines.get(endpointId);
    if (!line || line.inFlight === 0) throw new Error('done without take');
    this.#count(line, -1);
    this.#limiter.done(hostName, delivered !== null);
    if (delivered !== null) this.#setTroubled(endpointId, !delivered);
    this.#leave(line);
    this.#place(line);
    if (line.inFlight === 0 && !isWaiting(line)) this.#drop(line);
    this.#byHost.release(hostName, this.#ready);
    this.#shares.release(this.#free, this.#ready);
  }

  /** Forgets what waits; it stays in the database. */
  clear(): void {
    for (const line of this.#lines.values()) {
      const { commit, table } = line.waiting;
      line.waiting = { commit: [], table: [] };
      if (line.host) line.host.waiting = { commit: 0, table: 0 };
      this.#leave(line);
      this.#shares.count(line, { waiting: -commit.length - table.length });
      if (line.inFlight === 0) this.#drop(line);
    }
    this.#waiting = 0;
  }

  /** Takes the next delivery from a line that has one. */
  #shift({ host, waiting }: Line<Item>): Item {
    const [old, young] = [waiting.table[0], waiting.commit[0]];
    const isTable = young === undefined || (old !== undefined && this.#isOlder(old, young));
    const from = isTable ? 'table' : 'commit';
    if (host) host.waiting[from] -= 1;
    return waiting[from].shift() as Item;
  }

  #next(): Line<Item> | undefined {
    if (this.#free <= 0) return undefined;
    const healthy = this.#first('healthy');
    const troubledFit = this.#troubledInFlight < Math.max(1, this.#options.maxInFlight >> 1);
    const troubled = troubledFit ? this.#first('troubled') : undefined;
    this.#troubledNext = !this.#troubledNext;
    return this.#troubledNext ? (troubled ?? healthy) : (healthy ?? troubled);
  }

  /** The first line whose host and account get one more; those before it wait for that. */
  #first(kind: Kind): Line<Item> | undefined {
    for (const line of this.#ready[kind]) {
      const hostHasRoom = line.host && this.#limiter.room(line.host.name) > 0;
      if (hostHasRoom && this.#shares.mayStart(line, this.#free)) return line;
      this.#ready[kind].delete(line);
      if (hostHasRoom) this.#shares.hold(line, kind);
      else line.host?.held[kind].add(line);
    }
    return undefined;
  }

  #place(line: Line<Item>): void {
    const kind = this.#troubled.has(line.id) ? 'troubled' : 'healthy';
    const limit = kind === 'troubled' ? 1 : this.#limiter.share(this.#options.maxInFlightPerEndpoint);
    if (!line.host || !isWaiting(line) || line.inFlight >= limit) return;
    if (line.host.held[kind].has(line) || this.#shares.holds(line, kind)) return;
    // Behind those that wait for the host already.
    if (line.host.held[kind].size > 0) line.host.held[kind].add(line);
    else this.#ready[kind].add(line);
  }

  #leave(line: Line<Item>): void {
    this.#shares.leave(line);
    for (const kind of ['healthy', 'troubled'] as const) {
      this.#ready[kind].delete(line);
      line.host?.held[kind].delete(line);
    }
  }

  #drop(line: Line<Item>): void {
    this.#leave(line);
    this.#byHost.leave(line);
    this.#lines.delete(line.id);
  }

  #count(line: Line<Item>, by: 1 | -1): void {
    line.inFlight += by;
    this.#inFlight += by;
    this.#shares.count(line, { inFlight: by });
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
