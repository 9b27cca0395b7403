// The delivery receipt in a deliver_sm or data_sm (SMPP v3.4 section 5.2.12, appendix B). Optional parameters come first, and the
// text where they say nothing, because texts are cut and mistyped more often.

import type { Pdu } from './pdu.ts';
import { maskReceipt, parseReceiptText, type ReceiptKeys, receiptText, zonedDate } from './receipt-text.ts';
import { parseReceiptDate, type ReceiptDateFormat } from './times.ts';
import { findTlv, tags, tlvNumber, tlvText } from './tlv.ts';

export type Delivery = Pdu<'deliver_sm' | 'data_sm'>;

/** ENROUTE and ACCEPTD are not final. */
export type MessageState =
  | 'ENROUTE'
  | 'DELIVRD'
  | 'EXPIRED'
  | 'DELETED'
  | 'UNDELIV'
  | 'ACCEPTD'
  | 'UNKNOWN'
  | 'REJECTD';

export interface ReceiptOptions {
  /** IANA zone of dates in the text that carry none, as most do. */
  timeZone: string;
  /** Unix ms; decides between two readings of a date. */
  now: number;
  /** Default `auto`. */
  dateFormat?: ReceiptDateFormat;
  /** Numbers of message_state that mean something else at this operator. */
  messageStates?: Readonly<Record<string, MessageState>>;
  /** The meaning of `STAT/err`, or failing that `STAT`, at this operator; it wins over everything else. */
  meanings?: Readonly<Record<string, MessageState>>;
  /**
   * Reads texts that are not written in keys: groups `id`, `stat`, `err`, `submit_date` and `done_date`. Where it finds nothing, the text
   * is read as usual. It must end soon on any text.
   */
  pattern?: { exec(text: string): Readonly<Record<string, string>> | null } | null;
}

export interface Receipt {
  /** Ids it names, the optional parameter's first; may be empty, and may be in the other base. */
  ids: readonly string[];
  /** Null when the receipt names no known state. */
  state: MessageState | null;
  /** The operator's own word, as written. */
  stat: string | null;
  /** The number of message_state. */
  stateNumber: number | null;
  /** `err` of the text; where that is missing or zero, network_error_code. */
  error: string | null;
  /** Unix ms. */
  submittedAt: number | null;
  /** Unix ms: the operator's timestamp of the final state. */
  doneAt: number | null;
  /** Digits of a `done date` that make no date in the format. */
  unreadDate: string | null;
  /** The text, digits of the echoed message masked. */
  raw: string;
}

/** SMPP v3.4 section 5.2.28. */
const stateNumbers: Readonly<Record<string, MessageState>> = {
  1: 'ENROUTE',
  2: 'DELIVRD',
  3: 'EXPIRED',
  4: 'DELETED',
  5: 'UNDELIV',
  6: 'ACCEPTD',
  7: 'UNKNOWN',
  8: 'REJECTD',
};

/** The seven letters of appendix B, the longer words some SMSCs write, and the bare numbers of a few. */
const stateWords: Readonly<Record<string, MessageState>> = {
  ...stateNumbers,
  ENROUTE: 'ENROUTE',
  DELIVRD: 'DELIVRD',
  DELIVERD: 'DELIVRD',
  DELIVERED: 'DELIVRD',
  EXPIRED: 'EXPIRED',
  DELETED: 'DELETED',
  UNDELIV: 'UNDELIV',
  UNDELIVERED: 'UNDELIV',
  UNDELIVERABLE: 'UNDELIV',
  ACCEPTD: 'ACCEPTD',
  ACCEPTED: 'ACCEPTD',
  UNKNOWN: 'UNKNOWN',
  REJECTD: 'REJECTD',
  REJECTED: 'REJECTD',
};

/**
 * Whether the SMSC marked it as a receipt: message type 0001 or, for intermediate notifications, 1000 in esm_class bits 5-2, or
 * a receipted_message_id. A text that merely looks like a receipt is none: any phone could send it.
 */
export function isReceipt(pdu: Delivery): boolean {
  return messageType(pdu) === 0x04 || isIntermediate(pdu) || findTlv(pdu.tlvs, tags.receipted_message_id) !== undefined;
}

/** Whether it is about one attempt to deliver, and not about the end of the message (SMPP v3.4 section 5.2.12). */
export const isIntermediate = (pdu: Delivery): boolean => messageType(pdu) === 0x20;

const messageType = (pdu: Delivery): number => pdu.esm_class & 0x3c;

/** Octets of the message wherever they are: data_sm has no short_message, and long texts go into message_payload. */
export function messageOctets(pdu: Delivery): Buffer {
  if (pdu.command === 'deliver_sm' && pdu.short_message.length > 0) return pdu.short_message;
  return findTlv(pdu.tlvs, tags.message_payload) ?? Buffer.alloc(0);
}

/** Never throws, whatever the operator wrote; fields that cannot be read are null. */
export function readReceipt(pdu: Delivery, options: ReceiptOptions): Receipt {
  const octets = messageOctets(pdu);
  const text = receiptText(octets);
  const keys = keysBy(options.pattern, text) ?? parseReceiptText(text);
  const date = (digits: string | null): number | null =>
    digits === null ? null : parseReceiptDate(digits, options.timeZone, options.now, options.dateFormat);
  const error = errorOf(keys.err, findTlv(pdu.tlvs, tags.network_error_code));
  const tlvId = tlvText(pdu.tlvs, tags.receipted_message_id)?.trim();
  const stateNumber = tlvNumber(pdu.tlvs, tags.message_state);
  const doneAt = date(keys.doneDate);

  return {
    ids: tlvId === undefined || tlvId === keys.id ? idsOf(keys.id) : [...idsOf(tlvId), ...idsOf(keys.id)],
    state: stateOf(keys.stat, error, stateNumber, options),
    stat: keys.stat,
    stateNumber: stateNumber ?? null,
    error,
    submittedAt: date(keys.submitDate),
    doneAt,
    unreadDate: doneAt === null ? unread(keys.doneDate) : null,
    raw: maskReceipt(octets, text, keys.echoAt),
  };
}

/** A date that was not read; null where there is none, which some SMSCs write in zeros. */
const unread = (date: string | null): string | null => (date && /[1-9]/.test(date) ? date.replace(/[+-].*/, '') : null);

/** Where the message's echo stands in such a text is not known: all digits of it are masked. */
function keysBy(pattern: ReceiptOptions['pattern'], text: string): ReceiptKeys | null {
  const found = pattern?.exec(text);
  if (!found) return null;
  const of = (name: string): string | null => found[name]?.trim().toWellFormed() || null; // A pattern may take half a character.
  const dateOf = (name: string): string | null => {
    const text = of(name) ?? '';
    return zonedDate(text) ?? (text.replace(/\D/g, '') || null);
  };
  return {
    id: of('id'),
    stat: of('stat'),
    err: of('err'),
    submitDate: dateOf('submit_date'),
    doneDate: dateOf('done_date'),
    echoAt: 0,
  };
}

const idsOf = (id: string | null): string[] => (id === null || id === '' ? [] : [id]);

function stateOf(
  stat: string | null,
  error: string | null,
  number: number | undefined,
  { messageStates, meanings }: ReceiptOptions,
): MessageState | null {
  const byNumber =
    number === undefined ? undefined : (own(messageStates, String(number)) ?? own(stateNumbers, String(number)));
  const word = stat?.toUpperCase() ?? byNumber;
  if (word === undefined) return null;
  const meant = meanings && (own(meanings, `${word}/${error ?? ''}`) ?? own(meanings, word));
  return meant ?? byNumber ?? own(stateWords, word) ?? null;
}

/** `constructor` is no state, though every object has one. */
const own = <Value>(table: Readonly<Record<string, Value>> | undefined, key: string): Value | undefined =>
  table !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;

/** network_error_code is a network type, then two octets of code (section 5.3.2.31). */
function errorOf(err: string | null, networkError: Buffer | undefined): string | null {
  const saysSomething = err !== null && !/^0*$/.test(err);
  if (saysSomething || networkError?.length !== 3) return err;
  const code = networkError.readUInt16BE(1);
  return code === 0 ? err : String(code);
}
