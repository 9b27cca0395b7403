// The shares that accounts have of the queue's places and of its room: each has three times as much, at most, as is free. So one account has three
// quarters of all at most, two have three sevenths each, and however many take what they can get, whatever their receivers do, the next one finds
// something free.

import { type Kind, type Line, type Lines, noLines } from './host-lines.ts';

interface Share<Item> {
  inFlight: number;
  waiting: number;
  /** Lines that could go on, but for what the account has; in turn. */
  held: Lines<Item>;
  /** Endpoints whose rows found no room here since the account had its share. */
  turnedAway: Set<string>;
}

/** What an account may have, as a multiple of what is free. */
const ofFree = 3;

/** Lines without an account are in no share. */
export class AccountShares<Item> {
  readonly #byAccount = new Map<string, Share<Item>>();
  /** Those with lines that are held: each has something under way, so that there are no more of them than places. */
  readonly #held = new Set<Share<Item>>();

  /** False where the account has no more room; the endpoint counts as turned away then. `room`: what is free. */
  admits({ id, account }: Line<Item>, room: number): boolean {
    const share = this.#of(account);
    if (!share || share.waiting < ofFree * room) return true;
    share.turnedAway.add(id);
    return false;
  }

  /** Whether one more may start. `free`: places. */
  mayStart({ account }: Line<Item>, free: number): boolean {
    const share = this.#of(account);
    return !share || share.inFlight < ofFree * free;
  }

  count({ account }: Line<Item>, { waiting = 0, inFlight = 0 }: { waiting?: number; inFlight?: number }): void {
    if (account === null) return;
    const share = this.#of(account) ?? { inFlight: 0, waiting: 0, held: noLines<Item>(), turnedAway: new Set() };
    share.waiting += waiting;
    share.inFlight += inFlight;
    if (share.waiting + share.inFlight > 0) this.#byAccount.set(account, share);
    else this.#byAccount.delete(account);
  }

  /** Endpoints whose account has enough from the table: half of what it may have. */
  full(lines: Iterable<Line<Item>>, room: number): string[] {
    const isFull = ({ waiting }: Share<Item>) => waiting * 2 >= room;
    const full: string[] = [];
    for (const share of this.#byAccount.values()) {
      if (isFull(share)) full.push(...share.turnedAway);
      else share.turnedAway.clear();
    }
    for (const { id, account } of lines) {
      const share = this.#of(account);
      if (share && isFull(share)) full.push(id);
    }
    return full;
  }

  hold(line: Line<Item>, kind: Kind): void {
    const share = this.#of(line.account);
    if (!share) return;
    share.held[kind].add(line);
    this.#held.add(share);
  }

  holds(line: Line<Item>, kind: Kind): boolean {
    return this.#of(line.account)?.held[kind].has(line) ?? false;
  }

  leave(line: Line<Item>): void {
    const share = this.#of(line.account);
    share?.held.healthy.delete(line);
    share?.held.troubled.delete(line);
  }

  /** Lets lines go on whose account may have more by now. */
  release(free: number, ready: Lines<Item>): void {
    for (const share of this.#held) {
      if (share.inFlight >= ofFree * free) continue;
      this.#held.delete(share);
      for (const kind of ['healthy', 'troubled'] as const) {
        for (const line of share.held[kind]) ready[kind].add(line);
        share.held[kind].clear();
      }
    }
  }

  #of(account: string | null): Share<Item> | undefined {
    return account === null ? undefined : this.#byAccount.get(account);
  }
}
