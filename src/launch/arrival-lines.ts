// The words of what arrives at the sandbox: one line for a message, a call's turn, a webhook, a mood; none for the rest. Columns stay
// in place, so that a phone is found again by looking down.

import { onOneLine } from '../core/one-line.ts';
import type { Hello, InboxMessage, Mood, PhoneCall, ReceivedWebhook } from '../sandbox/views.ts';

/** Colours, where the terminal has them. */
export type Paint = (style: 'bold' | 'green' | 'red' | 'dim', text: string) => string;

/** The event of a webhook, as far as it is shown. */
interface WebhookEvent {
  type?: unknown;
  data?: { to?: unknown; status?: unknown; session?: { to?: unknown } | null } | null;
}

/** Longer texts are cut: a message without a code is seldom of interest to its end. */
const mostText = 60;
/** Calls whose state is remembered: more than are up at once. */
const mostCalls = 1_000;

export class ArrivalLines {
  readonly #paint: Paint;
  readonly #calls = new Map<string, PhoneCall['state']>();
  #moods = new Map<string, string>();
  #newest = 0;

  constructor(paint: Paint) {
    this.#paint = paint;
  }

  /** Null where the event says nothing new to a person. */
  of(event: string, data: unknown): string | null {
    if (event === 'message') return this.#message(data as InboxMessage);
    if (event === 'webhook') return this.#webhook(data as ReceivedWebhook);
    if (event === 'call') return this.#call(data as PhoneCall);
    if (event === 'moods') return this.#moodsNow(data as Mood[]);
    if (event === 'hello') this.#begin(data as Partial<Hello>);
    return null;
  }

  /** What was before is no news, and a sandbox that was started again counts from the beginning. */
  #begin({ messages = [], moods = [] }: Partial<Hello>): void {
    this.#newest = Number(messages.at(-1)?.id ?? 0);
    this.#calls.clear();
    this.#moods = new Map(moods.map(({ of, mood }) => [of, mood]));
  }

  /** A call's message comes again when more of it was heard: its code is known by then. */
  #message({ id, received_at, channel, to, text, digits }: InboxMessage): string | null {
    if (Number(id) <= this.#newest) return null;
    this.#newest = Number(id);
    const code = digits || /(?<!\d)\d{4,10}(?!\d)/.exec(text)?.[0];
    return this.#line(received_at, channel, to, code ? `code ${this.#paint('bold', code)}` : shown(text));
  }

  #webhook({ received_at, verified, answered, event: body }: ReceivedWebhook): string {
    const event = body as WebhookEvent | null;
    const text = (value: unknown) => (typeof value === 'string' ? shown(value) : '');
    const type = text(event?.type) || 'no event';
    const to = text(event?.data?.to ?? event?.data?.session?.to);
    const what = [type, type === 'receipt.updated' && text(event?.data?.status)].filter(Boolean).join(' ');
    const signature = verified ? 'signature verified' : this.#paint('red', 'signature wrong');
    return this.#line(received_at, 'webhook', to, `${what}, ${signature}, answered ${answered}`);
  }

  #call(call: PhoneCall): string | null {
    const { id, to, state, person, ringing_since, answered_at, over_at, end } = call;
    if (this.#calls.get(id) === state) return null;
    this.#calls.set(id, state);
    for (const oldest of this.#calls.keys()) {
      if (this.#calls.size <= mostCalls) break;
      this.#calls.delete(oldest);
    }
    if (state === 'ringing')
      return this.#line(ringing_since, 'call', to, `rings${person ? ': answer it on the page' : ''}`);
    if (state === 'answered') return this.#line(answered_at ?? ringing_since, 'call', to, 'answered');
    return this.#line(over_at ?? ringing_since, 'call', to, `over${end ? ` (${end})` : ''}`);
  }

  #moodsNow(moods: readonly Mood[]): string | null {
    const changed = moods.filter(({ of, mood }) => this.#moods.get(of) !== mood);
    this.#moods = new Map(moods.map(({ of, mood }) => [of, mood]));
    const words = changed.map(({ of, mood }) => `${of} is ${mood === 'well' ? 'well again' : mood}`);
    return words.length === 0 ? null : this.#line(new Date().toISOString(), 'mood', '', words.join(', '));
  }

  #line(at: string, what: string, to: string, words: string): string {
    return `${this.#paint('dim', clock(at))}  ${what.padEnd(8)}  ${to.padEnd(13)}  ${words}`;
  }
}

/** Any program can post a webhook here, and any page that is open on this machine: no text of theirs speaks to the terminal. */
function shown(text: string): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  return onOneLine(plain.length > mostText ? `${plain.slice(0, mostText - 1)}…` : plain);
}

/** The time of day where the person is. */
function clock(at: string): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}
