// SMS of one simulated process: a line to each operator, over the binds that the process's slots allow.
import type {
  Binds,
  CarrierReceipt,
  Channel,
  OutgoingMessage,
  Place,
  PlanRequest,
  ReceiptIntake,
  SendOutcome,
} from '../../src/channels/channel.ts';
import { mostCost } from '../../src/core/money/cost.ts';
import type { Plan } from '../../src/core/verify/event.ts';
import { type Operators, operatorIds, operatorOf, smsRouteOf, tariff } from './carrier.ts';
import type { Random } from './random.ts';
import { SmsLine } from './sms-line.ts';
import type { Host, VirtualTime } from './time.ts';

/** What the channels may do outside of their process. */
export interface Wire {
  time: VirtualTime;
  host: Host;
  random: Random;
  operators: Operators;
  intake(): ReceiptIntake;
  /** Hands a receipt to the operator's side, which gives it to some bound process until it is acknowledged. */
  receipts(message: OutgoingMessage, receipt: CarrierReceipt): void;
  /** How long the answer to a submit is waited for. */
  answerTimeoutMs: number;
  /** A message was taken by its carrier. */
  taken(message: OutgoingMessage): void;
  /** Changes what the dispatcher hears; for the mutant that submits again. */
  heard(outcome: SendOutcome): SendOutcome;
}

export class SimulatedSms implements Channel, Binds {
  /** By route. */
  readonly #lines = new Map<string, SmsLine>();

  constructor(wire: Wire) {
    for (const operator of operatorIds) {
      const line = new SmsLine(operator, wire);
      this.#lines.set(line.route, line);
    }
  }

  plan({ to }: Pick<PlanRequest, 'to'>): Plan {
    const operator = operatorOf(to);
    return { kind: 'usable', route: smsRouteOf(operator), operator, senderId: 'Bank' };
  }
  canSend(route: string): boolean {
    return this.#lines.get(route)?.isUp ?? false;
  }
  routes(): string[] {
    return [...this.#lines.keys()].filter((route) => this.canSend(route));
  }
  ratePerSecond(route: string): number {
    return 50 * this.#line(route).slots.length;
  }
  expectedCost() {
    return mostCost(tariff, 1, 0);
  }
  isBound(operator: string, slot: number): boolean {
    const line = this.#line(smsRouteOf(operator));
    return line.isUp && line.slots.includes(slot);
  }
  setSlots(operator: string, slots: readonly number[], graceMs?: number): Promise<void> {
    return this.#line(smsRouteOf(operator)).setSlots(slots, graceMs);
  }
  reserve(route: string, signal: AbortSignal): Promise<Place | null> {
    return this.#line(route).reserve(signal);
  }
  reserveNow(route: string): Place | null {
    return this.#line(route).reserveNow();
  }

  /** The operator's side has ended every connection, or takes them again. */
  operatorChanged(operator: string): void {
    this.#line(smsRouteOf(operator)).changed();
  }

  #line(route: string): SmsLine {
    const line = this.#lines.get(route);
    if (!line) throw new Error(`${route} is no route of this channel`);
    return line;
  }
}
