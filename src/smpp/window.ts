// The window: requests that wait for their answer, by sequence number. It is pure, with times as arguments in ms; how many requests
// may wait is the caller's decision.

import { MAX_SEQUENCE } from './pdu.ts';

export type Answered<Item> =
  | { kind: 'answered'; item: Item; rttMs: number }
  /** The request was reported as expired before; its answer still settles it. */
  | { kind: 'late'; item: Item; rttMs: number }
  | { kind: 'duplicate' }
  /** The answer matches no request, or has the command of another one. */
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
const FIRST_SLOTS = 1_024;

/**
 * The slot of a request is its number modulo the number of slots, and the request keeps it until another needs it: so late and
 * repeated answers are distinguished from unknown ones for about as many requests as there are slots. The slots are an array, since
 * a Map whose entries come and go at this rate keeps the garbage collector busy.
 */
export class Window<Item> {
  #sequence = 0;
  #slots: (Entry<Item> | null)[] = new Array(FIRST_SLOTS).fill(null);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** A sequence number that no request waits on: 1 to 0x7FFFFFFF, then from the start (SMPP v3.4 section 3.2). */
  nextSequence(): number {
    if (this.#size >= this.#slots.length / 2) this.#grow();
    do this.#sequence = this.#sequence === MAX_SEQUENCE ? 1 : this.#sequence + 1;
    while (this.#entryAt(this.#sequence)?.waiting);
    return this.#sequence;
  }

  /** Notes a request as sent; returns its sequence number. */
  add(command: string, item: Item, now: number, timeoutMs: number): number {
    const sequence = this.nextSequence();
    const entry = { sequence, command, item, sentAt: now, deadline: now + timeoutMs, waiting: true };
    this.#slots[sequence % this.#slots.length] = entry;
    this.#size += 1;
    return sequence;
  }

  /** `command` is the answer's; generic_nack answers everything. */
  answer(sequence: number, command: string, now: number): Answered<Item> {
    const entry = this.#entryAt(sequence);
    if (entry?.sequence !== sequence) return { kind: 'unknown' };
    const { item, waiting, sentAt } = entry;
    if (item === null) return { kind: 'duplicate' };
    if (command !== 'generic_nack' && !isAnswerTo(entry.command, command)) return { kind: 'unknown' };

    if (waiting) this.#end(entry);
    entry.item = null;
    return { kind: waiting ? 'answered' : 'late', item, rttMs: now - sentAt };
  }

  /** Removes the requests whose deadline has passed, and returns them. */
  expire(now: number): Item[] {
    const expired = this.#inOrder().filter(({ deadline }) => deadline <= now);
    for (const entry of expired) this.#end(entry);
    return expired.map(({ item }) => item!);
  }

  /** The earliest deadline; null when nothing waits. */
  nextDeadline(): number | null {
    let next: number | null = null;
    for (const entry of this.#slots) {
      if (entry?.waiting && (next === null || entry.deadline < next)) next = entry.deadline;
    }
    return next;
  }

  /** Removes all requests: no answer can come any more. */
  drain(): { sequence: number; item: Item }[] {
    const all = this.#inOrder().map(({ sequence, item }) => ({ sequence, item: item! }));
    this.#slots.fill(null);
    this.#size = 0;
    return all;
  }

  #entryAt(sequence: number): Entry<Item> | null | undefined {
    return this.#slots[sequence % this.#slots.length];
  }

  #end(entry: Entry<Item>): void {
    entry.waiting = false;
    this.#size -= 1;
  }

  /** The requests that wait, in the order they were sent. */
  #inOrder(): Entry<Item>[] {
    return this.#slots
      .filter((entry) => entry !== null)
      .filter(({ waiting }) => waiting)
      .sort((a, b) => a.sentAt - b.sentAt);
  }

  /** Doubles the slots. Two numbers with different slots have different ones among twice as many, too. */
  #grow(): void {
    const entries = this.#slots;
    this.#slots = new Array(entries.length * 2).fill(null);
    for (const entry of entries) if (entry !== null) this.#slots[entry.sequence % this.#slots.length] = entry;
  }
}

const isAnswerTo = (request: string, answer: string): boolean =>
  answer.length === request.length + 5 && answer.startsWith(request) && answer.endsWith('_resp');
