// The messaging-app channel: WhatsApp by its Cloud API. An authentication template carries the code; statuses come back by
// callback. The platform's words stop in whatsapp/. Added as docs/channels.md tells.

import type { Plan } from '../core/event.ts';
import type { Channel, Place, PlanAccount, PlanRequest, ReceiptIntake } from './channel.ts';
import { type AppAccount, tariffOf } from './whatsapp/account.ts';
import { errorMeaning } from './whatsapp/errors.ts';
import { GraphClient } from './whatsapp/graph.ts';
import { Line, maxInFlight } from './whatsapp/line.ts';
import type { AppObserver } from './whatsapp/observer.ts';
import { appCarrier, readCallback, readStatus, type StatusChange } from './whatsapp/status.ts';

export type { AppObserver } from './whatsapp/observer.ts';

export interface WhatsAppOptions {
  /** Whose number an account's messages go out from; null = none, and the leg is skipped. Asked anew for every leg. */
  accountFor(account: PlanAccount): AppAccount | null;
  /** A number by its id, while it is ours. Asked anew for every message and every callback. */
  accountOf(phoneNumberId: string): AppAccount | null;
  /** Ids of the numbers in use. */
  numbers(): readonly string[];
  intake: ReceiptIntake;
  now(): number;
  observer: AppObserver;
}

const prefix = 'whatsapp/';

const freshMs = 5 * 60_000;

export class WhatsAppChannel implements Channel {
  readonly echoesMessageId = true;
  readonly #options: WhatsAppOptions;
  readonly #client = new GraphClient({ connections: maxInFlight });
  readonly #lines = new Map<string, Line>();
  #closed = false;

  constructor(options: WhatsAppOptions) {
    this.#options = options;
  }

  plan({ account }: PlanRequest): Plan {
    const from = this.#options.accountFor(account);
    if (!from) return { kind: 'skip', reason: 'channel_not_configured' };
    const { phoneNumberId } = from;
    if (this.#line(phoneNumberId)?.downCode) return { kind: 'skip', reason: 'channel_down' };
    return { kind: 'usable', route: prefix + phoneNumberId, operator: null, senderId: null };
  }

  /**
   * True while the platform refuses us, too: a message whose leg had begun is then refused at once, and the cascade moves
   * on, where one that can't be sent would wait for the leg's end.
   */
  canSend(route: string): boolean {
    return this.#of(route)?.open ?? false;
  }

  routes(): string[] {
    return this.#options.numbers().map((id) => prefix + id);
  }

  ratePerSecond(route: string): number | null {
    return this.#of(route)?.ratePerSecond ?? null;
  }

  async reserve(route: string, signal: AbortSignal): Promise<Place | null> {
    return (await this.#of(route)?.reserve(signal)) ?? null;
  }

  /** The settings were changed: what was refused under the old ones is tried again at once. */
  configured(): void {
    for (const [id, line] of this.#lines) {
      if (line.open) line.configured();
      else {
        line.close();
        this.#lines.delete(id);
      }
    }
  }

  /** Numbers the platform refuses at the moment, with its code. */
  down(): { phoneNumberId: string; code: string }[] {
    return [...this.#lines].flatMap(([phoneNumberId, { downCode }]) =>
      downCode === null ? [] : [{ phoneNumberId, code: downCode }],
    );
  }

  /** Takes in the body of a callback whose signature is right. Resolves once everything in it is committed. */
  async takeCallback(text: string): Promise<void> {
    const { intake, now, observer } = this.#options;
    const callback = readCallback(text);
    if (callback.kind === 'unreadable') {
      const raw = text.slice(0, 4_000).replaceAll('\0', '');
      return intake.takeUnreadable({ operator: appCarrier, raw, reason: callback.reason, receivedAt: now() });
    }
    if (callback.otherFields > 0) observer.ignored?.('other_field', callback.otherFields);
    await Promise.all(callback.changes.map((change) => this.#takeChange(change)));
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const line of this.#lines.values()) line.close();
    await this.#client.close();
  }

  async #takeChange({ phoneNumberId, statuses, inboundMessages }: StatusChange): Promise<void> {
    const { accountOf, observer } = this.#options;
    if (inboundMessages > 0) observer.ignored?.('inbound_message', inboundMessages);
    const account = accountOf(phoneNumberId);
    if (account) await Promise.all(statuses.map((status) => this.#takeStatus(status, account)));
    else if (statuses.length > 0) observer.ignored?.('unknown_number', statuses.length);
  }

  async #takeStatus(input: unknown, account: AppAccount): Promise<void> {
    const { intake, now, observer } = this.#options;
    const status = readStatus(input, { tariff: tariffOf(account, now()), now: now() });
    if (status.kind === 'other') return observer.ignored?.('other_status', 1);
    if (status.kind === 'unreadable') {
      const { raw, reason } = status;
      return intake.takeUnreadable({ operator: appCarrier, raw, reason, receivedAt: now() });
    }
    const { errorCode, carrier } = status;
    const toldAt = carrier.receipt.operatorTimestamp ?? 0;
    // Callbacks are repeated for days: an old refusal says nothing about today.
    if (errorCode !== null && now() - toldAt < freshMs) {
      this.#line(account.phoneNumberId)?.refused({ meaning: errorMeaning(errorCode), code: String(errorCode) });
    }
    return intake.take(carrier);
  }

  #of(route: string): Line | undefined {
    return route.startsWith(prefix) ? this.#line(route.slice(prefix.length)) : undefined;
  }

  #line(phoneNumberId: string): Line | undefined {
    const held = this.#lines.get(phoneNumberId);
    if (held || this.#closed) return held;
    const { accountOf, now, observer } = this.#options;
    if (!accountOf(phoneNumberId)) return undefined;
    const line = new Line({ account: () => accountOf(phoneNumberId), client: this.#client, now, observer });
    this.#lines.set(phoneNumberId, line);
    return line;
  }
}
