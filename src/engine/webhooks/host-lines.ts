// The queue's lines by the host they post to: what waits for one host, and which lines go on when it gets more. Limits of a host hold over the
// endpoints of all accounts there.

import type { HostLimiter } from './host-limiter.ts';

/** `commit`: stored just now. `table`: has waited there. Each has room of its own, so that the new can't keep the old out. */
export type Source = 'commit' | 'table';

/** Rows that wait for one endpoint. */
export interface Line<Item> {
  id: string;
  /** Whose endpoint it is; null = nobody's. */
  account: string | null;
  /** null until it is known: until then nothing of the line starts. */
  host: Host<Item> | null;
  waiting: Record<Source, Item[]>;
  inFlight: number;
}

export type Kind = 'healthy' | 'troubled';
export type Lines<Item> = Record<Kind, Set<Line<Item>>>;

interface Host<Item> {
  name: string;
  lines: Set<Line<Item>>;
  waiting: Record<Source, number>;
  /** Lines that could go on, but for what the host may get; in turn. */
  held: Lines<Item>;
  /** Endpoints whose rows found no room here since the host's line was full. */
  turnedAway: Set<string>;
}

/** Endpoints of one host remembered as turned away. */
const maxTurnedAway = 1_000;
const lookAgainMs = 50;

export const noLines = <Item>(): Lines<Item> => ({ healthy: new Set(), troubled: new Set() });

export class HostLines<Item> {
  readonly #limiter: HostLimiter;
  readonly #byName = new Map<string, Host<Item>>();

  constructor(limiter: HostLimiter) {
    this.#limiter = limiter;
  }

  /** Endpoints whose host has enough from the table: half of what may wait for it. */
  full(): string[] {
    const full: string[] = [];
    for (const { waiting, lines, turnedAway } of this.#byName.values()) {
      if (waiting.table < Math.ceil(this.#limiter.mostWaiting / 2)) turnedAway.clear();
      else full.push(...[...lines].map(({ id }) => id), ...turnedAway);
    }
    return full;
  }

  /** False where the line's host, or else the one named, has no room; the endpoint counts as turned away then. */
  admits({ id, host }: Line<Item>, from: Source, name: string | null): boolean {
    const found = host ?? (name === null ? undefined : this.#byName.get(name));
    if (!found || found.waiting[from] < this.#limiter.mostWaiting) return true;
    if (found.turnedAway.size < maxTurnedAway) found.turnedAway.add(id);
    return false;
  }

  /** Sets the line's host, with what waits in the line. */
  join(line: Line<Item>, name: string): void {
    this.leave(line);
    const host: Host<Item> = this.#byName.get(name) ?? {
      name,
      lines: new Set(),
      waiting: { commit: 0, table: 0 },
      turnedAway: new Set(),
      held: noLines(),
    };
    this.#byName.set(name, host);
    host.lines.add(line);
    host.waiting.commit += line.waiting.commit.length;
    host.waiting.table += line.waiting.table.length;
    line.host = host;
  }

  leave(line: Line<Item>): void {
    const { host, waiting } = line;
    if (!host) return;
    host.lines.delete(line);
    host.waiting.commit -= waiting.commit.length;
    host.waiting.table -= waiting.table.length;
    if (host.lines.size === 0) this.#byName.delete(host.name);
    line.host = null;
  }

  /** How long until the rate of some host lets a line go on, ms; null where none waits for that. */
  waitMs(): number | null {
    let least: number | null = null;
    for (const { name, held } of this.#byName.values()) {
      if (held.healthy.size + held.troubled.size === 0) continue;
      // One look at the clock: between two of them a token may come, and no one would wait for it.
      const untilRoom = this.#limiter.waitMs(name);
      if (untilRoom === null) continue;
      // Where there is room, others came first just now: they are let on with the next look.
      const wait = untilRoom === 0 ? lookAgainMs : untilRoom;
      if (wait < (least ?? Number.POSITIVE_INFINITY)) least = wait;
    }
    return least;
  }

  /** Lets lines of every host go on. */
  releaseAll(ready: Lines<Item>): void {
    for (const name of this.#byName.keys()) this.release(name, ready);
  }

  /** As many lines of either kind as the host has room for: where one kind can't go on, the other takes the place. */
  release(name: string, ready: Lines<Item>): void {
    const held = this.#byName.get(name)?.held;
    if (!held) return;
    for (const kind of ['healthy', 'troubled'] as const) {
      let room = held[kind].size > 0 ? this.#limiter.room(name) : 0;
      for (const line of held[kind]) {
        if (room-- <= 0) break;
        held[kind].delete(line);
        ready[kind].add(line);
      }
    }
  }
}
