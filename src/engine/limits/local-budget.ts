// One budget as this process uses it: the credit that it holds, the sends that wait for more, and corrections that the row does not have yet.

import type { BudgetLine } from '../../core/limits/budget.ts';
import { nameOf, sendsUnit, sliceOf, windowOfHour } from '../../core/limits/budget.ts';
import { formatFixed, parseFixed } from '../../core/money/money.ts';
import type { GrantedCredit, WantedCredit } from '../../db/limits/budgets.ts';
import { Credit } from './credit.ts';

/** `over`: the budget has too little left, and is not enforced. `window`: the one that counts it, in hours or days since 1970. */
export type Taken = { kind: 'taken'; over: boolean; window: number } | { kind: 'exhausted'; retryAfterMs: number };

/** How long a refusal answers further sends of the same amount or more, ms, before the row is asked again. */
const refusedMs = 250;

/** A send that waits for credit. */
interface Waiting {
  amount: bigint;
  resolve(taken: Taken): void;
  reject(error: unknown): void;
}

/** What this process asks of the row, without the event of a warning. */
export type Want = Omit<WantedCredit, 'event'>;

/** Why the row is asked: for credit, to write corrections alone, or to give back all credit. Sends that wait are served in any case. */
type AskPurpose = 'take' | 'correct' | 'give_back';

/** The row of the budget, as far as this process reaches it. */
export interface CreditSource {
  now(): number;
  /** Asks the row. Null where there is none. */
  ask(want: Want): Promise<GrantedCredit | null>;
  /** Called where credit is left to be given back, or a correction to be written, by a later `settle`. */
  unsettled(): void;
}

export class LocalBudget {
  readonly key: Omit<BudgetLine, 'limit'>;
  readonly #source: CreditSource;
  readonly #credit: Credit;
  /** Of the last call that was charged; null while this process has only corrected the budget. */
  #limit: bigint | null = null;
  #enforced = true;
  #waiting: Waiting[] = [];
  /** Set while the row is asked. */
  #asking: Promise<void> | null = null;
  /** What is to be given back to the row, of the newest window that has something: reserves that were too high, and credit that is not held here. */
  #refund = { amount: 0n, window: -1 };
  /** What messages cost beyond what was reserved for them. */
  #overspent = 0n;
  /** The last answer that granted less than was needed. */
  #refused = { room: 0n, until: 0, endsAt: 0, limit: 0n };

  constructor(key: Omit<BudgetLine, 'limit'>, source: CreditSource) {
    this.key = key;
    this.#source = source;
    this.#credit = new Credit(source.now);
  }

  /** Takes the amount from what this process holds, else from the row. Rejects when the database fails. */
  take(amount: bigint, limit: bigint, enforced: boolean): Taken | Promise<Taken> {
    this.#limit = limit;
    this.#enforced = enforced;
    if (this.#waiting.length === 0 && this.#credit.spend(amount)) {
      if (!this.#asking && this.#lacking() > 0n) void this.#ask();
      return { kind: 'taken', over: false, window: this.#credit.window };
    }
    const refused = this.#refusalInMemory(amount, limit);
    if (refused && enforced) return refused;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ amount, resolve, reject });
      if (!this.#asking) void this.#ask();
    });
  }

  /** Gives back what was taken in that window and is not needed after all. */
  giveBack(amount: bigint, window: number): void {
    if (window === this.#credit.window) this.#credit.unspend(amount);
    // This object is newer than the grant: credit that it does not hold goes back to the row.
    else if (window > this.#credit.window) this.#addRefund(amount, window);
    else return;
    this.#source.unsettled();
  }

  /** A message has cost more than was reserved for it, or less (`by` below 0). `hour`: of its reserve. `limit` null = not known. */
  correct(by: bigint, hour: number, limit: bigint | null = null): void {
    this.#limit ??= limit;
    if (by > 0n) this.#overspent += by;
    else this.#addRefund(-by, windowOfHour(this.key.period, hour));
    this.#source.unsettled();
  }

  /** A refund of an older window than the newest is dropped: the row counts that window no longer. */
  #addRefund(amount: bigint, window: number): void {
    if (window > this.#refund.window) this.#refund = { amount: 0n, window };
    if (window === this.#refund.window) this.#refund.amount += amount;
  }

  /** Whether something is still to be written to the row. */
  get isUnsettled(): boolean {
    return this.#asking !== null || this.#hasCorrections || this.#credit.held > 0n;
  }

  get #hasCorrections(): boolean {
    return this.#overspent > 0n || this.#refund.amount > 0n;
  }

  /** Whether this object may be dropped without any loss. */
  get isForgettable(): boolean {
    return !this.isUnsettled && this.#credit.isIdle;
  }

  /** Writes corrections, and gives back credit that was not used for a while; with `all` every credit, for a process that ends. */
  async settle(all = false): Promise<void> {
    if (all) await this.#asking;
    if (this.#asking) return;
    const givesBack = this.#credit.held > 0n && (all || this.#credit.isIdle);
    if (givesBack || this.#hasCorrections) await this.#ask(givesBack ? 'give_back' : 'correct');
  }

  /** How much credit to take ahead: what lacks to a slice (`sliceOf`), where no more than a third of one is held. */
  #lacking(): bigint {
    if (this.#limit === null) return 0n;
    const slice = sliceOf({ limit: this.#limit, unit: this.key.unit }, this.#credit.spentOfLate);
    return this.#credit.held * 3n <= slice ? slice - this.#credit.held : 0n;
  }

  #refusalInMemory(amount: bigint, limit: bigint): Taken | null {
    const { room, until, endsAt, limit: of } = this.#refused;
    const now = this.#source.now();
    if (now >= until || now >= endsAt || now < until - refusedMs || limit !== of || amount <= room) return null;
    return { kind: 'exhausted', retryAfterMs: Math.max(1, endsAt - now) };
  }

  /** Asks the row, and again while sends have come to wait meanwhile. */
  #ask(purpose: AskPurpose = 'take'): Promise<void> {
    const asking = (async () => {
      do await this.#askOnce(this.#waiting.splice(0), purpose);
      while (this.#waiting.length > 0);
      this.#asking = null;
      if (this.#credit.held > 0n) this.#source.unsettled();
    })();
    this.#asking = asking;
    return asking;
  }

  async #askOnce(callers: readonly Waiting[], purpose: AskPurpose): Promise<void> {
    const { now } = this.#source;
    const sentAt = now();
    const wanted = callers.reduce((sum, { amount }) => sum + amount, 0n);
    const back = purpose === 'give_back' && wanted === 0n ? this.#credit.takeAll() : 0n;
    const held = this.#credit.held;
    const need = wanted > held ? wanted - held : 0n;
    const isCharged = purpose === 'take' || wanted > 0n;
    const ahead = isCharged ? this.#lacking() : 0n;
    // An account's limit may have been changed since the last call that was charged. That of a key never is, and a cost may make its row.
    const limit = isCharged || this.key.keyId !== '' ? this.#limit : null;
    const refund = this.#refund;
    const overspent = this.#overspent;
    const backWindow = back > 0n ? this.#credit.window : refund.window;
    const returned = back + (refund.window === backWindow ? refund.amount : 0n);
    this.#refund = { amount: 0n, window: -1 };
    this.#overspent = 0n;
    try {
      const granted = await this.#source.ask({
        ...this.key,
        limit: limit === null ? null : formatFixed(limit),
        enforced: this.#enforced,
        need: formatFixed(need),
        ahead: formatFixed(ahead),
        scale: this.key.unit === sendsUnit ? 0 : 12,
        back: formatFixed(returned),
        backWindow,
        more: formatFixed(overspent),
      });
      this.#serve(callers, granted, { sentAt, need });
    } catch (error) {
      // It may have been committed. What was to be given back then counts as spent, and what was overspent is written once more.
      this.#overspent += overspent;
      if (overspent > 0n) this.#source.unsettled();
      for (const { reject } of callers) reject(error);
    }
  }

  #serve(
    callers: readonly Waiting[],
    answer: GrantedCredit | null,
    { sentAt, need }: { sentAt: number; need: bigint },
  ): void {
    if (!answer) {
      for (const { reject } of callers) reject(new Error(`${nameOf(this.key)} has no row`));
      return;
    }
    const granted = parseFixed(answer.granted);
    const endsAt = sentAt + answer.endsInMs;
    this.#credit.add(granted, endsAt, answer.window);
    const over = answer.exhausted && granted >= need;
    const isRefused = answer.exhausted && !over;
    const unserved = callers.filter(({ amount, resolve }) => {
      if (this.#credit.spend(amount)) resolve({ kind: 'taken', over, window: answer.window });
      else if (isRefused)
        resolve({ kind: 'exhausted', retryAfterMs: Math.max(1, Math.ceil(endsAt - this.#source.now())) });
      else return true;
      return false;
    });
    // The window of the credit ended while the row was asked: these ask again.
    this.#waiting.unshift(...unserved);
    if (!isRefused) return;
    this.#refused = { room: this.#credit.held, until: sentAt + refusedMs, endsAt, limit: this.#limit ?? 0n };
  }
}
