// WhatsApp of one simulated process. Its platform takes a message and reports it delivered, late, or never: what it does not deliver
// in its time it drops without a word. Receipts name our own id beside the platform's, so that not even a lost answer loses them.
import type { CarrierReceipt, Channel, OutgoingMessage, Place, SendOutcome } from '../../src/channels/channel.ts';
import { mostCost } from '../../src/core/money/cost.ts';
import { echoedReference } from '../../src/core/verify/session.ts';
import { reportOf, tariff } from './carrier.ts';
import type { Wire } from './sms-channel.ts';

/** Of the account's own number. No process has it among its routes: what waits for it is in the queue of the platform's. */
export const appRoute = 'whatsapp/1';
/** Of the platform's own number, where the account's has been refused. */
const otherRoute = 'whatsapp/2';
/** How long a delivery is waited for (`appDeliveryMs` of the rules). */
export const appDeliveryMs = 2_000;

export class SimulatedApp implements Channel {
  readonly echoesMessageId = true;
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  plan() {
    return { kind: 'usable', route: appRoute, operator: null, senderId: null } as const;
  }
  canSend(route: string): boolean {
    return route === appRoute || route === otherRoute;
  }
  routes(): string[] {
    return [otherRoute];
  }
  queueOf(): string {
    return otherRoute;
  }
  ratePerSecond(): null {
    return null;
  }
  expectedCost() {
    return mostCost(tariff, 1, 0);
  }

  async reserve(): Promise<Place> {
    return { release: () => {}, send: (message) => this.#send(message) };
  }

  async #send(message: OutgoingMessage): Promise<SendOutcome> {
    const { time, host, random, operators, receipts, taken, heard } = this.#wire;
    const fate = random.weighted({ delivered: 4, dropped: 3, late: 2, refused: 1, answer_lost: 1, sender_refused: 2 });
    if (fate === 'refused') return heard({ kind: 'rejected', reason: 'not_on_app', errorCode: '131026' });
    const afterMs = fate === 'late' ? random.between(2_100, 6_000) : random.between(1, 1_500);
    // From here on what becomes of this process does not change what the platform does.
    time.after(random.next() * 3, null, () => {
      operators.ring(message);
      taken(message);
      const isRefused = fate === 'sender_refused' && message.route === appRoute;
      if (!isRefused) operators.hear(message);
      if (fate === 'dropped') return;
      const statusOf = isRefused ? refusalOf : deliveryOf;
      time.after(afterMs, null, () => receipts(message, statusOf(message, time.clockOf(host))));
    });
    await new Promise<void>((resolve) => setTimeout(resolve, random.between(4, 60)));
    if (fate === 'answer_lost') return heard({ kind: 'unknown', reason: 'connection_lost' });
    return heard(acceptedOf(message));
  }
}

function statusOf(message: OutgoingMessage, receipt: CarrierReceipt['receipt']): CarrierReceipt {
  const accepted = acceptedOf(message);
  const { providerMessageId } = accepted;
  return {
    operator: 'whatsapp',
    references: [providerMessageId, echoedReference(message.route, message.id)],
    number: message.to,
    accepted,
    receipt: { ...receipt, providerMessageId },
  };
}

const deliveryOf = (message: OutgoingMessage, at: number): CarrierReceipt =>
  statusOf(message, reportOf('DELIVRD', at, null));

/** The account's number may not send to anyone: the platform says so after it has taken the message. */
const refusalOf = (message: OutgoingMessage, at: number): CarrierReceipt =>
  statusOf(message, {
    ...reportOf('REJECTD', at, null),
    elsewhere: { route: otherRoute, senderId: 'Ramz' },
  });

/** The platform's answer to a message, which its statuses repeat. */
function acceptedOf({ id }: OutgoingMessage) {
  const theirs = `w-${id}`;
  const appTariff = { ...tariff, charged: 'delivery' } as const;
  return { kind: 'accepted', providerMessageId: theirs, reference: theirs, parts: 1, tariff: appTariff } as const;
}
