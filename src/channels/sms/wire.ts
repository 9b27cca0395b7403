// The translation between our words and SMPP's: an operator's settings as options of a bind, a message as a submit_sm, an answer as
// an outcome. Each operator has its own habits, and this file translates them; what an operator reports is in report.ts.

import type { BindConfig, OperatorConfig } from '../../config.ts';
import { answerKey } from '../../core/receipts/message-ids.ts';
import { smsText } from '../../core/verify/text.ts';
import {
  type BindOptions,
  commandStatus,
  encodeText,
  type PduInput,
  statusMeaning,
  statusName,
  validityPeriod,
} from '../../smpp/index.ts';
import type { LateAnswer, OutgoingMessage, SendOutcome } from '../channel.ts';
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
  /** Name in the text of an account that has none of its own. */
  brand: string;
  now: number;
  /** Default: the operator's own form. */
  validity?: 'relative' | 'absolute' | 'none';
}

/** The message as a submit_sm. @throws when the text cannot be made: validation lets no such message in. */
export function compose(message: OutgoingMessage, { operator, brand, now, validity }: ComposeOptions): Composed {
  const { language, code, autofill, wording } = message;
  const own = { brand: wording?.brand ?? brand, ...(wording?.text === undefined ? {} : { template: wording.text }) };
  const text = smsText({ language, code, autofill, ...own });
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
  | { kind: 'again'; status: string }
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
  about: { parts: number; fallbackSender: string; now: number; validity?: ComposeOptions['validity'] },
): AnswerMeaning {
  const meaning = statusMeaning(answer.status);
  if (meaning === 'accepted') return { kind: 'final', outcome: accepted(answer.messageId, operator, about) };
  if (meaning === 'throttled' || meaning === 'temporary') return { kind: 'again', status: statusName(answer.status) };
  const errorCode = statusName(answer.status);
  const { format, fallback } = operator.validity;
  // Where the fallback form was refused, too, the fault is not in the form.
  if (answer.status === commandStatus.RINVEXPIRY && fallback !== format && about.validity !== fallback) {
    return { kind: 'other_validity' };
  }
  if (senderRefused.includes(answer.status)) {
    return { kind: 'final', outcome: { kind: 'sender_refused', fallback: about.fallbackSender, errorCode } };
  }
  return { kind: 'final', outcome: { kind: 'rejected', reason: 'submit_refused', errorCode } };
}

/** What an answer says of a message that has passed for unknown; null where it leaves that as it is, since nothing can be sent again by then. */
export function lateOutcome(
  answer: Answered,
  operator: OperatorConfig,
  about: { parts: number; now: number },
): LateAnswer['outcome'] | null {
  const meaning = meaningOf(answer, operator, { ...about, fallbackSender: '' });
  if (meaning.kind !== 'final') return null;
  const { outcome } = meaning;
  return outcome.kind === 'accepted' || outcome.kind === 'rejected' ? outcome : null;
}

function accepted(messageId: string, operator: OperatorConfig, about: { parts: number; now: number }): SendOutcome {
  const reference = answerKey(messageId, operator.messageId);
  return {
    kind: 'accepted',
    // Of an id that names nothing, as one of thousands of characters, nothing is kept.
    providerMessageId: reference === null ? null : messageId,
    reference,
    parts: about.parts,
    tariff: tariffInForce(operator.tariff, about.now),
  };
}
