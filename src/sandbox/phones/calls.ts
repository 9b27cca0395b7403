// The calls as a page shows them: who calls whom, how it stands, what was heard and pressed, and why it ended. A view is copied at each
// change, so that what was announced once stays as it was.

import { BoundedMap } from '../../collections/small-maps.ts';
import type { Clock } from '../clock.ts';
import { Feed, growingIds } from '../feed.ts';
import type { CallEnd, PhoneCall } from '../views.ts';

const mostCalls = 100;

/** The newest calls; each is changed through its `ShownCall`. */
export class Calls {
  readonly clock: Clock;
  readonly #feed: Feed;
  readonly #nextId = growingIds();
  readonly #kept = new BoundedMap<string, PhoneCall>(mostCalls);

  constructor(clock: Clock, feed = new Feed()) {
    this.clock = clock;
    this.#feed = feed;
  }

  /** Oldest first. */
  list(): PhoneCall[] {
    return [...this.#kept.values()].sort((a, b) => Number(a.id) - Number(b.id));
  }

  /** Forgets the calls that are over: they are entries of a phone as messages are. */
  clear(): void {
    for (const { id, state } of this.list()) if (state === 'over') this.#kept.delete(id);
  }

  /** A phone begins to ring. */
  begin(about: Pick<PhoneCall, 'to' | 'from' | 'person'>): ShownCall {
    const fresh = { answered_at: null, over_at: null, end: null, digits: '', keys: '', wav: null };
    const call = { id: this.#nextId(), ...about, state: 'ringing', ringing_since: this.at(), ...fresh } as const;
    return new ShownCall(call, this);
  }

  show(call: PhoneCall): void {
    this.#kept.set(call.id, call);
    this.#feed.announce('call', call);
  }

  at(): string {
    return new Date(this.clock.now()).toISOString();
  }
}

export class ShownCall {
  readonly #calls: Calls;
  #view: PhoneCall;

  constructor(view: PhoneCall, calls: Calls) {
    this.#calls = calls;
    this.#view = view;
    calls.show(view);
  }

  get id(): string {
    return this.#view.id;
  }

  /** The person comes to the phone, or leaves it to the scenario. */
  meet(person: boolean): void {
    if (person !== this.#view.person) this.#change({ person });
  }

  answer(wav: string): void {
    this.#change({ state: 'answered', answered_at: this.#calls.at(), wav });
  }

  hear(digits: string): void {
    if (digits !== this.#view.digits) this.#change({ digits });
  }

  press(key: string): void {
    this.#change({ keys: this.#view.keys + key });
  }

  end(end: CallEnd): void {
    this.#change({ state: 'over', over_at: this.#calls.at(), end });
  }

  #change(change: Partial<PhoneCall>): void {
    this.#view = { ...this.#view, ...change };
    this.#calls.show(this.#view);
  }
}
