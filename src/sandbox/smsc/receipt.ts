// Messages that an SMSC has taken, and their delivery receipts as operators write them: ids, dates, text and parameters. SMPP v3.4
// appendix B leaves nearly everything to the SMSC, and the three example operators use that freedom as differently as real ones do.

import { BoundedMap } from '../../collections/small-maps.ts';

/** One message has one number; operators differ in how they write it, and even with themselves. */
interface IdStyle {
  inAnswer(id: bigint): string;
  inReceipt(id: bigint): string;
}

/** Hexadecimal in the answer; decimal in receipts, padded with zeros to 20 digits. */
export const hexThenDecimal: IdStyle = {
  inAnswer: (id) => id.toString(16).toUpperCase(),
  inReceipt: (id) => id.toString().padStart(20, '0'),
};

/** Decimal in the answer, lower-case hexadecimal in receipts. */
export const decimalThenHex: IdStyle = {
  inAnswer: (id) => id.toString(),
  inReceipt: (id) => id.toString(16),
};

/** Letters and digits, upper case in the answer and lower case in receipts. */
export const lettersThenLowerCase: IdStyle = {
  inAnswer: (id) => `S${id.toString(36).toUpperCase()}`,
  inReceipt: (id) => `s${id.toString(36)}`,
};

/**
 * Numbers that a restarted SMSC does not repeat: the time of the start in milliseconds, then a counter. They are beyond 2^53 on
 * purpose, so that a client which reads them as floats matches the wrong receipt.
 */
export function idNumbers(startedAt: number): () => bigint {
  let last = BigInt(startedAt) << 20n;
  return () => {
    last += 1n;
    return last;
  };
}

type DateForm = 'YYMMDDhhmm' | 'YYMMDDhhmmss' | 'YYYYMMDDhhmm';

const quarterMs = 900_000;

/**
 * Returns a writer for one IANA zone and one form. Times are milliseconds since the epoch.
 * The zone's offset is looked up once a quarter of an hour, not once a receipt: Intl costs more than the whole receipt.
 */
export function dateWriter(timeZone: string, form: DateForm): (at: number) => string {
  const offsetAt = offsetReader(timeZone);
  return (at) => {
    const digits = new Date(at + offsetAt(at)).toISOString().replace(/\D/g, '');
    switch (form) {
      case 'YYMMDDhhmm':
        return digits.slice(2, 12);
      case 'YYMMDDhhmmss':
        return digits.slice(2, 14);
      case 'YYYYMMDDhhmm':
        return digits.slice(0, 12);
    }
  };
}

/** Zones change their offset on quarters of an hour of UTC (St. John's on a half), so one look-up holds for so long. */
function offsetReader(timeZone: string): (at: number) => number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  let known = Number.NaN;
  let offsetMs = 0;
  return (at) => {
    const quarter = Math.floor(at / quarterMs);
    if (quarter !== known) {
      const seen = Object.fromEntries(
        parts.formatToParts(quarter * quarterMs).map(({ type, value }) => [type, Number(value)]),
      );
      const { year = 0, month = 1, day = 1, hour: hours = 0, minute = 0, second = 0 } = seen;
      offsetMs = Date.UTC(year, month - 1, day, hours, minute, second) - quarter * quarterMs;
      known = quarter;
    }
    return offsetMs;
  };
}

const RECEIPT = 0x04; // esm_class: delivery receipt.
const INTERMEDIATE = 0x20; // esm_class: intermediate notification.
const GSM_NETWORK = 3; // First octet of network_error_code.
const ECHOED = 20; // Characters (or octets) of the message repeated after `text:`.

export interface ReceiptStyle {
  ids: IdStyle;
  timeZone: string;
  dates: DateForm;
  /** Where the text goes; `payload_or_data_sm` takes turns between message_payload in deliver_sm, and data_sm. */
  carrier: 'short_message' | 'payload_or_data_sm';
  /** receipted_message_id, message_state and network_error_code too. */
  tlvs: boolean;
  /** The keys sub: and dlvrd:. */
  counters: boolean;
  /** How the message is repeated: its raw octets under `text:` (UCS-2 too), readable under `Text:`, or not at all. */
  echo: 'octets' | 'characters' | 'none';
  /** The operator's own words for `err`, where it has them; else the scenario's. */
  errors: Partial<Record<Stat, string>>;
  /** Price of a delivered message for the vendor TLV; null = receipts say no price. */
  cost: string | null;
}

/** The state a receipt reports: usually the message's own, or whatever a test orders. */
export interface Outcome {
  stat: Stat;
  /** Milliseconds. */
  doneAt: number;
  err: string;
}

export interface ReceiptPdu {
  command: 'deliver_sm' | 'data_sm';
  fields: Record<string, unknown>;
}

export type ReceiptWriter = (message: Message, outcome: Outcome) => ReceiptPdu;

export function receiptWriter(style: ReceiptStyle): ReceiptWriter {
  const date = dateWriter(style.timeZone, style.dates);
  let turn = 0;
  return (message, outcome) => {
    const text = receiptText(style, date, message, outcome);
    const fields = {
      ...addresses(message),
      esm_class: isFinal(outcome.stat) ? RECEIPT : INTERMEDIATE,
      data_coding: 0,
      ...(style.tlvs ? tlvs(style, message, outcome) : {}),
    };
    if (style.carrier === 'short_message') return { command: 'deliver_sm', fields: { ...fields, short_message: text } };
    turn += 1;
    return { command: turn % 2 === 1 ? 'deliver_sm' : 'data_sm', fields: { ...fields, message_payload: text } };
  };
}

/** A receipt comes from the phone and goes to the sender name. */
function addresses({ from, to }: Message): Record<string, unknown> {
  return {
    source_addr_ton: to.ton,
    source_addr_npi: to.npi,
    source_addr: to.digits,
    dest_addr_ton: from.ton,
    dest_addr_npi: from.npi,
    destination_addr: from.digits,
  };
}

function receiptText(style: ReceiptStyle, date: (at: number) => string, message: Message, outcome: Outcome): Buffer {
  const keys = [`id:${style.ids.inReceipt(message.number)}`];
  if (style.counters) keys.push('sub:001', `dlvrd:00${outcome.stat === 'DELIVRD' ? 1 : 0}`);
  keys.push(`submit date:${date(message.submittedAt)}`, `done date:${date(outcome.doneAt)}`);
  keys.push(`stat:${outcome.stat}`, `err:${outcome.err}`);
  const head = keys.join(' ');
  switch (style.echo) {
    case 'octets':
      return Buffer.concat([Buffer.from(`${head} text:`, 'latin1'), message.octets.subarray(0, ECHOED)]);
    case 'characters':
      return Buffer.from(`${head} Text:${readable(message.text)}`, 'latin1');
    case 'none':
      return Buffer.from(head, 'latin1');
  }
}

/** The text with a question mark for each character beyond ASCII, as many SMSCs write it; digits (a code) stay. */
function readable(text: string): string {
  return [...text]
    .slice(0, ECHOED)
    .join('')
    .replace(/[^ -~]/g, '?');
}

function tlvs(style: ReceiptStyle, message: Message, outcome: Outcome): Record<string, unknown> {
  const err = Number.parseInt(outcome.err, 10) || 0;
  return {
    receipted_message_id: style.ids.inReceipt(message.number),
    message_state: messageState[outcome.stat],
    network_error_code: Buffer.from([GSM_NETWORK, (err >> 8) & 0xff, err & 0xff]),
    ...(style.cost === null ? {} : { sandbox_cost: outcome.stat === 'DELIVRD' ? style.cost : '0.00' }),
  };
}

/** The words of a receipt's `stat:` (SMPP v3.4 appendix B). */
export type Stat = 'ENROUTE' | 'DELIVRD' | 'EXPIRED' | 'DELETED' | 'UNDELIV' | 'ACCEPTD' | 'UNKNOWN' | 'REJECTD';

/** message_state of SMPP v3.4 section 5.2.28. */
export const messageState: Record<Stat, number> = {
  ENROUTE: 1,
  DELIVRD: 2,
  EXPIRED: 3,
  DELETED: 4,
  UNDELIV: 5,
  ACCEPTD: 6,
  UNKNOWN: 7,
  REJECTD: 8,
};

export function isFinal(stat: Stat): boolean {
  return stat !== 'ENROUTE' && stat !== 'ACCEPTD';
}

export interface Address {
  ton: number;
  npi: number;
  digits: string;
}

export interface Message {
  number: bigint;
  /** As written in the answer to submit_sm. */
  id: string;
  systemId: string;
  from: Address;
  to: Address;
  octets: Buffer;
  text: string;
  registeredDelivery: number;
  /** Milliseconds. */
  submittedAt: number;
  stat: Stat;
  /** When `stat` became so. Milliseconds. */
  changedAt: number;
  /** True once the message is on the phone; `stat` does not show that for a message whose receipt never comes. */
  onPhone: boolean;
}

/** The messages that query_sm and cancel_sm look into. A load test sends millions, so only the newest `limit` are kept. */
export class MessageStore {
  readonly #byId: BoundedMap<string, Message>;

  constructor(limit: number) {
    this.#byId = new BoundedMap(limit);
  }

  add(message: Message): void {
    this.#byId.set(message.id, message);
  }

  get(id: string): Message | undefined {
    return this.#byId.get(id);
  }

  /** The newest message to a number (digits without +). This walks the store, so it is for tests and the control call only. */
  newestTo(digits: string): Message | undefined {
    return [...this.#byId.values()].findLast((message) => message.to.digits === digits);
  }
}
