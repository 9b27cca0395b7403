// The translation of an operator's deliver_sm or data_sm into a receipt in our words: state, timestamp in UTC, price, masked text.
// Each operator has its own habits, and this is the one place that knows the settings for them.

import type { CostTlvConfig, OperatorConfig } from '../../config.ts';
import { formatDecimal, isPrice } from '../../core/money/money.ts';
import { type Delivery, findTlv, isReceipt, type MessageIdRule, readReceipt, receiptKeys } from '../../smpp/index.ts';
import type { CarrierReceipt, UnreadableReport } from '../channel.ts';
import { tariffFor } from './submit.ts';

export type Report =
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
      number: phoneOf(pdu),
      // Any report means that the operator had taken the message. It replaces an answer that was lost with its process or its
      // connection, or the message would be delivered and cost nothing. Our texts are of one part.
      accepted: {
        kind: 'accepted',
        providerMessageId,
        reference: references[0] ?? null,
        parts: 1,
        tariff: tariffFor(operator, now),
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

/** A receipt comes "from" the phone (SMPP v3.4 section 4.6); with or without a plus, and not always in full. */
function phoneOf(pdu: Delivery): string | null {
  const digits = pdu.source_addr.replace(/^\+|^00/, '');
  return /^[1-9]\d{7,14}$/.test(digits) ? `+${digits}` : null;
}

/** The price that the operator states for the message; null where it states none, or not in the agreed form. */
export function priceOf(pdu: Delivery, tlv: CostTlvConfig): { amount: string; currency: string } | null {
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
