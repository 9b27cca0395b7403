// Requests that wait for their answer, by sequence number. Pure: times are arguments, in ms. How many may wait is not decided
// here.

import { MAX_SEQUENCE } from './pdu.ts';

export type Answered<Item> =
  | { kind: 'answered'; item: Item; rttMs: number }
  /** Its time was up and somebody was told so; the answer still says what became of it. */
  | { kind: 'late'; item: Item; rttMs: number }
  | { kind: 'duplicate' }
  /** Answers nothing we asked, or not with the command it should. */
  | { kind: 'unknown' };

interface Entry<Item> {
  command: string;
  item: Item;
  sentAt: number;
  deadline: number;
}

/** Finished requests that are remembered, to tell late and repeated answers from unknown ones. */
const MAX_REMEMBERED = 1_000;

export class Window<Item> {
  #sequence = 0;
  readonly #waiting = new Map<number, Entry<Item>>();
  /** Oldest first. Null: it was answered. */
  readonly #finished = new Map<number, Entry<Item> | null>();

  get size(): number {
    return this.#waiting.size;
  }

  /** A sequence number nobody waits on: 1 to 0x7FFFFFFF, then from the start (SMPP v3.4 section 3.2). */
  nextSequence(): number {
    do this.#sequence = this.#sequence === MAX_SEQUENCE ? 1 : this.#sequence + 1;
    while (this.#waiting.has(this.#sequence));
    return this.#sequence;
  }

  /** Notes a request as sent; returns its sequence number. */
  add(command: string, item: Item, now: number, timeoutMs: number): number {
    const sequence = this.nextSequence();
    this.#finished.delete(sequence); // of the last time round
    this.#waiting.set(sequence, { command, item, sentAt: now, deadline: now + timeoutMs });
    return sequence;
  }

  /** `command` is the answer's; generic_nack answers everything. */
  answer(sequence: number, command: string, now: number): Answered<Item> {
    const waiting = this.#waiting.get(sequence);
    const entry = waiting ?? this.#finished.get(sequence);
    if (entry === null) return { kind: 'duplicate' };
    if (entry === undefined) return { kind: 'unknown' };
    if (command !== 'generic_nack' && command !== `${entry.command}_resp`) return { kind: 'unknown' };

    this.#waiting.delete(sequence);
    this.#remember(sequence, null);
    return { kind: waiting ? 'answered' : 'late', item: entry.item, rttMs: now - entry.sentAt };
  }

  /** Takes out those whose time is up. */
  expire(now: number): Item[] {
    const expired: Item[] = [];
    for (const [sequence, entry] of this.#waiting) {
      if (entry.deadline > now) continue;
      this.#waiting.delete(sequence);
      this.#remember(sequence, entry);
      expired.push(entry.item);
    }
    return expired;
  }

  /** When the first of them is up; null when nothing waits. */
  nextDeadline(): number | null {
    let next: number | null = null;
    for (const { deadline } of this.#waiting.values()) if (next === null || deadline < next) next = deadline;
    return next;
  }

  /** Takes out all: no answer can come any more. */
  drain(): { sequence: number; item: Item }[] {
    const all = [...this.#waiting].map(([sequence, { item }]) => ({ sequence, item }));
    this.#waiting.clear();
    this.#finished.clear();
    return all;
  }

  #remember(sequence: number, entry: Entry<Item> | null): void {
    this.#finished.delete(sequence); // so that it goes to the end
    this.#finished.set(sequence, entry);
    if (this.#finished.size <= MAX_REMEMBERED) return;
    for (const oldest of this.#finished.keys()) {
      this.#finished.delete(oldest);
      return;
    }
  }
}
