// The operators and the phones: what each message meets is drawn when it arrives. An operator counts every message that reached it, names it by an
// id of its own, gives receipts until they are acknowledged, and the phone keeps the codes that it was sent.
import type { CarrierReceipt, OutgoingMessage, SendOutcome } from '../../src/channels/channel.ts';
import type { ReceiptStatus } from '../../src/core/verify/session.ts';
import type { Random } from './random.ts';
import type { Settings } from './schedule.ts';

/** Each with the beginning of its numbers. */
const prefixes = { atlas: '+21355', sahara: '+21366' } as const;

export type OperatorId = keyof typeof prefixes;
export const operatorIds = Object.keys(prefixes) as OperatorId[];

export const prefixOf = (operator: OperatorId): string => prefixes[operator];
export const smsRouteOf = (operator: string): string => `sms/${operator}`;

export function operatorOf(number: string): OperatorId {
  const found = operatorIds.find((id) => number.startsWith(prefixes[id]));
  if (!found) throw new Error(`${number} is no operator's`);
  return found;
}

export const tariff = {
  currency: 'DZD',
  amountPerPart: '2.50',
  charged: 'submit',
  version: '1',
  validFrom: 0,
} as const;

/** What the operator does with a submit. */
export interface Fate {
  outcome: SendOutcome;
  /** Until the answer is written, ms; null = never. */
  answerMs: number | null;
  /** Whether the message goes on to the phone. */
  isTaken: boolean;
  /** Receipts: how long after the submit, and with which status. */
  receipts: { afterMs: number; status: ReceiptStatus }[];
}

export interface OnPhone {
  code: string;
  sessionId: string;
  messageId: string;
}

export class Operators {
  readonly #random: Random;
  readonly #trouble: number;
  readonly #slowestAnswerMs: number;
  /** The id that the operator gave each message, by ours. Each operator counts its own: two messages have the same where their operators differ. */
  readonly #references = new Map<string, string>();
  readonly #given = new Map<OperatorId, number>();
  /** How often each message was taken, by its id. */
  readonly taken = new Map<string, number>();
  /** Those that have no bind up, of no process, and take none. */
  readonly down = new Set<string>();
  /** Codes on each phone, oldest first. */
  readonly phones = new Map<string, OnPhone[]>();

  constructor(
    random: Random,
    { carrierTrouble, slowestAnswerMs }: Pick<Settings, 'carrierTrouble' | 'slowestAnswerMs'>,
  ) {
    this.#random = random;
    this.#trouble = carrierTrouble;
    this.#slowestAnswerMs = slowestAnswerMs;
  }

  submit(message: OutgoingMessage): Fate {
    const random = this.#random;
    const fate = random.chance(this.#trouble) ? this.#troubled(message) : this.#plain(message);
    if (fate.isTaken) {
      this.ring(message);
      this.hear(message);
    }
    return fate;
  }

  /** The message is under way to the phone, by its carrier. */
  ring({ id }: OutgoingMessage): void {
    this.taken.set(id, (this.taken.get(id) ?? 0) + 1);
  }

  /** The person knows the code. */
  hear({ to, code, sessionId, id: messageId }: OutgoingMessage): void {
    const phone = this.phones.get(to) ?? [];
    phone.push({ code, sessionId, messageId });
    this.phones.set(to, phone);
  }

  /** @throws for a message that is not for a phone of an operator. */
  receipt(message: OutgoingMessage, status: ReceiptStatus, at: number): CarrierReceipt {
    const reference = this.#referenceOf(message);
    const operator = operatorOf(message.to);
    return { operator, references: [reference], number: message.to, receipt: reportOf(status, at, reference) };
  }

  #referenceOf({ id, to }: OutgoingMessage): string {
    const known = this.#references.get(id);
    if (known !== undefined) return known;
    const operator = operatorOf(to);
    const count = (this.#given.get(operator) ?? 0) + 1;
    this.#given.set(operator, count);
    this.#references.set(id, String(count));
    return String(count);
  }

  #plain(message: OutgoingMessage): Fate {
    const answerMs = this.#random.between(1, this.#slowestAnswerMs);
    return {
      outcome: accepted(this.#referenceOf(message)),
      answerMs,
      isTaken: true,
      receipts: [{ afterMs: answerMs + this.#random.between(1, 1_500), status: 'DELIVRD' }],
    };
  }

  #troubled(message: OutgoingMessage): Fate {
    const random = this.#random;
    const plain = this.#plain(message);
    const [receipt] = plain.receipts;
    const kind = random.weighted({
      rejected: 1,
      not_taken: 1,
      put_off: 3,
      sender_refused: 1,
      answer_lost: 4,
      answer_late: 3,
      nameless: 2,
      early_receipt: 3,
      twice: 2,
      undelivered: 2,
      silent: 2,
      late_receipt: 2,
    });
    const refused = (outcome: SendOutcome): Fate => ({ ...plain, outcome, isTaken: false, receipts: [] });
    switch (kind) {
      case 'rejected':
        return refused({ kind: 'rejected', reason: 'submit_refused', errorCode: '11' });
      case 'not_taken':
        return refused({ kind: 'not_sent', reason: 'no_bind' });
      // ESME_RTHROTTLED.
      case 'put_off':
        return refused({ kind: 'not_sent', reason: 'not_now', busy: '88' });
      case 'sender_refused':
        return refused({ kind: 'sender_refused', fallback: 'Ramz', errorCode: '15' });
      case 'answer_lost':
        return { ...plain, answerMs: null };
      case 'answer_late':
        return { ...plain, answerMs: random.between(2_500, 6_000) };
      case 'nameless':
        return { ...plain, outcome: accepted(null) };
      case 'early_receipt':
        return { ...plain, answerMs: random.between(300, 1_500), receipts: [{ afterMs: 5, status: 'DELIVRD' }] };
      case 'twice':
        return { ...plain, receipts: [...plain.receipts, ...plain.receipts] };
      case 'undelivered':
        return { ...plain, receipts: [{ afterMs: receipt?.afterMs ?? 0, status: 'UNDELIV' }] };
      case 'silent':
        return { ...plain, receipts: [] };
      case 'late_receipt':
        return { ...plain, receipts: [{ afterMs: random.between(3_200, 6_000), status: 'DELIVRD' }] };
    }
  }
}

const accepted = (reference: string | null): SendOutcome => ({
  kind: 'accepted',
  providerMessageId: reference,
  reference,
  parts: 1,
  tariff,
});

/** What a receipt says. */
export const reportOf = (
  status: ReceiptStatus,
  at: number,
  providerMessageId: string | null,
): CarrierReceipt['receipt'] => ({
  status,
  providerStatus: null,
  detail: null,
  errorCode: '000',
  operatorAmount: null,
  raw: `stat:${status}`,
  operatorTimestamp: at,
  receivedAt: at,
  providerMessageId,
});
