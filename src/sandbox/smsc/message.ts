// Messages that an SMSC has taken: the record of each, and the bounded store that query_sm and cancel_sm look into. A load test
// sends millions of them, so the store keeps the newest only.

import { BoundedMap } from '../../collections/bounded-map.ts';

/** The words of a receipt's `stat:` (SMPP v3.4 appendix B). */
export type Stat = 'ENROUTE' | 'DELIVRD' | 'EXPIRED' | 'DELETED' | 'UNDELIV' | 'ACCEPTD' | 'UNKNOWN' | 'REJECTD';

/** message_state of SMPP v3.4 section 5.2.28. */
export const messageState: Record<Stat, number> = {
  ENROUTE: 1,
  DELIVRD: 2,
  EXPIRED: 3,
  DELETED: 4,
  UNDELIV: 5,
  ACCEPTD: 6,
  UNKNOWN: 7,
  REJECTD: 8,
};

export function isFinal(stat: Stat): boolean {
  return stat !== 'ENROUTE' && stat !== 'ACCEPTD';
}

export interface Address {
  ton: number;
  npi: number;
  digits: string;
}

export interface Message {
  number: bigint;
  /** As written in the answer to submit_sm. */
  id: string;
  systemId: string;
  from: Address;
  to: Address;
  octets: Buffer;
  text: string;
  registeredDelivery: number;
  /** Milliseconds. */
  submittedAt: number;
  stat: Stat;
  /** When `stat` became so. Milliseconds. */
  changedAt: number;
  /** True once the message is on the phone; `stat` does not show that for a message whose receipt never comes. */
  onPhone: boolean;
}

/** Keeps the newest `limit` messages. */
export class MessageStore {
  readonly #byId: BoundedMap<string, Message>;

  constructor(limit: number) {
    this.#byId = new BoundedMap(limit);
  }

  add(message: Message): void {
    this.#byId.set(message.id, message);
  }

  get(id: string): Message | undefined {
    return this.#byId.get(id);
  }

  /** The newest message to a number (digits without +). This walks the store, so it is for tests and the control call only. */
  newestTo(digits: string): Message | undefined {
    return [...this.#byId.values()].findLast((message) => message.to.digits === digits);
  }
}
