// The voice channel: a call over a SIP trunk speaks the code. It picks the trunks of a number, tries them one after the other while
// nothing rang, and reports how the call goes; what makes the call is behind the seam of caller.ts.

import type { TrunkConfig } from '../../config.ts';
import { type Cost, mostCost } from '../../core/money/cost.ts';
import { isGreaterAmount } from '../../core/money/money.ts';
import type { Plan } from '../../core/verify/event.ts';
import { isDoneWithin } from '../../time/alarm.ts';
import { elapsedMs } from '../../time/wall-clock.ts';
import type {
  Binds,
  CarrierState,
  Channel,
  OutgoingMessage,
  Place,
  PlanRequest,
  SendOutcome,
  StopReason,
} from '../channel.ts';
import { allRoutes, routeOf, servingTrunks, trunksOf } from './number.ts';
import { callLimitMs } from './reading.ts';
import { tariffOf } from './report.ts';
import { Sending, type SendingOptions } from './sending.ts';
import { type Reservation, reserveAny, Trunk } from './trunk.ts';

const slotPrefix = 'voice:';

/** A route is looked for so long after a reload made other routes of its trunks, ms: no leg lasts longer. */
const formerRouteMs = 900_000;

/** How long the end of a call and its last report may take, ms. */
const endMs = 5_000;

export class VoiceChannel implements Channel, Binds {
  readonly echoesMessageId = true;
  readonly staysHere = true;
  readonly #options: SendingOptions;
  /** In the order they are tried. */
  #trunks = new Map<string, Trunk>();
  /** Routes by the configurations before this one, and when each ceased to be one (Unix ms). Calls may wait for them in the database. */
  readonly #formerRoutes = new Map<string, number>();
  /** Messages whose call is being placed or is under way. */
  readonly #sending = new Map<string, Sending>();
  /** The same, until the last report of each is stored. */
  readonly #unfinished = new Set<Promise<void>>();
  #isDraining = false;

  constructor(options: SendingOptions) {
    this.#options = options;
  }

  plan({ to }: PlanRequest): Plan {
    if (this.#trunks.size === 0) return { kind: 'skip', reason: 'channel_not_configured' };
    const serving = servingTrunks(to, this.#configs());
    if (serving.length === 0) return { kind: 'skip', reason: 'no_operator' };
    if (!serving.some(({ name }) => this.#trunks.get(name)?.isUp)) return { kind: 'skip', reason: 'channel_down' };
    return { kind: 'usable', route: routeOf(serving), operator: null, senderId: null };
  }

  carriers(): CarrierState[] {
    return this.trunks.map(({ config, isUp }) => ({ carrier: config.name, reason: isUp ? null : 'channel_down' }));
  }

  canSend(route: string): boolean {
    return !this.#isDraining && this.#of(route).some((trunk) => trunk.open);
  }

  routes(): string[] {
    const routes = new Set([...allRoutes(this.#configs()), ...this.#formerRoutes.keys()]);
    return [...routes].filter((route) => this.canSend(route));
  }

  ratePerSecond(route: string): number | null {
    const rate = this.#of(route).reduce((sum, trunk) => sum + trunk.ratePerSecond, 0);
    return rate > 0 && !this.#isDraining ? rate : null;
  }

  /** That of a call of the longest time, by the trunk on which it is dearest: which one it will be is not known. */
  expectedCost(route: string): Pick<Cost, 'amount' | 'currency'> | null {
    const costs = this.#of(route).flatMap(({ config }) => {
      const tariff = tariffOf(config, this.#options.now());
      return tariff ? [mostCost(tariff, 1, callLimitMs / 1000)] : [];
    });
    const [first] = costs;
    if (!first) return null;
    const same = costs.filter(({ currency }) => currency === first.currency);
    return same.reduce((most, cost) => (isGreaterAmount(cost.amount, most.amount) ? cost : most));
  }

  async reserve(route: string, signal: AbortSignal): Promise<Place | null> {
    if (this.#isDraining) return null;
    const reservation = await reserveAny(this.#of(route), signal);
    return reservation && { release: reservation.giveBack, send: (message) => this.#sendFrom(message, reservation) };
  }

  /** Stops a ringing phone. Only the end of the session ends a call that was answered, and that after the phrase being spoken. */
  cancel(messageId: string, why: StopReason): void {
    this.#sending.get(messageId)?.stop(why === 'session_over' ? 'after_phrase' : 'if_ringing');
  }

  /** Slots by which the processes share the trunks, under the names that `setSlots` takes. */
  bindCounts(): Map<string, number> {
    return new Map(this.#configs().map((config) => [slotPrefix + config.name, Trunk.slotsOf(config)]));
  }

  /** Resolves at once: slots limit new calls, and a slot that is lost cuts off no call. */
  async setSlots(name: string, slots: readonly number[]): Promise<void> {
    this.#trunks.get(name.slice(slotPrefix.length))?.hold(slots);
  }

  /** A trunk is no bind that a process must have to be ready. */
  isBound(): boolean {
    return false;
  }

  static isSlotName(name: string): boolean {
    return name.startsWith(slotPrefix);
  }

  /** Takes the trunks as they are configured now. Calls under way on one that is gone go on to their end. */
  configure(configs: readonly TrunkConfig[]): void {
    const before = this.#trunks;
    this.#keepRoutes(allRoutes(this.#configs()));
    this.#trunks = new Map(
      configs.map((config) => {
        const trunk = before.get(config.name) ?? new Trunk(config, this.#options.now);
        before.delete(config.name);
        trunk.configure(config);
        return [config.name, trunk];
      }),
    );
    for (const trunk of before.values()) trunk.close();
  }

  trunk(name: string): Trunk | undefined {
    return this.#trunks.get(name);
  }

  get trunks(): readonly Trunk[] {
    return [...this.#trunks.values()];
  }

  /** Calls under way, those being placed among them. */
  get calls(): number {
    return this.#sending.size;
  }

  /**
   * Takes no new calls, waits so long for those under way, then ends them. Resolves once their last reports are stored, or soon after:
   * what is not stored by then is settled by the process that takes the sessions over.
   */
  async drain(graceMs: number): Promise<void> {
    this.#isDraining = true;
    for (const trunk of this.#trunks.values()) trunk.close();
    const finished = this.#allFinished();
    if (await isDoneWithin(finished, graceMs)) return;
    for (const sending of this.#sending.values()) sending.stop('now');
    await isDoneWithin(finished, endMs);
  }

  async #allFinished(): Promise<void> {
    while (this.#unfinished.size > 0) await Promise.all(this.#unfinished);
  }

  #keepRoutes(routes: readonly string[]): void {
    const now = this.#options.now();
    for (const [route, since] of this.#formerRoutes)
      if (elapsedMs(since, now) > formerRouteMs) this.#formerRoutes.delete(route);
    for (const route of routes) this.#formerRoutes.set(route, now);
  }

  #configs(): TrunkConfig[] {
    return [...this.#trunks.values()].map(({ config }) => config);
  }

  /** Trunks of a route that are still there; those of another process's configuration may not be. */
  #of(route: string): Trunk[] {
    return trunksOf(route).flatMap((name) => this.#trunks.get(name) ?? []);
  }

  /** A place that was found before the drain began is of no use behind it: the call would be cut off as soon as it rings. */
  async #sendFrom(message: OutgoingMessage, first: Reservation): Promise<SendOutcome> {
    if (!this.#isDraining) return this.#send(message, first);
    first.giveBack();
    return { kind: 'not_sent', reason: 'draining' };
  }

  #send(message: OutgoingMessage, first: Reservation): Promise<SendOutcome> {
    const sending = new Sending(message, this.#options);
    this.#sending.set(message.id, sending);
    const finished = sending.over
      .then(() => {
        // By now it may be sent again, after a try that placed no call.
        if (this.#sending.get(message.id) === sending) this.#sending.delete(message.id);
        return sending.reported;
      })
      .finally(() => this.#unfinished.delete(finished));
    this.#unfinished.add(finished);
    return sending.run(first, this.#of(message.route));
  }
}
