// Intake of carriers' receipts: match, save (receipt, message, session, webhooks in one statement), and only then does the channel
// acknowledge. A receipt that matches no message is parked before it is acknowledged.

import type {
  Accepted,
  AnsweredCall,
  CarrierReceipt,
  KnownIntake,
  LateAnswer,
  UnreadableReport,
} from '../../channels/channel.ts';
import { BoundedMap } from '../../collections/small-maps.ts';
import type { AcceptedEvent } from '../../core/verify/event.ts';
import { saysFailed } from '../../core/verify/receipt.ts';
import { isUnstorable } from '../../db/outage.ts';
import type { Found } from '../../db/receipts/receipts.ts';
import { untilStored } from '../../time/repeat.ts';
import { dayMs, elapsedMs, minuteMs } from '../../time/wall-clock.ts';
import { type EngineContext, newId } from '../context.ts';
import type { Applied } from '../sessions/session-line.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { References } from './references.ts';
import type { ParkedReceipt, Parking } from './unmatched.ts';

/**
 * Only after the message with its id and phone has had time to turn up is a receipt taken for the only message with that id to another
 * phone, or for the phone's nameless message. Well before the doubt about that message is acted on (`verify.in_doubt_seconds`).
 */
const guessAfterMs = 1_500;

/** Receipts matched again at once, and batches in one sweep: after an outage there are thousands. */
const batchSize = 200;
const maxRounds = 20;
/** Receipts of the last minute are looked at with every pulse, all that may still match once a minute. */
const youngMs = minuteMs;
/** Older ones match nothing: a reference names its message for 4 days, and a message is at its operator within a day after it was made. */
const matchableMs = 5 * dayMs;

/** Late answers kept while the database is away: some windows' worth, over minutes. */
const maxLateAnswers = 10_000;

/** Receipts parked by this process and waiting for their own submit answer; beyond it the sweep finds them. */
const maxExpected = 10_000;

const answerNotStored =
  "the carrier's late answer could not be stored: it is tried again until the database takes it, look there for the cause";

const receiptUnstorable =
  'a receipt can never be stored as it was read: it is kept unread (operators parked), send its text and this line to the maintainers';

const answeredNotStored =
  'a call was answered and that could not be stored: it is tried again until the database takes it, look there for the cause';

export class Receipts implements KnownIntake {
  readonly #context: EngineContext;
  readonly #sessions: Sessions;
  readonly #references: References;
  readonly #parking: Parking;
  /** `operator reference` of what this process has parked: the answer is likely to come here, milliseconds later. */
  readonly #expected = new BoundedMap<string, { id: string; carrier: CarrierReceipt }>(maxExpected);

  #lookedAtAll = Number.NEGATIVE_INFINITY;
  #lateAnswers = 0;

  constructor(context: EngineContext, sessions: Sessions, references: References, parking: Parking) {
    this.#context = context;
    this.#sessions = sessions;
    this.#references = references;
    this.#parking = parking;
  }

  take(carrier: CarrierReceipt): Promise<void> {
    return this.#readOrKept(carrier, () => this.#take(carrier));
  }

  async #take(carrier: CarrierReceipt): Promise<void> {
    const found = await this.#references.find(carrier);
    if (found) return this.#apply(found, carrier);
    const id = await this.#parking.park(carrier);
    this.#context.observe.receipt?.(carrier, 'parked');
    // The answer may have been stored while the receipt was being parked.
    const late = await this.#references.find(carrier);
    if (late) return this.#unpark(id, late, carrier);
    for (const reference of carrier.references) this.#expected.set(`${carrier.operator} ${reference}`, { id, carrier });
  }

  async takeKnown(carrier: CarrierReceipt): Promise<boolean> {
    const found = await this.#references.find(carrier);
    if (found) await this.#readOrKept(carrier, () => this.#apply(found, carrier));
    return found !== null;
  }

  /** A receipt that the database can never store is kept unread: the carrier would send it again without end. */
  async #readOrKept(carrier: CarrierReceipt, take: () => Promise<void>): Promise<void> {
    try {
      await take();
    } catch (err) {
      if (!isUnstorable(err)) throw err;
      const { operator, receipt } = carrier;
      this.#context.log.error({ err, operator }, receiptUnstorable);
      const { raw, receivedAt } = receipt;
      await this.takeUnreadable({ operator, raw, reason: 'the database can not store it', receivedAt });
    }
  }

  /**
   * For a process that asks: takes a receipt in whose message it found, or that this process has sent. False = the message is not known
   * here, and nothing was done.
   */
  async takeOwn(carrier: CarrierReceipt, found: Found | null): Promise<boolean> {
    const own = found ?? this.#references.recall(carrier);
    if (own) await this.#apply(own, carrier);
    return own !== null;
  }

  async takeUnreadable(report: UnreadableReport): Promise<void> {
    await this.#parking.parkUnreadable(report);
    this.#context.observe.unreadable?.(report.operator);
  }

  /**
   * With a late answer the message's receipts can be matched, and the message is known to be on its way. The answer is kept and tried
   * again while the database is away: a carrier gives its id only once.
   */
  async takeLateAnswer(answer: LateAnswer): Promise<void> {
    const { accountId, sessionId, messageId, operator, outcome } = answer;
    const found = { accountId, id: sessionId, messageId };
    const onError = (err: unknown) =>
      this.#context.log.error({ err, session_id: sessionId, message_id: messageId }, answerNotStored);
    if (this.#lateAnswers >= maxLateAnswers) throw new Error(`${maxLateAnswers} late answers wait for the database`);
    this.#lateAnswers += 1;
    try {
      await untilStored(async () => {
        if (outcome.kind === 'rejected') await this.#sessions.apply(found, { ...outcome, messageId });
        else await this.#accept(found, operator, outcome);
      }, onError);
    } finally {
      this.#lateAnswers -= 1;
    }
    if (outcome.kind === 'rejected') return;
    if (outcome.reference !== null) await this.takeEarly(operator, outcome.reference);
  }

  /** Tried again while the database is away: the leg of a call that was answered would end in the middle of it. */
  async takeAnswered({ accountId, sessionId, messageId, call, holdUntil, accepted }: AnsweredCall): Promise<void> {
    const found = { accountId, id: sessionId, messageId };
    const onError = (err: unknown) =>
      this.#context.log.error({ err, session_id: sessionId, message_id: messageId }, answeredNotStored);
    await untilStored(async () => {
      // The message is filed since before the call was made.
      if (accepted && !this.#isSubmitted(found)) await this.#accept(found, '', { ...accepted, reference: null });
      await this.#sessions.apply(found, { kind: 'answered', messageId, call, holdUntil });
    }, onError);
  }

  /** Whether the message is submitted as far as this process knows; a submitted message stays so. */
  #isSubmitted({ id, messageId }: Found): boolean {
    const message = this.#sessions.seen(id)?.messages.find((each) => each.id === messageId);
    return message !== undefined && message.submittedAt !== null;
  }

  /** Changes nothing where the answer has been stored already. */
  async #accept(
    found: Found,
    operator: string,
    accepted: Accepted,
    how: Pick<AcceptedEvent, 'reported' | 'failed'> = {},
  ): Promise<void> {
    const { messageId } = found;
    const { reference, ...answer } = accepted;
    await this.#sessions.apply(
      found,
      { ...answer, messageId, ...how },
      reference === null ? {} : { reference: { messageId, operator, reference } },
    );
  }

  /** A submit answer brought a message's reference: the receipt that came before it is taken in now, if its phone is the message's, too. */
  async takeEarly(operator: string, reference: string): Promise<void> {
    const early = this.#expected.get(`${operator} ${reference}`);
    if (!early) return;
    for (const each of early.carrier.references) this.#expected.delete(`${operator} ${each}`);
    const found = await this.#references.findParked(early.carrier);
    if (found) await this.#unpark(early.id, found, early.carrier);
  }

  /**
   * Matches parked receipts again: those of the last minute, and once a minute all that may still match. Returns how many were taken in.
   * @param youngestMs how long the youngest of them has waited; null = there are none.
   */
  async retryParked(youngestMs: number | null = 0): Promise<number> {
    const at = this.#context.now();
    const all = elapsedMs(this.#lookedAtAll, at) >= youngMs;
    if (youngestMs === null || (!all && youngestMs > youngMs)) return 0;
    if (all) this.#lookedAtAll = at;
    const withinMs = all ? matchableMs : youngMs;
    let taken = 0;
    for (let round = 0; round < maxRounds; round += 1) {
      const matchable = await this.#parking.matchable(batchSize, guessAfterMs, withinMs);
      // All at once: finding and saving are batched.
      const results = await Promise.all(matchable.map((parked) => this.#retry(parked)));
      const done = results.filter(Boolean).length;
      taken += done;
      if (matchable.length < batchSize || done === 0) break;
    }
    return taken;
  }

  async #retry({ id, carrier }: ParkedReceipt): Promise<boolean> {
    // No guesses on the word of any phone.
    const found =
      (await this.#references.findParked(carrier)) ??
      (carrier.unmarked ? null : await this.#references.findInDoubt(carrier));
    if (found) await this.#unpark(id, found, carrier);
    return found !== null;
  }

  /** In this order: a crash in between takes the receipt in again, which changes nothing. */
  async #unpark(id: string, found: Found, carrier: CarrierReceipt): Promise<void> {
    await this.#apply(found, carrier);
    await this.#parking.remove([id]);
  }

  async #apply(found: Found, carrier: CarrierReceipt): Promise<void> {
    // The answer first, and the receipt only once it is stored: without the answer's tariff its webhook would have no
    // price, and no second one follows.
    if (carrier.accepted && !this.#isSubmitted(found))
      await this.#accept(found, carrier.operator, carrier.accepted, {
        reported: true,
        failed: saysFailed(carrier.receipt),
      });
    const { messageId, id } = found;
    const applied: Applied = await this.#sessions.apply(
      found,
      {
        kind: 'receipt',
        messageId,
        receipt: carrier.receipt,
        receiptId: newId(this.#context, 'rcp_', id),
        ...(carrier.unmarked ? { unmarked: true } : {}),
      },
      { patient: 'briefly' },
    );
    const changed = applied.kind === 'applied' && applied.outcome.kind === 'done';
    this.#context.observe.receipt?.(carrier, changed ? 'applied' : 'repeated');
  }
}
