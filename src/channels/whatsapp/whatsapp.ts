// The WhatsApp channel, by the Cloud API. An authentication template carries the code, and statuses come back by
// callback. It only finds the line to send by; the platform's words stop in whatsapp/. docs/channels.md takes it as its example.

import { type Cost, mostCost } from '../../core/money/cost.ts';
import type { Plan } from '../../core/verify/event.ts';
import type { IncomingReceipt, Language } from '../../core/verify/session.ts';
import type { CarrierState, Channel, KnownIntake, Place, PlanAccount, PlanRequest, SendOutcome } from '../channel.ts';
import { type AppAccount, type AppBilling, tariffOf } from './account.ts';
import type { AccountChange } from './account-update.ts';
import type { AppObserver } from './answer.ts';
import { takeCallback } from './callbacks.ts';
import { isTokenRefused, type Refusal, refusesSender } from './errors.ts';
import { GraphClient } from './graph.ts';
import { Line, maxInFlight } from './line.ts';

export type { AccountChange } from './account-update.ts';
export type { AppObserver } from './answer.ts';

export interface WhatsAppOptions {
  /**
   * Numbers a message may go out from, best first: the business's own, where it has one that can say this language, then the
   * platform's. Evaluated for each leg.
   */
  accountsFor(account: PlanAccount, language: Language): readonly AppAccount[];
  /** A number by its id, while it can be sent from. Evaluated for each message. */
  accountOf(phoneNumberId: string): AppAccount | null;
  /** The platform's own number; null = none. Messages of a number that is gone go out from this one. */
  platform(): AppAccount | null;
  /** How messages of a number are billed, while their statuses are ours, even where the number cannot be sent from. */
  billingOf(phoneNumberId: string): AppBilling | null;
  /** The sender name of a message that a business's own number could not send. */
  platformName(): string;
  /** The platform no longer accepts the token of a business's own number. */
  onTokenRefused(phoneNumberId: string, code: string): void;
  /** An account has changed at the platform. Resolves once the change is committed. */
  onAccountChange(change: AccountChange): Promise<void>;
  intake: KnownIntake;
  now(): number;
  observer: AppObserver;
}

const prefix = 'whatsapp/';

/** Numbers that may send at their full rate at once; a message that waits for a connection waits on its own time to be answered. */
const fullLines = 4;

export class WhatsAppChannel implements Channel {
  readonly echoesMessageId = true;
  readonly #options: WhatsAppOptions;
  readonly #client = new GraphClient({ connections: maxInFlight * fullLines });
  readonly #lines = new Map<string, Line>();
  #closed = false;

  constructor(options: WhatsAppOptions) {
    this.#options = options;
  }

  plan({ account, language }: PlanRequest): Plan {
    const candidates = this.#options.accountsFor(account, language);
    if (candidates.length === 0) return { kind: 'skip', reason: 'channel_not_configured' };
    const from = this.#usable(candidates);
    if (!from) return { kind: 'skip', reason: 'channel_down' };
    return { kind: 'usable', route: prefix + from.phoneNumberId, operator: null, senderId: from.ownerName };
  }

  carriers(account: PlanAccount, language: Language): CarrierState[] {
    const candidates = this.#options.accountsFor(account, language);
    if (candidates.length === 0) return [];
    return [{ carrier: '', reason: this.#usable(candidates) ? null : 'channel_down' }];
  }

  #usable(candidates: readonly AppAccount[]): AppAccount | undefined {
    return candidates.find(({ phoneNumberId }) => !this.#line(phoneNumberId)?.downCode);
  }

  /**
   * True while the platform refuses the number, too: a message whose leg had begun is then refused at once and the cascade moves
   * on, whereas a message that cannot be sent would wait for the leg's end.
   */
  canSend(route: string): boolean {
    return this.#of(route)?.open ?? false;
  }

  /** The platform's route only: there may be thousands of own numbers, and what waits for one of them is in the queue of this route. */
  routes(): string[] {
    const platform = this.#options.platform();
    return platform ? [prefix + platform.phoneNumberId] : [];
  }

  /** Any process can send what waits for any number: from that number, or from the platform's where that one can't be sent from any more. */
  queueOf(route: string): string {
    return this.routes()[0] ?? route;
  }

  ratePerSecond(route: string): number | null {
    return this.#of(route)?.ratePerSecond ?? null;
  }

  expectedCost(route: string): Pick<Cost, 'amount' | 'currency'> | null {
    const { billingOf, now } = this.#options;
    const billing = billingOf(route.slice(prefix.length));
    const tariff = billing && tariffOf(billing, now());
    return tariff && mostCost(tariff, 1, 0);
  }

  async reserve(route: string, signal: AbortSignal): Promise<Place | null> {
    const line = this.#of(route);
    const place = (await line?.reserve(signal)) ?? null;
    if (!place || !line) return null;
    if (line.isOwn) return { ...place, send: async (message) => this.#fromOwn(await place.send(message)) };
    if (!this.#isOwnRoute(route)) return place;
    // The number was unlinked since the leg began: the number that the message goes out from is first put on record.
    const elsewhere = this.#elsewhere(null);
    if (!elsewhere) return place;
    return {
      ...place,
      send: async () => {
        place.release();
        return elsewhere;
      },
    };
  }

  /** A message that a business's own number could not send goes out from the platform's, in the same leg. */
  #fromOwn(outcome: SendOutcome): SendOutcome {
    if (outcome.kind !== 'rejected') return outcome;
    const { reason, errorCode } = outcome;
    // `misconfigured` has no code where a gateway before the platform answers.
    const isOfSender = reason === 'misconfigured' || (errorCode !== null && refusesSender(Number(errorCode)));
    return (isOfSender && this.#elsewhere(errorCode)) || outcome;
  }

  /** The outcome that moves a message to the platform's number; null while that number is down, too. */
  #elsewhere(errorCode: string | null): SendOutcome | null {
    const other = this.#deploymentsSender();
    return other && { kind: 'sender_refused', fallback: other.senderId, errorCode, route: other.route };
  }

  #deploymentsSender(): NonNullable<IncomingReceipt['elsewhere']> | null {
    const { platform, platformName } = this.#options;
    const number = platform();
    if (!number || this.#line(number.phoneNumberId)?.downCode) return null;
    return { route: prefix + number.phoneNumberId, senderId: platformName() };
  }

  #isOwnRoute(route: string): boolean {
    return this.#options.billingOf(route.slice(prefix.length))?.billedBy === 'platform';
  }

  /** Takes new settings or tokens (`ids`: of these numbers): messages refused under the old ones are tried again at once. */
  configured(ids?: readonly string[]): void {
    for (const [id, line] of this.#lines) {
      if (ids && !ids.includes(id)) continue;
      if (line.open) line.configured();
      else {
        line.close();
        this.#lines.delete(id);
        this.#options.observer.gone?.(id);
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
  takeCallback(text: string): Promise<void> {
    return takeCallback(text, {
      ...this.#options,
      routeOf: (phoneNumberId) => prefix + phoneNumberId,
      elsewhereOf: (phoneNumberId) => (this.#isOwnRoute(prefix + phoneNumberId) ? this.#deploymentsSender() : null),
      onRefused: (phoneNumberId, refusal) => this.#line(phoneNumberId)?.refused(refusal, 'callback'),
      onDelivered: (phoneNumberId, madeAt) => this.#line(phoneNumberId)?.delivered(madeAt),
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const line of this.#lines.values()) line.close();
    await this.#client.close();
  }

  /** The number of a route; the platform's, where that one can't be sent from any more. */
  #of(route: string): Line | undefined {
    if (!route.startsWith(prefix)) return undefined;
    const { accountOf, platform } = this.#options;
    const id = route.slice(prefix.length);
    const phoneNumberId = accountOf(id) ? id : platform()?.phoneNumberId;
    return phoneNumberId === undefined ? undefined : this.#line(phoneNumberId);
  }

  #line(phoneNumberId: string): Line | undefined {
    const held = this.#lines.get(phoneNumberId);
    if (held || this.#closed) return held;
    const { accountOf, now, observer } = this.#options;
    if (!accountOf(phoneNumberId)) return undefined;
    const onRefused = (refusal: Refusal) => this.#onRefused(phoneNumberId, refusal);
    const account = () => accountOf(phoneNumberId);
    const line = new Line({ account, client: this.#client, now, observer, onRefused });
    this.#lines.set(phoneNumberId, line);
    return line;
  }

  #onRefused(phoneNumberId: string, { code }: Refusal): void {
    const { platform, onTokenRefused } = this.#options;
    if (isTokenRefused(code) && phoneNumberId !== platform()?.phoneNumberId) onTokenRefused(phoneNumberId, code);
  }
}
