// How an operator writes a delivery receipt: SMPP v3.4 appendix B leaves nearly everything to the SMSC, and the three
// example operators use that freedom as differently as real ones do.

import { type DateForm, dateWriter } from './dates.ts';
import type { IdStyle } from './ids.ts';
import { isFinal, type Message, messageState, type Stat } from './message.ts';

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

/** What is told: usually the message's own state; tests may tell anything. */
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

/** What ASCII can't say becomes a question mark, as it does in many SMSCs; digits (a code) stay. */
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
