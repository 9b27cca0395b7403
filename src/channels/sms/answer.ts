// What an operator's answer to submit_sm means for the message.

import type { OperatorConfig } from '../../config.ts';
import { type Tariff, tariffAt } from '../../core/money/cost.ts';
import { answerKey, commandStatus, type MessageIdRule, statusMeaning, statusName } from '../../smpp/index.ts';
import type { SendOutcome } from '../channel.ts';

export type AnswerMeaning =
  | { kind: 'final'; outcome: SendOutcome }
  /** Not taken, and may be asked again: later, or on another bind. */
  | { kind: 'again' }
  /** validity_period in this form is not understood (0x62): once more in the fallback form. */
  | { kind: 'other_validity' };

/** An SMSC that says so about the source address means the sender name (SMPP v3.4 section 5.1.3). */
const senderRefused: readonly number[] = [commandStatus.RINVSRCADR, commandStatus.RINVSRCTON, commandStatus.RINVSRCNPI];

export interface Answered {
  status: number;
  messageId: string;
}

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
    tariff: tariffFor(operator, about.now),
  };
}

/** The operator's rate card of that time; null where it has none yet. */
export function tariffFor(operator: OperatorConfig, now: number): Tariff | null {
  const cards = operator.tariff.map(({ version, validFrom, currency, amount, charged }) => ({
    version,
    currency,
    charged,
    amountPerPart: amount,
    validFrom: Date.parse(validFrom),
  }));
  return tariffAt(cards, now) ?? null;
}
