// The channels of this deployment, by name and mode, and the plan of a leg: the channel that can be used for it, or why none can.

import type { CarrierState, Channel, PlanAccount } from '../../channels/channel.ts';
import type { Cost } from '../../core/money/cost.ts';
import type { Plan } from '../../core/verify/event.ts';
import type { Channel as ChannelName, Language, Leg, Message, Mode, Session } from '../../core/verify/session.ts';

/** Whether a channel can be used, as far as it goes by one carrier. */
export interface ChannelState extends CarrierState {
  channel: ChannelName;
}

const names: readonly ChannelName[] = ['sms', 'whatsapp', 'voice'];

export class Channels {
  readonly #live = new Map<ChannelName, Channel>();
  #test: Channel | null = null;
  #isDraining = false;

  setLive(name: ChannelName, channel: Channel): void {
    this.#live.set(name, channel);
  }

  /** The one channel of test keys, whatever the leg: it sends nothing. */
  setTest(channel: Channel): void {
    this.#test = channel;
  }

  of(mode: Mode, name: ChannelName): Channel | null {
    return mode === 'test' ? this.#test : (this.#live.get(name) ?? null);
  }

  /** @throws where the channel was removed while the message was queued. */
  ofMessage({ mode }: Session, { channel: name, id }: Message): Channel {
    const channel = this.of(mode, name);
    if (!channel) throw new Error(`channel ${name} was removed while ${id} was queued`);
    return channel;
  }

  /** The channel a route belongs to; routes begin with their channel's name, `test/…` for test keys. */
  ofRoute(route: string): Channel | null {
    const name = route.slice(0, route.indexOf('/'));
    return name === 'test' ? this.#test : (this.#live.get(name as ChannelName) ?? null);
  }

  all(): Channel[] {
    return [...this.#live.values(), ...(this.#test ? [this.#test] : [])];
  }

  /** From now on this process sends on no route: what is to go out goes to others. What has its place goes on. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Every route this process can send on now. */
  routes(): string[] {
    return this.#isDraining ? [] : this.all().flatMap((channel) => channel.routes());
  }

  /** Routes that nothing is to wait for any longer. */
  outages(): string[] {
    return this.all().flatMap((channel) => channel.outages?.() ?? []);
  }

  /** The route in whose queue a message of this route waits. */
  queueOf(route: string): string {
    return this.ofRoute(route)?.queueOf?.(route) ?? route;
  }

  canSend(route: string): boolean {
    return !this.#isDraining && (this.ofRoute(route)?.canSend(route) ?? false);
  }

  /** What `plan` would answer for the legs of an account now, by channel and carrier. */
  states(mode: Mode, account: PlanAccount, language: Language): ChannelState[] {
    return names.flatMap((channel): ChannelState[] => {
      if (leavesCountry(channel, account)) return [{ channel, carrier: '', reason: 'in_country_only' }];
      const of = this.of(mode, channel);
      const carriers = of && (of.carriers?.(account, language) ?? [{ carrier: '', reason: null }]);
      if (!carriers?.length) return [{ channel, carrier: '', reason: 'channel_not_configured' }];
      return carriers.map((each) => ({ channel, ...each }));
    });
  }

  /** What a message costs at most; null where no tariff is known, or nothing is sent. */
  expectedCost(
    { mode }: Pick<Session, 'mode'>,
    { channel, route }: Pick<Message, 'channel' | 'route'>,
  ): Pick<Cost, 'amount' | 'currency'> | null {
    return this.of(mode, channel)?.expectedCost?.(route) ?? null;
  }

  plan(session: Pick<Session, 'mode' | 'to' | 'senderId' | 'language'>, leg: Leg, account: PlanAccount): Plan {
    const { mode, to, senderId, language } = session;
    if (leavesCountry(leg.channel, account)) return { kind: 'skip', reason: 'in_country_only' };
    const channel = this.of(mode, leg.channel);
    return channel?.plan({ mode, channel: leg.channel, to, senderId, language, account }) ?? notConfigured;
  }
}

/** The messaging platform is abroad: the data of such an account never goes there, in test mode neither. */
const leavesCountry = (channel: ChannelName, { inCountryOnly }: PlanAccount): boolean =>
  channel === 'whatsapp' && inCountryOnly;

const notConfigured: Plan = { kind: 'skip', reason: 'channel_not_configured' };
