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
  readonly sequence: number;
  readonly command: string;
  /** Null: it was answered. */
  item: Item | null;
  readonly sentAt: number;
  readonly deadline: number;
  waiting: boolean;
}

/** A power of two, so that numbers wrap around with no seam. */
const FIRST_PLACES = 1_024;

/**
 * The place of a request is its number modulo the number of places, and it keeps it until another needs it: so late and repeated
 * answers can be told from unknown ones for about as many requests as there are places. An array, since a Map whose entries come
 * and go at this rate keeps the garbage collector busy.
 */
export class Window<Item> {
  #sequence = 0;
  #places: (Entry<Item> | null)[] = new Array(FIRST_PLACES).fill(null);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** A sequence number nobody waits on: 1 to 0x7FFFFFFF, then from the start (SMPP v3.4 section 3.2). */
  nextSequence(): number {
    if (this.#size >= this.#places.length / 2) this.#grow();
    do this.#sequence = this.#sequence === MAX_SEQUENCE ? 1 : this.#sequence + 1;
    while (this.#placeOf(this.#sequence)?.waiting);
    return this.#sequence;
  }

  /** Notes a request as sent; returns its sequence number. */
  add(command: string, item: Item, now: number, timeoutMs: number): number {
    const sequence = this.nextSequence();
    const entry = { sequence, command, item, sentAt: now, deadline: now + timeoutMs, waiting: true };
    this.#places[sequence % this.#places.length] = entry;
    this.#size += 1;
    return sequence;
  }

  /** `command` is the answer's; generic_nack answers everything. */
  answer(sequence: number, command: string, now: number): Answered<Item> {
    const entry = this.#placeOf(sequence);
    if (entry?.sequence !== sequence) return { kind: 'unknown' };
    const { item, waiting, sentAt } = entry;
    if (item === null) return { kind: 'duplicate' };
    if (command !== 'generic_nack' && !isAnswerTo(entry.command, command)) return { kind: 'unknown' };

    if (waiting) this.#end(entry);
    entry.item = null;
    return { kind: waiting ? 'answered' : 'late', item, rttMs: now - sentAt };
  }

  /** Takes out those whose time is up. */
  expire(now: number): Item[] {
    const expired = this.#inOrder().filter(({ deadline }) => deadline <= now);
    for (const entry of expired) this.#end(entry);
    return expired.map(({ item }) => item!);
  }

  /** When the first of them is up; null when nothing waits. */
  nextDeadline(): number | null {
    let next: number | null = null;
    for (const entry of this.#places) {
      if (entry?.waiting && (next === null || entry.deadline < next)) next = entry.deadline;
    }
    return next;
  }

  /** Takes out all: no answer can come any more. */
  drain(): { sequence: number; item: Item }[] {
    const all = this.#inOrder().map(({ sequence, item }) => ({ sequence, item: item! }));
    this.#places.fill(null);
    this.#size = 0;
    return all;
  }

  #placeOf(sequence: number): Entry<Item> | null | undefined {
    return this.#places[sequence % this.#places.length];
  }

  #end(entry: Entry<Item>): void {
    entry.waiting = false;
    this.#size -= 1;
  }

  /** Those that wait, the one sent first at the beginning. */
  #inOrder(): Entry<Item>[] {
    return this.#places
      .filter((entry) => entry !== null)
      .filter(({ waiting }) => waiting)
      .sort((a, b) => a.sentAt - b.sentAt);
  }

  /** Two numbers with places of their own have them among twice as many, too. */
  #grow(): void {
    const entries = this.#places;
    this.#places = new Array(entries.length * 2).fill(null);
    for (const entry of entries) if (entry !== null) this.#places[entry.sequence % this.#places.length] = entry;
  }
}

const isAnswerTo = (request: string, answer: string): boolean =>
  answer.length === request.length + 5 && answer.startsWith(request) && answer.endsWith('_resp');
