// References of sent messages: the message that a carrier's receipt is about is found among this process's latest sends, else in the
// database. A receipt that comes back to the process that sent its message costs no statement.

import type { CarrierReceipt } from '../../channels/channel.ts';
import { BoundedMap } from '../../collections/small-maps.ts';
import type { CellMap } from '../../core/fleet/cells.ts';
import type { Session } from '../../core/verify/session.ts';
import { type LaneOptions, Lanes } from '../../db/batch.ts';
import type { SessionStore } from '../../db/engine-store.ts';
import {
  anyMessage,
  cellsOfReceipt,
  type Found,
  madeBefore,
  numberReference,
  type WantedReferences,
} from '../../db/receipts/receipts.ts';

/** The reference by which a carrier's receipts will name a message. */
export interface Filed {
  messageId: string;
  operator: string;
  reference: string;
}

/** What a receipt says of its message. */
type Named = Pick<CarrierReceipt, 'operator' | 'references' | 'number'>;

/** Sends remembered: enough for the receipts of the next seconds at full load. */
const maxRecent = 50_000;

export class References {
  readonly #recent = new BoundedMap<string, Found & { number: string }>(maxRecent);
  readonly #lanes: Lanes<WantedReferences, Found | null>;

  constructor(db: SessionStore, cells: CellMap, { now = Date.now, ...options }: Omit<LaneOptions, 'name'> = {}) {
    // Those that may be in the same cells share a lane, for a batch waits for all of its cells; and what may be in any cell has one of its own.
    const cellsOf = ({ number, inDoubt }: WantedReferences) =>
      number === null || inDoubt ? '' : cellsOfReceipt(cells, number, now()).join(' ');
    this.#lanes = new Lanes(cellsOf, (items) => db.findReferences(items), { ...options, now, name: 'references' });
  }

  remember(operator: string, reference: string, found: Found & { number: string }): void {
    this.#recent.set(`${operator} ${reference}`, found);
  }

  /** The reference that a message of the session is filed under. */
  rememberFiled({ accountId, id, to }: Session, { messageId, operator, reference }: Filed): void {
    this.remember(operator, reference, { accountId, id, messageId, number: to });
  }

  /**
   * The only message with its id, whichever phone the receipt names; else the message filed under its phone alone. For parked receipts whose
   * own message had time to turn up.
   */
  async findInDoubt(carrier: CarrierReceipt): Promise<Found | null> {
    const before = madeBefore(carrier.receipt.receivedAt);
    const only = await this.#findLikeliest(carrier, { inDoubt: true, before });
    const { operator, number } = carrier;
    if (only || number === null) return only;
    return this.#lanes.push({ operator, references: [numberReference(number)], number, inDoubt: false, before });
  }

  /**
   * Among this process's latest sends. Without a phone only the likeliest reading of the id is looked up: the message that a less likely one
   * names may be here, and the one that is meant may be another process's.
   */
  recall({ operator, references, number }: Named, before = anyMessage): Found | null {
    for (const reference of number === null ? references.slice(0, 1) : references) {
      const recent = this.#recent.get(`${operator} ${reference}`);
      if (!recent || (number !== null && recent.number !== number)) continue;
      const { accountId, id, messageId } = recent;
      if (messageId >= before) continue;
      return { accountId, id, messageId };
    }
    return null;
  }

  /** For a receipt that has just come: all messages there are were made before it, however far apart the clocks are. */
  find(carrier: CarrierReceipt): Promise<Found | null> {
    return this.#find(carrier, anyMessage);
  }

  findParked(carrier: CarrierReceipt): Promise<Found | null> {
    return this.#find(carrier, madeBefore(carrier.receipt.receivedAt));
  }

  async #find(carrier: CarrierReceipt, before: string): Promise<Found | null> {
    const recent = this.recall(carrier, before);
    if (recent) return recent;
    const { operator, references, number } = carrier;
    if (number === null) return this.#findLikeliest(carrier, { inDoubt: false, before });
    return references.length === 0 ? null : this.#lanes.push({ operator, references, number, inDoubt: false, before });
  }

  /**
   * The message of the likeliest reading of the id that names one. Where an operator answers in hex and reports in decimal, `100` is the message
   * 0x64, and also the later message 0x100; where no phone decides between them, the newer one would be wrong.
   */
  async #findLikeliest(
    { operator, references, number }: Named,
    how: Pick<WantedReferences, 'inDoubt' | 'before'>,
  ): Promise<Found | null> {
    for (const reference of references) {
      const wanted = { operator, references: [reference], number };
      const found = this.recall(wanted, how.before) ?? (await this.#lanes.push({ ...wanted, ...how }));
      if (found) return found;
    }
    return null;
  }
}
