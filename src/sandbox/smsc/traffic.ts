// The message traffic of an SMSC: it takes or refuses messages, plays the scenario of the number, writes receipts, and answers
// query_sm and cancel_sm. It knows no bind state: binds and connections are in smsc.ts.

import { defaultScenario, type SmsReceiptScript, type SmsScript, scenarioOf } from '../../core/verify/scenarios.ts';
import { type Clock, Schedule } from '../clock.ts';
import type { Inbox } from '../inbox.ts';
import type { SmscProfile } from '../operators.ts';
import { type Pdu, status } from './codec.ts';
import type { Delivery } from './delivery.ts';
import { Answers, type Faults } from './faults.ts';
import type { Link } from './link.ts';
import {
  idNumbers,
  isFinal,
  type Message,
  MessageStore,
  messageState,
  type ReceiptWriter,
  receiptWriter,
  type Stat,
} from './receipt.ts';
import { judge } from './submit.ts';

export interface TrafficOptions {
  profile: SmscProfile;
  /** Prefix of the scenario numbers; null = there are none here. */
  scenarioPrefix: string | null;
  /** From submit to receipt, instead of the scenario table's. Milliseconds. */
  deliverDelayMs?: number | undefined;
  /** From submit to a receipt that comes after the leg's timeout, instead of the table's. Milliseconds. */
  lateReceiptMs?: number | undefined;
  clock: Clock;
  inbox: Inbox;
  delivery: Delivery;
  faults: Faults;
}

type Verdict =
  | { kind: 'taken'; text: string; octets: Buffer; receipt: SmsReceiptScript | 'none' | 'lost' }
  | { kind: 'refused'; commandStatus: number };

/** From the early receipt to the answer: long enough that a client has read the receipt before. */
const EARLY_BY_MS = 50;
const KEPT_MESSAGES = 50_000;
const MAX_THROTTLED = 1000;

export class Traffic {
  readonly counts = { submits: 0, accepted: 0, refused: 0, receipts: 0 };
  readonly #options: TrafficOptions;
  readonly #messages = new MessageStore(KEPT_MESSAGES);
  readonly #nextNumber: () => bigint;
  readonly #writeReceipt: ReceiptWriter;
  readonly #throttled = new Set<string>();
  readonly #answers: Answers;
  readonly #schedule: Schedule;

  constructor(options: TrafficOptions) {
    this.#options = options;
    this.#answers = new Answers(options.faults, options.clock);
    this.#schedule = new Schedule(options.clock);
    this.#nextNumber = idNumbers(options.clock.now());
    this.#writeReceipt = receiptWriter(options.profile.receipt);
  }

  /** submit_sm: answered now, later or never, as the scenario and the faults have it. */
  submit(link: Link, pdu: Pdu): void {
    this.counts.submits += 1;
    const verdict = this.#judge(pdu);
    if (verdict.kind === 'refused') {
      this.counts.refused += 1;
      this.#answers.send(link, pdu, { command_status: verdict.commandStatus });
      return;
    }
    const message = this.#take(link, pdu, verdict);
    this.#play(link, pdu, message, verdict.receipt);
  }

  /** cancel_sm: a message that is still under way is deleted, and its receipt says so (SMPP v3.4 section 4.9). Returns the answer. */
  cancel(pdu: Pdu): Record<string, unknown> {
    const message = this.#messages.get(pdu.message_id);
    if (!message) return { command_status: status.invalidMessageId };
    if (isFinal(message.stat) || message.onPhone) return { command_status: status.cancelFailed };
    this.#schedule.forget(message);
    this.#settle(message, 'DELETED', '000');
    return {};
  }

  /** query_sm (SMPP v3.4 section 4.8). Returns the answer. */
  query(pdu: Pdu): Record<string, unknown> {
    const message = this.#messages.get(pdu.message_id);
    if (!message) return { command_status: status.queryFailed };
    return {
      message_id: message.id,
      final_date: isFinal(message.stat) ? new Date(message.changedAt) : '',
      message_state: messageState[message.stat],
      error_code: 0,
    };
  }

  /** Sends an unsolicited receipt about the message with this id (as answered), or the newest to this number. False = no such message. */
  sendReceipt(about: { id: string } | { to: string }, stat: Stat, err = '000'): boolean {
    const message =
      'id' in about ? this.#messages.get(about.id) : this.#messages.newestTo(about.to.trim().replace(/^\+/, ''));
    if (!message) return false;
    this.#schedule.forget(message);
    this.#settle(message, stat, err);
    return true;
  }

  /** Sends the answers that were held while `faults.answersPaused`. */
  releaseAnswers(): void {
    this.#answers.release();
  }

  stop(): void {
    this.#answers.stop();
    this.#schedule.stop();
  }

  #judge(pdu: Pdu): Verdict {
    const { profile, clock, faults } = this.#options;
    const refused = (commandStatus: number): Verdict => ({ kind: 'refused', commandStatus });
    const injected = faults.takeRefusal();
    if (injected !== null) return refused(injected);
    if (faults.refusedSenders.has(pdu.source_addr)) return refused(status.invalidSource);
    const judgement = judge(pdu, profile, clock.now());
    if (judgement.kind === 'refused') return judgement;
    if (faults.mood === 'silent') return { ...judgement, receipt: 'lost' };
    const script = this.#scriptFor(`+${pdu.destination_addr}`);
    if (script.answer === 'reject') return refused(status.invalidDestination);
    if (script.answer === 'throttle_then_accept' && this.#throttlesNow(pdu.destination_addr)) {
      return refused(status.throttled);
    }
    return { ...judgement, receipt: script.receipt };
  }

  #scriptFor(e164: string): SmsScript {
    const { scenarioPrefix } = this.#options;
    const scenario = scenarioPrefix === null ? undefined : scenarioOf(e164, scenarioPrefix);
    return (scenario ?? defaultScenario).sms;
  }

  /** The first of two is throttled, so that every session to such a number meets it. */
  #throttlesNow(digits: string): boolean {
    if (this.#throttled.delete(digits)) return false;
    if (this.#throttled.size >= MAX_THROTTLED) this.#throttled.clear();
    this.#throttled.add(digits);
    return true;
  }

  #take(link: Link, pdu: Pdu, { text, octets }: { text: string; octets: Buffer }): Message {
    const { profile, clock } = this.#options;
    const number = this.#nextNumber();
    const message: Message = {
      number,
      id: profile.receipt.ids.inAnswer(number),
      systemId: link.bound?.systemId ?? profile.systemId,
      from: { ton: pdu.source_addr_ton, npi: pdu.source_addr_npi, digits: pdu.source_addr },
      to: { ton: pdu.dest_addr_ton, npi: pdu.dest_addr_npi, digits: pdu.destination_addr },
      octets: Buffer.from(octets.subarray(0, 20)), // A view would keep the whole network buffer alive.
      text,
      registeredDelivery: pdu.registered_delivery,
      submittedAt: clock.now(),
      stat: 'ENROUTE',
      changedAt: clock.now(),
      onPhone: false,
    };
    this.#messages.add(message);
    this.counts.accepted += 1;
    return message;
  }

  #play(link: Link, pdu: Pdu, message: Message, receipt: SmsReceiptScript | 'none' | 'lost'): void {
    const answer = () => this.#answers.send(link, pdu, { message_id: message.id });
    const { profile, faults } = this.#options;
    const { errors } = profile.receipt;
    if (receipt === 'lost') {
      answer();
      return;
    }
    if (receipt === 'none') {
      this.#putOnPhone(message); // The message is delivered; only its receipt never comes.
      answer();
      return;
    }
    const settle = () => {
      // What is under way when the SMSC falls silent is lost, too.
      if (faults.mood !== 'silent') this.#settle(message, receipt.status, errors[receipt.status] ?? receipt.errorCode);
    };
    if (receipt.when === 'before_answer') {
      this.#schedule.later(message, this.#delayOf(receipt), () => {
        settle();
        this.#schedule.later(pdu, EARLY_BY_MS, answer);
      });
      return;
    }
    answer();
    if (message.registeredDelivery & 0x10) this.#report(message, 'ENROUTE', '000');
    this.#schedule.later(message, this.#delayOf(receipt), settle);
  }

  #delayOf({ when, delayMs }: SmsReceiptScript): number {
    const { deliverDelayMs, lateReceiptMs } = this.#options;
    return (when === 'after_timeout' ? lateReceiptMs : deliverDelayMs) ?? delayMs;
  }

  #settle(message: Message, stat: Stat, err: string): void {
    message.stat = stat;
    message.changedAt = this.#options.clock.now();
    if (stat === 'DELIVRD') this.#putOnPhone(message);
    if (wantsReceipt(message.registeredDelivery, stat)) this.#report(message, stat, err);
  }

  /** Puts the message on the phone before its receipt is written, so that a reader of "delivered" finds it there; at most once. */
  #putOnPhone(message: Message): void {
    if (message.onPhone) return;
    message.onPhone = true;
    const { profile, clock, inbox } = this.#options;
    inbox.add({
      channel: 'sms',
      from: message.from.digits,
      to: `+${message.to.digits}`,
      text: message.text,
      operator: profile.id,
      received_at: new Date(clock.now()).toISOString(),
    });
  }

  #report(message: Message, stat: Stat, err: string): void {
    const { delivery, faults, clock } = this.#options;
    const receipt = this.#writeReceipt(message, { stat, err, doneAt: clock.now() });
    for (let copy = 0; copy < faults.receiptCopies; copy += 1) {
      this.counts.receipts += 1;
      delivery.add({ systemId: message.systemId, ...receipt, attempts: 0 });
    }
  }
}

/** registered_delivery, bits 1-0 (SMPP v3.4 section 5.2.17): 1 = every final outcome, 2 = failures only. 3 is version 5: success only. */
function wantsReceipt(registeredDelivery: number, stat: Stat): boolean {
  const wanted = registeredDelivery & 0x03;
  if (!isFinal(stat)) return wanted !== 0;
  return wanted === 1 || (wanted === 2 && stat !== 'DELIVRD') || (wanted === 3 && stat === 'DELIVRD');
}
