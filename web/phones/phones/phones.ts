// The phones as they stand side by side: everything that reached a number, by the app it came in, newest phone first.

import type { InboxMessage, PhoneCall } from '../door/events.ts';

export const apps = ['sms', 'whatsapp', 'voice'] as const;

export type App = (typeof apps)[number];

/** A call that is over, or was never seen but for what was heard in it. */
export interface CallEntry {
  id: string;
  at: string;
  from: string;
  /** Null: it was not answered. */
  seconds: number | null;
  end: string | null;
  digits: string;
  keys: string;
  wav: string | null;
}

export interface Numbered {
  number: string;
}

export interface Phone extends Numbered {
  sms: InboxMessage[];
  whatsapp: InboxMessage[];
  calls: CallEntry[];
  /** The call that rings or is up. */
  call: PhoneCall | null;
  /** The app in which something happened last. */
  latest: App | null;
  /** When; ms. */
  activeAt: number;
}

/** A number that a code was sent to from this page: its phone is shown before anything reaches it. */
export interface SentTo {
  to: string;
  at: number;
}

const ms = (time: string | null): number => (time === null ? 0 : Date.parse(time));

export function phonesOf(
  { messages, calls }: { messages: readonly InboxMessage[]; calls: readonly PhoneCall[] },
  sent: readonly SentTo[],
): Phone[] {
  const phones = new Map<string, Phone>();
  const at = (number: string): Phone => {
    const made: Phone = { number, sms: [], whatsapp: [], calls: [], call: null, latest: null, activeAt: 0 };
    const phone = phones.get(number) ?? made;
    phones.set(number, phone);
    return phone;
  };
  const happened = (phone: Phone, app: App, when: number) => {
    if (when < phone.activeAt && phone.latest !== null) return;
    phone.latest = app;
    phone.activeAt = Math.max(phone.activeAt, when);
  };

  const known = new Set(calls.map(({ id }) => id));
  for (const message of messages) {
    const phone = at(message.to);
    if (message.channel === 'whatsapp') phone.whatsapp.push(message);
    else if (message.channel !== 'voice') phone.sms.push(message);
    else if (message.call_id === undefined || !known.has(message.call_id)) phone.calls.push(heardOnly(message));
    else continue;
    happened(phone, appOf(message), ms(message.received_at));
  }
  for (const call of calls) {
    const phone = at(call.to);
    if (call.state === 'over') phone.calls.push(entryOf(call));
    else phone.call = call;
    happened(phone, 'voice', ms(call.ringing_since));
  }
  for (const { to, at: when } of sent) {
    const phone = at(to);
    phone.activeAt = Math.max(phone.activeAt, when);
  }
  for (const phone of phones.values()) phone.calls.sort((a, b) => ms(a.at) - ms(b.at));
  return [...phones.values()].sort((a, b) => b.activeAt - a.activeAt);
}

/** The newest, `most` at most: what is not `held` first, then what is, in that order. */
export function placed<P extends Numbered>(newest: readonly P[], held: readonly string[], most: number): P[] {
  const place = ({ number }: P) => held.indexOf(number);
  return newest.slice(0, most).toSorted((one, other) => place(one) - place(other));
}

const appOf = ({ channel }: { channel: string }): App =>
  channel === 'whatsapp' || channel === 'voice' ? channel : 'sms';

function entryOf(call: PhoneCall): CallEntry {
  const { id, from, end, digits, keys, wav, answered_at, over_at, ringing_since } = call;
  const seconds = answered_at === null ? null : Math.max(0, Math.round((ms(over_at) - ms(answered_at)) / 1000));
  return { id, at: ringing_since, from, seconds, end, digits, keys, wav };
}

function heardOnly({ id, from, received_at, digits = '', wav }: InboxMessage): CallEntry {
  return {
    id: `heard ${id}`,
    at: received_at,
    from,
    seconds: null,
    end: 'hung_up',
    digits,
    keys: '',
    wav: wav ?? null,
  };
}

/** `14` → `0:14`. */
export const clockOf = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
