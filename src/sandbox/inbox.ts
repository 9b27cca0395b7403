// The inbox: messages that reached the phones, on every channel. An SMS is added at the moment it is delivered and at no other,
// because a receipt and the phone must not contradict each other.

import { Feed, growingIds } from './feed.ts';
import type { InboxMessage } from './views.ts';

export interface InboxFilter {
  to?: string | undefined;
  channel?: string | undefined;
  /** Default: all that is kept. */
  limit?: number | undefined;
}

/** Keeps the newest `limit` messages. Reading by number doesn't walk the others: a load test does it thousands of times a second. */
export class Inbox {
  readonly #limit: number;
  readonly #feed: Feed;
  readonly #nextId = growingIds();
  readonly #all = new Set<InboxMessage>();
  readonly #byNumber = new Map<string, InboxMessage[]>();

  /** `limit` defaults to 100 000. */
  constructor(limit = 100_000, feed = new Feed()) {
    this.#limit = limit;
    this.#feed = feed;
  }

  /** Messages kept. */
  get size(): number {
    return this.#all.size;
  }

  add(arrived: Omit<InboxMessage, 'id'>): InboxMessage {
    const message = { id: this.#nextId(), ...arrived };
    this.#all.add(message);
    const ofNumber = this.#byNumber.get(message.to);
    if (ofNumber) ofNumber.push(message);
    else this.#byNumber.set(message.to, [message]);
    if (this.#all.size > this.#limit) this.#forgetOldest();
    this.#feed.announce('message', message);
    return message;
  }

  /** A message that is known already reads otherwise now: more of a call was heard. */
  reword(message: InboxMessage, text: string): void {
    if (message.text === text) return;
    message.text = text;
    if (this.#all.has(message)) this.#feed.announce('message', message);
  }

  /** Newest first. */
  list({ to, channel, limit = this.#limit }: InboxFilter = {}): InboxMessage[] {
    const kept = to === undefined ? [...this.#all] : (this.#byNumber.get(to) ?? []);
    const wanted = channel === undefined ? kept : kept.filter((message) => message.channel === channel);
    return wanted.slice(Math.max(0, wanted.length - limit)).reverse();
  }

  clear(): void {
    this.#all.clear();
    this.#byNumber.clear();
    this.#feed.announce('cleared', { what: 'messages' });
  }

  /** The oldest of all is also the oldest of its number. */
  #forgetOldest(): void {
    for (const oldest of this.#all) {
      this.#all.delete(oldest);
      const ofNumber = this.#byNumber.get(oldest.to);
      ofNumber?.shift();
      if (ofNumber?.length === 0) this.#byNumber.delete(oldest.to);
      return;
    }
  }
}
