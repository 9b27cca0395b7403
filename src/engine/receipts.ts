// The way of a carrier's receipt: match, save (receipt, message, session, webhooks in one statement), and only then does
// the channel acknowledge it. What matches nothing is parked first.

import type { Accepted, CarrierReceipt, LateAnswer, ReceiptIntake, UnreadableReport } from '../channels/channel.ts';
import type { ParkedReceipt, Parking } from './parking.ts';
import type { Found, References } from './references.ts';
import type { Applied, Sessions } from './sessions.ts';

export interface ReceiptsOptions {
  sessions: Pick<Sessions, 'apply'>;
  references: References;
  parking: Parking;
  newReceiptId(accountId: string): string;
  /** Told of every receipt, for the metrics. */
  observe?(receipt: CarrierReceipt, result: 'applied' | 'repeated' | 'parked' | 'unreadable'): void;
}

/** A receipt with an id nobody knows is taken for the phone's nameless message only after its own message had time to turn up. */
const guessAfterMs = 3_000;

/** Receipts matched again at once, and batches in one sweep: after an outage there are thousands. */
const batchSize = 200;
const maxRounds = 20;
/** A sweep a second looks at the young; one in sixty at all. */
const youngMs = 60_000;
const allMs = 366 * 86_400_000;
const sweepsPerLookAtAll = 60;

/** Receipts parked by this process and waiting for their own submit answer; beyond it the sweep finds them. */
const maxExpected = 10_000;

export class Receipts implements ReceiptIntake {
  readonly #options: ReceiptsOptions;
  /** `operator reference` of what this process has parked: the answer is likely to come here, milliseconds later. */
  readonly #expected = new Map<string, { id: string; carrier: CarrierReceipt }>();

  #sweeps = 0;

  constructor(options: ReceiptsOptions) {
    this.#options = options;
  }

  async take(carrier: CarrierReceipt): Promise<void> {
    const found = await this.#options.references.find(carrier);
    if (found) return this.#apply(found, carrier);
    const id = await this.#options.parking.park(carrier);
    this.#options.observe?.(carrier, 'parked');
    // The answer may have been stored while we were parking.
    const late = await this.#options.references.find(carrier);
    if (late) return this.#unpark(id, late, carrier);
    for (const reference of carrier.references) this.#expected.set(`${carrier.operator} ${reference}`, { id, carrier });
    // The oldest first: receipts that are nobody's must not take the places for ever.
    for (const oldest of this.#expected.keys()) {
      if (this.#expected.size <= maxExpected) break;
      this.#expected.delete(oldest);
    }
  }

  async takeUnreadable(report: UnreadableReport): Promise<void> {
    await this.#options.parking.parkUnreadable(report);
  }

  /** Its receipts can be matched now, and the message is known to be on its way. */
  async takeLateAnswer({ accountId, sessionId, messageId, operator, outcome }: LateAnswer): Promise<void> {
    const found = { accountId, id: sessionId, messageId };
    if (outcome.kind === 'rejected') {
      await this.#options.sessions.apply(found, { ...outcome, messageId });
      return;
    }
    await this.#accept(found, operator, outcome);
    if (outcome.reference !== null) await this.expect(operator, outcome.reference, found);
  }

  /** Changes nothing where the answer has been stored already. */
  async #accept(found: Found, operator: string, accepted: Accepted): Promise<void> {
    const { messageId } = found;
    const { providerMessageId, parts, tariff, reference } = accepted;
    await this.#options.sessions.apply(
      found,
      { kind: 'accepted', messageId, providerMessageId, parts, tariff },
      reference === null ? {} : { reference: { messageId, operator, reference } },
    );
  }

  /** A submit answer told the message's reference: receipts that came before it are taken in now. */
  async expect(operator: string, reference: string, found: Found): Promise<void> {
    const early = this.#expected.get(`${operator} ${reference}`);
    if (!early) return;
    for (const each of early.carrier.references) this.#expected.delete(`${operator} ${each}`);
    await this.#unpark(early.id, found, early.carrier);
  }

  /**
   * Matches parked receipts again; for the sweep. Looks at those of the last minute, once a minute at all. Returns how many
   * were taken in.
   */
  async retryParked(): Promise<number> {
    const { parking } = this.#options;
    const withinMs = this.#sweeps % sweepsPerLookAtAll === 0 ? allMs : youngMs;
    this.#sweeps += 1;
    let taken = 0;
    for (let round = 0; round < maxRounds; round += 1) {
      const matchable = await parking.matchable(batchSize, guessAfterMs, withinMs);
      // All at once: finding and saving are batched.
      const results = await Promise.all(matchable.map((parked) => this.#retry(parked)));
      const done = results.filter(Boolean).length;
      taken += done;
      if (matchable.length < batchSize || done === 0) break;
    }
    return taken;
  }

  async #retry({ id, carrier }: ParkedReceipt): Promise<boolean> {
    const { references } = this.#options;
    const found = (await references.find(carrier)) ?? (await references.findByNumber(carrier));
    if (found) await this.#unpark(id, found, carrier);
    return found !== null;
  }

  /** In this order: a crash in between takes the receipt in again, which changes nothing. */
  async #unpark(id: string, found: Found, carrier: CarrierReceipt): Promise<void> {
    await this.#apply(found, carrier);
    await this.#options.parking.remove([id]);
  }

  async #apply(found: Found, carrier: CarrierReceipt): Promise<void> {
    // Together, so that they are saved together.
    const accepting = carrier.accepted && this.#accept(found, carrier.operator, carrier.accepted);
    const applying: Promise<Applied> = this.#options.sessions.apply(found, {
      kind: 'receipt',
      messageId: found.messageId,
      receipt: carrier.receipt,
      receiptId: this.#options.newReceiptId(found.accountId),
    });
    const [applied] = await Promise.all([applying, accepting]);
    const changed = applied.kind === 'applied' && applied.outcome.kind === 'done';
    this.#options.observe?.(carrier, changed ? 'applied' : 'repeated');
  }
}
