// WhatsApp of one simulated process. Its platform takes a message and reports it delivered, late, or never: what it does not deliver
// in its time it drops without a word. Receipts name our own id beside the platform's, so that not even a lost answer loses them.
import type { CarrierReceipt, Channel, OutgoingMessage, Place, SendOutcome } from '../../src/channels/channel.ts';
import { mostCost } from '../../src/core/money/cost.ts';
import { echoedReference } from '../../src/core/verify/session.ts';
import { receiptOf, tariff } from './carrier.ts';
import type { Wire } from './sms-channel.ts';

const appRoute = 'whatsapp/1';
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
    return route === appRoute;
  }
  routes(): string[] {
    return [appRoute];
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
    const { time, host, random, operator, receipts, taken, heard } = this.#wire;
    const fate = random.weighted({ delivered: 4, dropped: 3, late: 2, refused: 1, answer_lost: 1 });
    if (fate === 'refused') return heard({ kind: 'rejected', reason: 'not_on_app', errorCode: '131026' });
    const afterMs = fate === 'late' ? random.between(2_100, 6_000) : random.between(1, 1_500);
    // From here on what becomes of this process does not change what the platform does.
    time.after(random.next() * 3, null, () => {
      operator.ring(message);
      operator.hear(message);
      taken(message);
      if (fate === 'dropped') return;
      time.after(afterMs, null, () => receipts(message, this.#statusOf(message, time.clockOf(host))));
    });
    await new Promise<void>((resolve) => setTimeout(resolve, random.between(4, 60)));
    if (fate === 'answer_lost') return heard({ kind: 'unknown', reason: 'connection_lost' });
    return heard(acceptedOf(message));
  }

  #statusOf(message: OutgoingMessage, at: number): CarrierReceipt {
    const accepted = acceptedOf(message);
    const { providerMessageId } = accepted;
    const { receipt } = receiptOf(message, 'DELIVRD', at);
    return {
      operator: 'whatsapp',
      references: [providerMessageId, echoedReference(appRoute, message.id)],
      number: message.to,
      accepted,
      receipt: { ...receipt, providerMessageId },
    };
  }
}

/** The platform's answer to a message, which its statuses repeat. */
function acceptedOf({ id }: OutgoingMessage) {
  const theirs = `w-${id}`;
  const appTariff = { ...tariff, charged: 'delivery' } as const;
  return { kind: 'accepted', providerMessageId: theirs, reference: theirs, parts: 1, tariff: appTariff } as const;
}
