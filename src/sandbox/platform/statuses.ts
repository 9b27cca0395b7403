// Status webhooks of accepted messages: the steps of a number's outcome, each at its time, or a test's script. A bounded number of
// messages is kept, so that a status can be ordered later.

import { BoundedMap } from '../../collections/small-maps.ts';
import { type Clock, Schedule } from '../clock.ts';
import type { PhoneNumber } from './accounts.ts';
import { statusError } from './call.ts';
import type { StatusScript, StatusStep, StatusWord } from './faults.ts';
import type { Notifier } from './notifier.ts';

export interface SentMessage {
  wamid: string;
  /** E.164. */
  to: string;
  phone: PhoneNumber;
  /** `biz_opaque_callback_data`, echoed in every status. */
  opaque: string | undefined;
  /** Unix ms. */
  acceptedAt: number;
  /** Which of delivered and read carries the price; null until one of them was sent. */
  priced: StatusWord | null;
}

/** Messages that statuses can still be sent for. */
const MAX_KEPT = 20_000;

export class Statuses {
  readonly #clock: Clock;
  readonly #notifier: Pick<Notifier, 'notify'>;
  readonly #schedule: Schedule;
  readonly #kept = new BoundedMap<string, SentMessage>(MAX_KEPT);
  readonly #isSilent: () => boolean;
  #due = 0;

  constructor(clock: Clock, notifier: Pick<Notifier, 'notify'>, isSilent: () => boolean = () => false) {
    this.#clock = clock;
    this.#isSilent = isSilent;
    this.#notifier = notifier;
    this.#schedule = new Schedule(clock);
  }

  /** Steps whose time has not come. */
  get due(): number {
    return this.#due;
  }

  /** No status follows, but one can be ordered. */
  keep(message: SentMessage): void {
    this.#kept.set(message.wamid, message);
  }

  /** Plays the steps, each at its time. */
  play(message: SentMessage, steps: readonly StatusStep[]): void {
    this.keep(message);
    // Each step is copied: the schedule keeps what is due under its step, and messages may share theirs.
    for (const step of steps.map((one) => ({ ...one }))) {
      this.#due += 1;
      this.#schedule.later(step, step.delayMs, () => {
        this.#due -= 1;
        // What is under way when the platform falls silent is lost, too.
        if (!this.#isSilent()) void this.send(message, step.status, step.errorCode);
      });
    }
  }

  /**
   * Plays a script: each status only after the one before was taken or given up, so that the order holds. Copies of a status
   * are the same to the letter, as repeated webhooks of the platform are: the time is that of the status, not of the post.
   */
  async playScript(message: SentMessage, { statuses, errorCode, copies }: StatusScript): Promise<void> {
    this.keep(message);
    for (const status of statuses) {
      if (this.#isSilent()) return;
      const at = this.#clock.now();
      for (let copy = 0; copy < copies; copy += 1) await this.send(message, status, errorCode, at);
    }
  }

  /** The newest message to a number, or the message with an id. */
  find(by: { to?: string | undefined; wamid?: string | undefined }): SentMessage | undefined {
    if (by.wamid !== undefined) return this.#kept.get(by.wamid);
    return [...this.#kept.values()].findLast(({ to }) => to === by.to);
  }

  /** Resolves with whether the webhook was taken. `at`: when the message got into that state, Unix ms; default now. */
  send(message: SentMessage, status: StatusWord, errorCode = 131000, at: number = this.#clock.now()): Promise<boolean> {
    const value = {
      messaging_product: 'whatsapp',
      metadata: {
        display_phone_number: digits(message.phone.number),
        phone_number_id: message.phone.id,
      },
      statuses: [this.#status(message, status, errorCode, at)],
    };
    const { wamid, phone } = message;
    return this.#notifier.notify({ wabaId: phone.wabaId, field: 'messages', value, at, wamid });
  }

  stop(): void {
    this.#schedule.stop();
  }

  #status(message: SentMessage, status: StatusWord, errorCode: number, at: number): Record<string, unknown> {
    const timestamp = Math.floor((status === 'sent' ? message.acceptedAt : at) / 1000);
    const pricing = { billable: true, pricing_model: 'PMP', type: 'regular', category: 'authentication' };
    return {
      id: message.wamid,
      status,
      timestamp: String(timestamp),
      recipient_id: digits(message.to),
      biz_opaque_callback_data: message.opaque,
      ...(this.#isPriced(message, status) ? { pricing } : {}),
      ...(status === 'failed' ? { errors: [statusError(errorCode)] } : {}),
    };
  }

  /** `sent` always; of delivered and read the one that comes first, and its copies. */
  #isPriced(message: SentMessage, status: StatusWord): boolean {
    if (status === 'sent') return true;
    if (status !== 'delivered' && status !== 'read') return false;
    message.priced ??= status;
    return message.priced === status;
  }
}

const digits = (e164: string) => e164.replace('+', '');
