// The SMSC's queue of messages to an ESME (receipts, messages from phones): one line per system_id, sent on any receiver-capable
// bind with room, and sent again until answered. Delivery is at least once, as with a real SMSC.

import { type Clock, Schedule } from '../clock.ts';
import type { Pdu } from './codec.ts';

/** A bind that receives (Link). */
export interface Receiver {
  /** Sends a request and returns its sequence number. */
  request(command: string, fields: Record<string, unknown>): number;
}

/** One deliver_sm or data_sm. */
export interface Outgoing {
  systemId: string;
  command: 'deliver_sm' | 'data_sm';
  fields: Record<string, unknown>;
  /** Times sent so far. */
  attempts: number;
}

export interface DeliveryOptions {
  clock: Clock;
  /** Unanswered at one time on one bind. */
  window: number;
  /** Without an answer for this long, an item is sent again (on any bind). Milliseconds. */
  answerTimeoutMs: number;
  /** Pause before an item that was answered with an error is sent again. Milliseconds. */
  retryMs: number;
  /** Sendings after which an item is given up. */
  maxAttempts: number;
  /** Items waiting for one system_id; the oldest beyond are given up. */
  maxWaiting: number;
}

interface InFlight {
  item: Outgoing;
  sentAt: number;
}

export class Delivery {
  held = false;
  answered = 0;
  resent = 0;
  givenUp = 0;
  readonly #options: DeliveryOptions;
  readonly #waiting = new Map<string, Outgoing[]>();
  readonly #receivers = new Map<string, Receiver[]>();
  readonly #inFlight = new Map<Receiver, Map<number, InFlight>>();
  readonly #schedule: Schedule;
  #flushing = false;
  #stopped = false;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#schedule = new Schedule(options.clock);
  }

  /** Items not yet answered, waiting or on the way. */
  get pending(): number {
    let pending = 0;
    for (const items of this.#waiting.values()) pending += items.length;
    for (const sent of this.#inFlight.values()) pending += sent.size;
    return pending;
  }

  add(item: Outgoing): void {
    if (this.#stopped) return;
    const items = this.#itemsOf(item.systemId);
    items.push(item);
    if (items.length > this.#options.maxWaiting) {
      items.shift();
      this.givenUp += 1;
    }
    this.#flushSoon();
  }

  /** Sends everything there is room for now, instead of at the end of this turn. */
  flush(): void {
    if (this.held) return;
    for (const [systemId, items] of this.#waiting) {
      let sent = 0;
      while (sent < items.length) {
        const link = this.#linkWithRoom(systemId);
        if (!link) break;
        this.#send(link, items[sent] as Outgoing);
        sent += 1;
      }
      if (sent > 0) items.splice(0, sent);
    }
  }

  /** A receiver-capable bind came up. */
  attach(link: Receiver, systemId: string): void {
    this.#receivers.set(systemId, [...(this.#receivers.get(systemId) ?? []), link]);
    this.#inFlight.set(link, new Map());
    this.#schedule.later(link, this.#options.answerTimeoutMs, () => this.#sweep(link));
    this.#flushSoon();
  }

  /** The bind is gone: items it had not answered go first, on another bind or on the next one to come. */
  detach(link: Receiver, systemId: string): void {
    const left = (this.#receivers.get(systemId) ?? []).filter((other) => other !== link);
    this.#receivers.set(systemId, left);
    const unanswered = [...(this.#inFlight.get(link)?.values() ?? [])].map(({ item }) => item);
    this.#inFlight.delete(link);
    this.#schedule.forget(link);
    this.#itemsOf(systemId).unshift(...unanswered);
    this.#flushSoon();
  }

  /** deliver_sm_resp or data_sm_resp. */
  answer(link: Receiver, pdu: Pdu): void {
    const sent = this.#inFlight.get(link);
    const found = sent?.get(pdu.sequence_number);
    if (!sent || !found) return;
    sent.delete(pdu.sequence_number);
    this.#flushSoon();
    if (pdu.command_status === 0) {
      this.answered += 1;
      return;
    }
    this.#schedule.later(found.item, this.#options.retryMs, () => this.#again(found.item));
  }

  stop(): void {
    this.#stopped = true;
    this.#schedule.stop();
    this.#waiting.clear();
  }

  #itemsOf(systemId: string): Outgoing[] {
    const known = this.#waiting.get(systemId);
    if (known) return known;
    const items: Outgoing[] = [];
    this.#waiting.set(systemId, items);
    return items;
  }

  /** The least busy bind, if even that one has room. */
  #linkWithRoom(systemId: string): Receiver | null {
    let best: Receiver | null = null;
    let fewest = this.#options.window;
    for (const link of this.#receivers.get(systemId) ?? []) {
      const busy = this.#inFlight.get(link)?.size ?? 0;
      if (busy < fewest) {
        best = link;
        fewest = busy;
      }
    }
    return best;
  }

  #send(link: Receiver, item: Outgoing): void {
    if (item.attempts > 0) this.resent += 1;
    item.attempts += 1;
    const sequence = link.request(item.command, item.fields);
    this.#inFlight.get(link)?.set(sequence, { item, sentAt: this.#options.clock.now() });
  }

  #again(item: Outgoing): void {
    if (item.attempts >= this.#options.maxAttempts) this.givenUp += 1;
    else this.add(item);
  }

  /** Looks once per timeout at the unanswered items of one bind; a timer for each item would cost more than the item. */
  #sweep(link: Receiver): void {
    const sent = this.#inFlight.get(link);
    if (!sent) return;
    const { clock, answerTimeoutMs } = this.#options;
    for (const [sequence, { item, sentAt }] of sent) {
      if (clock.now() - sentAt < answerTimeoutMs) break; // In the order they were sent.
      sent.delete(sequence);
      this.#again(item);
    }
    this.#schedule.later(link, answerTimeoutMs, () => this.#sweep(link));
  }

  #flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    queueMicrotask(() => {
      this.#flushing = false;
      this.flush();
    });
  }
}
