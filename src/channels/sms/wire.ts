// The translation between our words and SMPP's: an operator's settings as options of a bind, a message as a submit_sm, an answer as
// an outcome, a deliver_sm or data_sm as a receipt. Each operator has its own habits, and this file translates them.

import type { BindConfig, CostTlvConfig, OperatorConfig } from '../../config.ts';
import { formatDecimal, isPrice } from '../../core/money/money.ts';
import { parsePhone, servedNumber } from '../../core/phone.ts';
import { smsText } from '../../core/verify/text.ts';
import {
  answerKey,
  type BindOptions,
  commandStatus,
  type Delivery,
  encodeText,
  findTlv,
  isReceipt,
  type MessageIdRule,
  type PduInput,
  readReceipt,
  receiptKeys,
  statusMeaning,
  statusName,
  validityPeriod,
} from '../../smpp/index.ts';
import type { CarrierReceipt, OutgoingMessage, SendOutcome, UnreadableReport } from '../channel.ts';
import { tariffInForce } from '../tariff.ts';

type Settings = Omit<BindOptions, 'onDeliver' | 'onLateAnswer' | 'observer'>;

/** The settings of one bind in the words of the SMPP library. */
export function bindOptions(operator: OperatorConfig, bind: BindConfig): Settings {
  const { host, port, systemId, password, systemType, type, tls } = bind;
  const { reconnect } = operator;
  return {
    host,
    port,
    systemId,
    password,
    systemType,
    type,
    tls: tls && {
      rejectUnauthorized: tls.rejectUnauthorized,
      ca: tls.ca ?? undefined,
      servername: tls.servername ?? undefined,
    },
    window: operator.window,
    responseTimeoutMs: operator.responseTimeoutMs,
    enquireLinkIdleMs: operator.enquireLinkIdleSeconds * 1000,
    enquireLinkMisses: operator.enquireLinkMisses,
    submitMisses: operator.submitMisses,
    backoff: {
      minMs: reconnect.minSeconds * 1000,
      maxMs: reconnect.maxSeconds * 1000,
      alreadyBoundMs: reconnect.alreadyBoundSeconds * 1000,
      bindFailedMs: reconnect.bindFailedSeconds * 1000,
      credentialsMs: reconnect.credentialsSeconds * 1000,
    },
  };
}

interface Composed {
  pdu: PduInput<'submit_sm'>;
  parts: number;
}

interface ComposeOptions {
  operator: OperatorConfig;
  /** Name in the text. */
  brand: string;
  now: number;
  /** Default: the operator's own form. */
  validity?: 'relative' | 'absolute' | 'none';
}

/** The message as a submit_sm. @throws when the text cannot be made: validation lets no such message in. */
export function compose(message: OutgoingMessage, { operator, brand, now, validity }: ComposeOptions): Composed {
  const { language, code, autofill } = message;
  const text = smsText({ language, code, brand, autofill });
  if (text.kind === 'refused') throw new Error(`no text for message ${message.id}: ${text.reason}`);
  const encoded = encodeText(text.text, operator.defaultAlphabet);
  const { address, dataCoding, serviceType, registeredDelivery } = operator;
  // A late message must still be worth reading: what counts is the session's life, not the leg's.
  const period = validityPeriod(message.expiresAt - now, now, {
    format: validity ?? operator.validity.format,
    granularitySeconds: operator.validity.granularitySeconds,
    timeZone: operator.timeZone,
  });
  return {
    parts: encoded.segments,
    pdu: {
      command: 'submit_sm',
      service_type: serviceType,
      source_addr_ton: address.sourceTon,
      source_addr_npi: address.sourceNpi,
      source_addr: message.senderId ?? '',
      dest_addr_ton: address.destTon,
      dest_addr_npi: address.destNpi,
      destination_addr: message.to.replace('+', ''),
      validity_period: period,
      registered_delivery: registeredDelivery,
      data_coding: encoded.encoding === 'ucs2' ? dataCoding.ucs2 : dataCoding.gsm,
      short_message: encoded.octets,
    },
  };
}

type AnswerMeaning =
  | { kind: 'final'; outcome: SendOutcome }
  /** Not taken; the same message may be sent later, or on another bind. */
  | { kind: 'again' }
  /** validity_period in this form is not understood (0x62): the message goes once more with the fallback form. */
  | { kind: 'other_validity' };

/** Statuses that refuse the sender name: SMPP v3.4 section 5.1.3 words them as errors of the source address. */
const senderRefused: readonly number[] = [commandStatus.RINVSRCADR, commandStatus.RINVSRCTON, commandStatus.RINVSRCNPI];

export interface Answered {
  status: number;
  messageId: string;
}

/** The meaning of an operator's answer for the message. */
export function meaningOf(
  answer: Answered,
  operator: OperatorConfig,
  about: { parts: number; fallbackSender: string; now: number },
): AnswerMeaning {
  const meaning = statusMeaning(answer.status);
  if (meaning === 'accepted') return { kind: 'final', outcome: accepted(answer.messageId, operator, about) };
  if (meaning === 'throttled' || meaning === 'temporary') return { kind: 'again' };
  const errorCode = statusName(answer.status);
  if (answer.status === commandStatus.RINVEXPIRY && operator.validity.fallback !== operator.validity.format) {
    return { kind: 'other_validity' };
  }
  if (senderRefused.includes(answer.status)) {
    return { kind: 'final', outcome: { kind: 'sender_refused', fallback: about.fallbackSender, errorCode } };
  }
  return { kind: 'final', outcome: { kind: 'rejected', reason: 'submit_refused', errorCode } };
}

function accepted(messageId: string, operator: OperatorConfig, about: { parts: number; now: number }): SendOutcome {
  return {
    kind: 'accepted',
    providerMessageId: messageId || null,
    reference: answerKey(messageId, operator.messageId as MessageIdRule),
    parts: about.parts,
    tariff: tariffInForce(operator.tariff, about.now),
  };
}

type Report =
  | { kind: 'receipt'; carrier: CarrierReceipt }
  | { kind: 'unreadable'; report: UnreadableReport }
  /** A message from a phone: the service has no use for those. */
  | { kind: 'not_a_receipt' };

export function readReport(pdu: Delivery, operator: OperatorConfig, now: number): Report {
  if (!isReceipt(pdu)) return { kind: 'not_a_receipt' };
  const receipt = readReceipt(pdu, {
    timeZone: operator.timeZone,
    now,
    dateFormat: operator.receipt.dateFormat,
    messageStates: operator.receipt.messageStates,
    meanings: operator.receipt.meanings,
  });
  const { ids, state, stat, error, doneAt, raw } = receipt;
  const about = { operator: operator.id, raw, receivedAt: now };
  if (state === null)
    return { kind: 'unreadable', report: { ...about, reason: `no known state (stat ${stat ?? 'missing'})` } };
  const references = [...new Set(ids.flatMap((id) => receiptKeys(id, operator.messageId as MessageIdRule)))];
  const providerMessageId = ids[0] ?? null;
  return {
    kind: 'receipt',
    carrier: {
      operator: operator.id,
      references,
      number: phoneOf(pdu, operator),
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
        status: state,
        providerStatus: stat !== null && stat.toUpperCase() !== state ? stat : null,
        detail: null,
        errorCode: error,
        ...(error !== null && Object.hasOwn(operator.errorCodes, error)
          ? { errorText: operator.errorCodes[error] }
          : {}),
        operatorTimestamp: doneAt,
        receivedAt: now,
        providerMessageId,
        operatorAmount: operator.costTlv ? priceOf(pdu, operator.costTlv) : null,
        raw,
      },
    },
  };
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
  const text = value.toString('latin1').replace(/\0+$/, '').trim();
  if (format === 'ascii_decimal') return text;
  return /^\d{1,18}$/.test(text) ? formatDecimal({ digits: BigInt(text), scale }) : null;
}
