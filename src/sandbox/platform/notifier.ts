// The platform's webhook queue: bodies, batching, a few posts at a time, retries until an answer of 200 or the last attempt.
// Delivery is at least once and in no promised order, as documented; what a test did not disturb keeps its order all the same.

import { type Clock, Schedule } from '../clock.ts';
import type { PlatformFaults } from './faults.ts';
import type { Poster } from './subscriptions.ts';

export interface Change {
  /** The business account it is about. */
  wabaId: string;
  /** Id of the webhook's entry where it is not the account's. */
  entryId?: string;
  /** `messages`, `account_update`, `message_template_status_update` … */
  field: string;
  value: Record<string, unknown>;
  /** Unix ms. */
  at: number;
  /** The id of the message, where the change is a message's status. */
  wamid?: string;
}

interface Entry {
  id: string;
  time: number;
  changes: { value: Record<string, unknown>; field: string }[];
}

export function payloadOf(changes: readonly Change[]): Record<string, unknown> {
  const entries = new Map<string, Entry>();
  for (const { wabaId, entryId = wabaId, field, value, at } of changes) {
    const entry = entries.get(entryId) ?? { id: entryId, time: Math.floor(at / 1000), changes: [] };
    entries.set(entryId, entry);
    const same = entry.changes.find((other) => isSameNumber(other, { field, value }));
    if (same) same.value.statuses = [...(same.value.statuses as unknown[]), ...(value.statuses as unknown[])];
    else entry.changes.push({ value: { ...value }, field });
  }
  return { object: 'whatsapp_business_account', entry: [...entries.values()] };
}

function isSameNumber(a: { field: string; value: Record<string, unknown> }, b: typeof a): boolean {
  if (a.field !== 'messages' || b.field !== 'messages' || !a.value.statuses || !b.value.statuses) return false;
  const id = (value: Record<string, unknown>) => (value.metadata as { phone_number_id?: string }).phone_number_id;
  return id(a.value) === id(b.value);
}

/**
 * The platform writes its JSON with escaped slashes and nothing but ASCII, so a client that checks the signature over JSON it
 * has printed again, instead of over the bytes, fails.
 */
export function bytesOf(payload: Record<string, unknown>): Buffer {
  const text = JSON.stringify(payload)
    .replace(/\//g, '\\/')
    .replace(/[\u0080-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return Buffer.from(text, 'ascii');
}

export interface NotifierOptions {
  clock: Clock;
  poster: Pick<Poster, 'post'>;
  faults: PlatformFaults;
  /** Where changes of a business account go; null: nowhere, they are dropped. */
  urlFor(wabaId: string, field: string): string | null;
  /** Pause before the first retry, doubled each time up to twenty times that. Milliseconds. */
  retryMs: number;
  /** Posts after which a webhook is given up. */
  maxAttempts: number;
}

interface Waiting {
  url: string;
  change: Change;
  done(delivered: boolean): void;
}

/** One webhook: the same bytes on every attempt. */
interface Parcel {
  url: string;
  body: Buffer;
  attempts: number;
  items: readonly Waiting[];
}

const MAX_IN_FLIGHT = 8;
const MAX_BATCH = 100;
/** Where a batch of a certain size is wanted, it goes out incomplete after this. Milliseconds. */
const BATCH_WAIT_MS = 500;

export class Notifier {
  readonly counts = { delivered: 0, retried: 0, givenUp: 0, dropped: 0 };
  readonly #options: NotifierOptions;
  readonly #schedule: Schedule;
  readonly #queue: Waiting[] = [];
  /** Messages with a status on the wire. A message's next status waits for it, or the two could arrive in the wrong order. */
  readonly #onTheWire = new Set<string>();
  #inFlight = 0;
  #underway = 0;
  #stopped = false;

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#schedule = new Schedule(options.clock);
  }

  /** Changes not yet taken: in line, on the way, or to be sent again. */
  get waiting(): number {
    return this.#queue.length + this.#underway;
  }

  /** Resolves with true once it was answered with 200, with false when it was dropped or given up. */
  notify(change: Change): Promise<boolean> {
    const url = this.#options.urlFor(change.wabaId, change.field);
    if (url === null || this.#stopped) {
      this.counts.dropped += 1;
      return Promise.resolve(false);
    }
    return new Promise((done) => {
      this.#queue.push({ url, change, done });
      this.flush();
    });
  }

  /** Sends the changes that may go now. */
  flush(): void {
    const { faults } = this.#options;
    const isShort = this.#queue.length < faults.batchSize;
    if (isShort) this.#schedule.later(this.#queue, BATCH_WAIT_MS, () => this.#send());
    else this.#send();
  }

  stop(): void {
    this.#stopped = true;
    this.#schedule.stop();
    for (const { done } of this.#queue.splice(0)) done(false);
  }

  #send(): void {
    const { faults } = this.#options;
    while (!faults.statusesHeld && faults.mood !== 'down' && !this.#stopped && this.#inFlight < MAX_IN_FLIGHT) {
      const free = this.#queue.filter(({ change: { wamid } }) => wamid === undefined || !this.#onTheWire.has(wamid));
      const [first] = free;
      if (!first) return;
      const room = this.#inFlight < MAX_IN_FLIGHT - 1 ? Math.max(1, faults.batchSize) : MAX_BATCH;
      const items = free.filter(({ url }) => url === first.url).slice(0, room);
      const taken = new Set(items);
      // The array stays the same one, because the schedule keeps what is due under it.
      this.#queue.splice(0, this.#queue.length, ...this.#queue.filter((item) => !taken.has(item)));
      this.#underway += items.length;
      const body = bytesOf(payloadOf(items.map(({ change }) => change)));
      void this.#deliver({ url: first.url, body, attempts: 0, items });
    }
  }

  async #deliver(parcel: Parcel): Promise<void> {
    const { poster, faults, retryMs, maxAttempts } = this.#options;
    const wamids = parcel.items.flatMap(({ change: { wamid } }) => (wamid === undefined ? [] : [wamid]));
    this.#inFlight += 1;
    parcel.attempts += 1;
    for (const wamid of wamids) this.#onTheWire.add(wamid);
    const posted = await poster.post(parcel.url, parcel.body, faults.takeBadSignature());
    for (const wamid of wamids) this.#onTheWire.delete(wamid);
    this.#inFlight -= 1;
    const isDelivered = posted.kind === 'answered' && posted.status === 200;
    if (isDelivered || this.#stopped || parcel.attempts >= maxAttempts) {
      this.#underway -= parcel.items.length;
      this.counts[isDelivered ? 'delivered' : 'givenUp'] += parcel.items.length;
      for (const { done } of parcel.items) done(isDelivered);
    } else {
      this.counts.retried += 1;
      const pauseMs = retryMs * Math.min(20, 2 ** (parcel.attempts - 1));
      this.#schedule.later(parcel, pauseMs, () => void this.#deliver(parcel));
    }
    if (this.#queue.length > 0) this.flush();
  }
}
