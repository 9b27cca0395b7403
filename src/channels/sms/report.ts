// Reports of an operator: a deliver_sm or data_sm as a receipt in our words. What can't be understood is kept as far as it can be, and
// says which setting would read it, because no operator tells how it writes.

import type { CostTlvConfig, OperatorConfig } from '../../config.ts';
import { formatDecimal, isPrice } from '../../core/money/money.ts';
import { parsePhone, servedNumber } from '../../core/phone.ts';
import { receiptKeys } from '../../core/receipts/message-ids.ts';
import {
  type Delivery,
  findTlv,
  guessReceiptDateFormat,
  isIntermediate,
  isReceipt,
  type Receipt,
  readReceipt,
  withoutNuls,
} from '../../smpp/index.ts';
import { compilePattern, type LinearPattern } from '../../text/linear-pattern.ts';
import type { CarrierReceipt, UnreadableReport } from '../channel.ts';
import { tariffInForce } from '../tariff.ts';

/** `word`: its state. `id`: which message. `date`: its date. `unmarked`: it looks like a receipt and is not marked as one. `unreadable`: all of it. */
export const reportProblems = ['word', 'id', 'date', 'unmarked', 'unreadable'] as const;

/** Something of a report that is not understood. */
export interface ReportProblem {
  kind: (typeof reportProblems)[number];
  /** The setting that would read it: `add receipt.meanings.FAILED`. Null where none would. */
  advice: string | null;
  /** For the log: what came. No code and no phone number is in it. */
  detail: string;
}

export type Report = { problems: ReportProblem[] } & (
  | { kind: 'receipt'; carrier: CarrierReceipt }
  | { kind: 'unreadable'; report: UnreadableReport }
  /** A message from a phone: the service has no use for those. */
  | { kind: 'message' }
);

export function readReport(pdu: Delivery, operator: OperatorConfig, now: number): Report {
  const read = readReceipt(pdu, {
    timeZone: operator.timeZone,
    now,
    dateFormat: operator.receipt.dateFormat,
    messageStates: operator.receipt.messageStates,
    meanings: operator.receipt.meanings,
    pattern: patternOf(operator),
  });
  // Of an id that names nothing, as one of thousands of characters, nothing is kept.
  const receipt = { ...read, ids: read.ids.filter((id) => receiptKeys(id, operator.messageId).length > 0) };
  if (!isReceipt(pdu)) return readUnmarked(pdu, receipt, operator, now);
  const number = phoneOf(pdu, operator);
  const { ids, state, stat, raw } = receipt;
  // Without an id the phone may say which message is meant, but only a receipt that says something is worth a guess.
  const isAboutMessage = ids.length > 0 || (number !== null && (state !== null || stat !== null));
  if (!isAboutMessage && state === null) {
    const reason = `${withoutPattern} (stat ${stat ?? 'missing'})`;
    const problem: ReportProblem = { kind: 'unreadable', advice: 'set receipt.pattern', detail: reason };
    return { kind: 'unreadable', report: { operator: operator.id, raw, reason, receivedAt: now }, problems: [problem] };
  }
  return {
    kind: 'receipt',
    carrier: carrierOf(pdu, receipt, number, operator, now),
    problems: problemsOf(receipt, operator, now),
  };
}

/**
 * A message that looks like a receipt and is not marked as one. Any phone can write such a text, and then it names its own number: with
 * `accept_known_id` it is taken in where that number's message with that id is still open.
 */
function readUnmarked(pdu: Delivery, receipt: Receipt, operator: OperatorConfig, now: number): Report {
  const { ids, state, stat } = receipt;
  if (ids.length === 0 || (state === null && stat === null)) return { kind: 'message', problems: [] };
  const number = phoneOf(pdu, operator);
  if (operator.receipt.unmarked === 'accept_known_id' && number !== null) {
    const carrier = { ...carrierOf(pdu, receipt, number, operator, now), unmarked: true as const };
    return { kind: 'receipt', carrier, problems: problemsOf(receipt, operator, now) };
  }
  const detail = `a receipt by its text, with esm_class 0x${pdu.esm_class.toString(16).padStart(2, '0')}`;
  return {
    kind: 'message',
    problems: [{ kind: 'unmarked', advice: 'set receipt.unmarked to "accept_known_id"', detail }],
  };
}

/** A word of the operator's own longer than this is cut, inside of a character maybe: no database takes half of one. */
const maxWord = 40;

function carrierOf(
  pdu: Delivery,
  { ids, state, stat, stateNumber, error, doneAt, raw }: Receipt,
  number: string | null,
  operator: OperatorConfig,
  now: number,
): CarrierReceipt {
  const references = [...new Set(ids.flatMap((id) => receiptKeys(id, operator.messageId)))];
  const providerMessageId = ids[0] ?? null;
  const status = triesOn(pdu, operator) && state !== 'DELIVRD' ? 'ENROUTE' : (state ?? 'UNKNOWN');
  const word = stat ?? (state === null && stateNumber !== null ? String(stateNumber) : null);
  return {
    operator: operator.id,
    references,
    number,
    // Any report means that the operator had taken the message. It stands in for an answer that was lost
    // with its process or its connection; without it, a delivered message would have no cost. Our texts are always one part.
    accepted: {
      kind: 'accepted',
      providerMessageId,
      reference: references[0] ?? null,
      parts: 1,
      tariff: tariffInForce(operator.tariff, now),
    },
    receipt: {
      status,
      providerStatus: word !== null && word.toUpperCase() !== status ? word.slice(0, maxWord).toWellFormed() : null,
      detail: null,
      errorCode: error,
      ...(error !== null && Object.hasOwn(operator.errorCodes, error) ? { errorText: operator.errorCodes[error] } : {}),
      operatorTimestamp: doneAt,
      receivedAt: now,
      providerMessageId,
      operatorAmount: operator.costTlv ? priceOf(pdu, operator.costTlv) : null,
      raw,
    },
  };
}

/**
 * Whether the operator goes on after what it reports: an attempt that failed ends no message. Where no notifications of attempts are asked for,
 * it marks its receipts as such by mistake.
 */
const triesOn = (pdu: Delivery, { registeredDelivery }: OperatorConfig): boolean =>
  isIntermediate(pdu) && (registeredDelivery & 0x10) !== 0;

/** Why a report can not be read that a `receipt.pattern` would read: its reason begins so, and is stored with it. */
export const withoutPattern = 'no id and no known state';

/** What `receipt.meanings` may name. Not more digits: a text of another form may have a code there. */
export const isWord = /^(?!.*\d{4})[\w-]{1,40}$/;

function problemsOf(
  { ids, state, stat, stateNumber, unreadDate }: Receipt,
  operator: OperatorConfig,
  now: number,
): ReportProblem[] {
  const problems: ReportProblem[] = [];
  if (state === null) {
    const number = stateNumber === null ? null : String(stateNumber);
    const advice =
      stat === null
        ? number === null
          ? 'set receipt.pattern'
          : `add receipt.message_states.${number}`
        : isWord.test(stat)
          ? `add receipt.meanings.${stat.toUpperCase()}`
          : 'set receipt.pattern';
    problems.push({
      kind: 'word',
      advice,
      detail: stat === null && number === null ? 'no state was found in it' : 'its state is not known',
    });
  }
  if (ids.length === 0) problems.push({ kind: 'id', advice: 'set receipt.pattern', detail: 'no id was found in it' });
  if (unreadDate !== null) {
    const format = guessReceiptDateFormat(unreadDate, operator.timeZone, now);
    const detail = `its date has ${unreadDate.length} digits that make none`;
    const advice = `set receipt.date_format${format === null ? '' : ` to "${format}"`}`;
    problems.push({ kind: 'date', advice, detail });
  }
  return problems;
}

const patterns = new WeakMap<OperatorConfig, LinearPattern | null>();

/** The operator's pattern, compiled once for each reading of the configuration. */
function patternOf(operator: OperatorConfig): LinearPattern | null {
  const known = patterns.get(operator);
  if (known !== undefined) return known;
  const compiled = operator.receipt.pattern === null ? null : compilePattern(operator.receipt.pattern);
  const pattern = compiled?.kind === 'ok' ? compiled.pattern : null; // One that is refused stops the start.
  patterns.set(operator, pattern);
  return pattern;
}

/**
 * A receipt comes "from" the phone (SMPP v3.4 section 4.6): in any form, and with some operators "to" it. A whole number that the
 * operator does not serve is kept as it came, because the prefixes may have been others when its message was sent.
 */
function phoneOf({ source_addr: source, destination_addr: destination }: Delivery, { prefixes }: OperatorConfig) {
  const served = servedNumber(source, prefixes) ?? servedNumber(destination, prefixes);
  if (served !== null) return served;
  const parsed = parsePhone(source.replace(/^00|^(?=[1-9])/, '+'));
  return parsed.kind === 'ok' ? parsed.e164 : null;
}

/** The price that the operator states for the message; null where it states none, or not in the agreed form. */
function priceOf(pdu: Delivery, tlv: CostTlvConfig): { amount: string; currency: string } | null {
  const value = findTlv(pdu.tlvs, tlv.tag);
  if (!value) return null;
  const amount = tlv.format === 'uint32_minor' ? fromUint32(value, tlv.scale) : fromText(value, tlv);
  return amount !== null && isPrice(amount) ? { amount, currency: tlv.currency } : null;
}

const fromUint32 = (value: Buffer, scale: number): string | null =>
  value.length === 4 ? formatDecimal({ digits: BigInt(value.readUInt32BE(0)), scale }) : null;

function fromText(value: Buffer, { format, scale }: CostTlvConfig): string | null {
  const text = withoutNuls(value.toString('latin1')).trim();
  if (format === 'ascii_decimal') return text;
  return /^\d{1,18}$/.test(text) ? formatDecimal({ digits: BigInt(text), scale }) : null;
}
