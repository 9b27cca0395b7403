// The operator's side of receipts: each is given to a process with a bind, and again to one until it is acknowledged.
import type { CarrierReceipt, OutgoingMessage } from '../../src/channels/channel.ts';
import type { SimulatedProcess } from './process.ts';
import type { Random } from './random.ts';
import type { VirtualTime } from './time.ts';

export interface ReceiptsOptions {
  time: VirtualTime;
  random: Random;
  /** Processes with a bind of the operator, or another way to it. */
  bound(operator: string): SimulatedProcess[];
  /** For the mutant that acknowledges what it has not stored. */
  acknowledgesEarly: boolean;
}

interface Given {
  message: OutgoingMessage;
  receipt: CarrierReceipt;
  acknowledged: boolean;
}

const againMs = 2_000;

export class Receipts {
  readonly #options: ReceiptsOptions;
  readonly given: Given[] = [];
  readonly #unanswered = new Map<string, Set<() => void>>();

  constructor(options: ReceiptsOptions) {
    this.#options = options;
  }

  /** Receipts that no process has acknowledged. */
  get waiting(): number {
    return this.given.filter(({ acknowledged }) => !acknowledged).length;
  }

  give(message: OutgoingMessage, receipt: CarrierReceipt): void {
    const given = { message, receipt, acknowledged: false };
    this.given.push(given);
    this.#try(given);
  }

  died(processId: string): void {
    for (const lost of [...(this.#unanswered.get(processId) ?? [])]) lost();
  }

  #try(given: Given): void {
    const { time, random, bound, acknowledgesEarly } = this.#options;
    const again = () => time.after(againMs, null, () => this.#try(given));
    const processes = bound(given.receipt.operator);
    if (processes.length === 0) {
      again();
      return;
    }
    const process = random.pick(processes);
    let isOver = false;
    const settle = (acknowledged: boolean) => {
      if (isOver) return;
      isOver = true;
      this.#unanswered.get(process.id)?.delete(lost);
      if (acknowledged) given.acknowledged = true;
      else again();
    };
    const lost = () => settle(false);
    const waiting = this.#unanswered.get(process.id) ?? new Set();
    this.#unanswered.set(process.id, waiting.add(lost));
    time.after(10_000, null, lost);
    time.after(random.next() * 2, process.host, () => {
      const back = (acknowledged: boolean) => time.after(random.next() * 2, null, () => settle(acknowledged));
      if (acknowledgesEarly) back(true);
      process.intake.take(given.receipt).then(
        () => back(true),
        () => back(false),
      );
    });
  }
}
