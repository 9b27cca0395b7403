// The SMS channel: messages to the operators' SMSCs over SMPP v3.4, routed by prefix. It only picks the operator and forwards the call;
// SMPP's words stop in sms/.

import type { OperatorConfig } from '../../config.ts';
import { type Cost, mostCost } from '../../core/money/cost.ts';
import { routeByPrefix } from '../../core/phone.ts';
import type { Plan } from '../../core/verify/event.ts';
import type { BindObserver } from '../../smpp/index.ts';
import { Wakeup } from '../../time/on-demand.ts';
import type { Binds, CarrierState, Channel, Place, PlanRequest, ReceiptIntake } from '../channel.ts';
import { tariffInForce } from '../tariff.ts';
import { Operator } from './operator.ts';
import type { Report } from './report.ts';
import type { SkipReason } from './standing.ts';

export interface SmsOptions {
  operators: readonly OperatorConfig[];
  /** The name in the texts, and the sender where neither client, account nor operator has one. Evaluated for each message. */
  service(): { brand: string; defaultSenderId: string };
  intake: ReceiptIntake;
  now(): number;
  /** The observer of each bind; slots are numbered per operator. */
  observer(operator: string, slot: number): BindObserver;
  /** Called for every deliver_sm and data_sm. */
  onReport(operator: string, report: Pick<Report, 'kind' | 'problems'>): void;
  onError(error: unknown, about: object, message: string): void;
}

export interface OperatorState {
  operator: string;
  /** Binds this process holds, and how many of them are up. */
  binds_held: number;
  binds_bound: number;
  states: string[];
  /** Whether its legs are taken: `up`, or why they are skipped. */
  standing: 'up' | SkipReason;
}

const prefix = 'sms/';

export class SmsChannel implements Channel, Binds {
  readonly #options: SmsOptions;
  /** A bind came up or is lost, which other processes want to hear of. */
  readonly bindsMoved = new Wakeup();
  readonly #operators = new Map<string, Operator>();
  #paused: ReadonlySet<string> = new Set();

  constructor(options: SmsOptions) {
    this.#options = options;
    for (const config of options.operators) this.#operators.set(config.id, this.#make(config));
  }

  /**
   * The operator of the number's prefix, and the sender name: the one asked for, else the account's where approved there. The one asked for was
   * approved when the session began. Its operator may have revoked it since, or a reload may have given the number to another operator.
   */
  plan({ to, senderId, account }: PlanRequest): Plan {
    const operators = [...this.#operators.values()].map(({ config }) => config);
    const operator = routeByPrefix(to, operators);
    if (!operator) return { kind: 'skip', reason: 'no_operator' };
    const outage = this.#operators.get(operator.id)?.outage ?? null;
    if (outage) return { kind: 'skip', reason: outage, operator: operator.id };
    const approved = account.approvedSenders.get(operator.id);
    if (senderId !== null && !approved?.has(senderId))
      return { kind: 'skip', reason: 'sender_id_not_approved', operator: operator.id };
    const own =
      account.defaultSenderId !== null && approved?.has(account.defaultSenderId) ? account.defaultSenderId : null;
    const sender = senderId ?? own ?? this.#defaultSender(operator);
    return { kind: 'usable', route: prefix + operator.id, operator: operator.id, senderId: sender };
  }

  carriers(): CarrierState[] {
    return [...this.#operators].map(([carrier, { outage }]) => ({ carrier, reason: outage }));
  }

  canSend(route: string): boolean {
    return this.#of(route)?.open ?? false;
  }

  routes(): string[] {
    return [...this.#operators].filter(([, operator]) => operator.open).map(([id]) => prefix + id);
  }

  outages(): string[] {
    return [...this.#operators].filter(([, operator]) => operator.outage !== null).map(([id]) => prefix + id);
  }

  /** Takes in which operators other processes are bound to. */
  seeElsewhere(bound: readonly string[]): void {
    for (const [id, operator] of this.#operators) operator.seeElsewhere(bound.includes(id));
  }

  /** Whether each operator has had no bind for too long, or accepts nothing; not one that is switched off, in maintenance or paused. */
  downs(): [operator: string, isDown: boolean][] {
    return [...this.#operators].map(([id, { isDown }]) => [id, isDown]);
  }

  /** Whether a person has paused each operator, for as long as nobody ends that. */
  pauses(): [operator: string, isPaused: boolean][] {
    return [...this.#operators.keys()].map((id) => [id, this.#paused.has(id)]);
  }

  ratePerSecond(route: string): number | null {
    const operator = this.#of(route);
    return operator?.open ? operator.ratePerSecond : null;
  }

  /** A text is one part (core/verify/text.ts). */
  expectedCost(route: string): Pick<Cost, 'amount' | 'currency'> | null {
    const tariff = tariffInForce(this.#of(route)?.config.tariff ?? [], this.#options.now());
    return tariff && mostCost(tariff, 1, 0);
  }

  async reserve(route: string, signal: AbortSignal): Promise<Place | null> {
    return (await this.#of(route)?.reserve(signal)) ?? null;
  }

  reserveNow(route: string, signal: AbortSignal): Place | null {
    return this.#of(route)?.reserveNow(signal) ?? null;
  }

  /** How many binds each operator allows, over all processes. */
  bindCounts(): Map<string, number> {
    return new Map([...this.#operators].map(([id, { config }]) => [id, Operator.slotsOf(config).length]));
  }

  /** `graceMs`: default 5 000. */
  async setSlots(operator: string, slots: readonly number[], graceMs?: number): Promise<void> {
    await this.#operators.get(operator)?.hold(slots, graceMs);
  }

  isBound(operator: string, slot: number): boolean {
    return this.#operators.get(operator)?.isBound(slot) ?? false;
  }

  /** Messages of this process that wait for a place, by operator. */
  queues(): Map<string, Operator['queue']> {
    return new Map([...this.#operators].map(([id, { queue }]) => [id, queue]));
  }

  operatorStates(): OperatorState[] {
    return [...this.#operators.keys()].map((operator) => ({ operator, ...this.#stateOf(operator) }));
  }

  /** Tries at once to bind where that waits for its next try. */
  retry(): void {
    for (const operator of this.#operators.values()) operator.retry();
  }

  /** Nothing is sent to these operators. Their binds stay up, because receipts come on them. */
  setPaused(operators: ReadonlySet<string>): void {
    this.#paused = operators;
    for (const [id, operator] of this.#operators) operator.paused = operators.has(id);
  }

  /** Makes binds of this process again: one, or all of the operator with null. */
  rebind(operator: string, slot: number | null): void {
    this.#operators.get(operator)?.rebind(slot);
  }

  /** Settings that need no new connection hold at once. */
  configure(config: OperatorConfig): void {
    this.#operators.get(config.id)?.configure(config);
  }

  /**
   * Adds an operator, or replaces one whose binds have changed; resolves once those are closed. It keeps the slots of the one before, and is there
   * all the while, and its messages wait: without it their legs would be skipped.
   */
  async replace(config: OperatorConfig): Promise<void> {
    const old = this.#operators.get(config.id);
    const operator = this.#make(config);
    this.#operators.set(config.id, operator);
    if (old) await operator.succeed(old);
  }

  async remove(id: string): Promise<void> {
    const operator = this.#operators.get(id);
    this.#operators.delete(id);
    await operator?.hold([]);
  }

  /** Unbinds everywhere. */
  async close(): Promise<void> {
    await Promise.all([...this.#operators.values()].map((operator) => operator.hold([])));
  }

  #of(route: string): Operator | undefined {
    return route.startsWith(prefix) ? this.#operators.get(route.slice(prefix.length)) : undefined;
  }

  #stateOf(id: string): Omit<OperatorState, 'operator'> {
    const states = this.#operators.get(id)?.states() ?? [];
    const bound = states.filter((state) => state === 'bound').length;
    const standing = this.#operators.get(id)?.outage ?? 'up';
    return { binds_held: states.length, binds_bound: bound, states, standing };
  }

  #defaultSender(operator: OperatorConfig): string {
    return operator.defaultSenderId ?? this.#options.service().defaultSenderId;
  }

  #make(config: OperatorConfig): Operator {
    const { service, intake, now, observer, onReport, onError } = this.#options;
    const operator = new Operator({
      config,
      intake,
      now,
      observer,
      onReport,
      onError,
      onBind: () => this.bindsMoved.set(),
      brand: () => service().brand,
      defaultSender: () => this.#defaultSender(this.#operators.get(config.id)?.config ?? config),
    });
    operator.paused = this.#paused.has(config.id);
    return operator;
  }
}
