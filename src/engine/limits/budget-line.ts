// One budget as this process uses it: the credit it holds, the sends that wait for more, and what is still to be corrected in the row.

import type { BudgetLine } from '../../core/limits/budget.ts';
import { nameOf, sendsUnit, sliceOf, windowOfHour } from '../../core/limits/budget.ts';
import { formatFixed, parseFixed } from '../../core/money/money.ts';
import type { GrantedCredit, WantedCredit } from '../../db/limits/budgets.ts';
import { Credit } from './credit.ts';

/** `over`: it is more than the budget has, which is not enforced. `window`: the window it counts in, hours or days since 1970. */
export type Taken = { kind: 'taken'; over: boolean; window: number } | { kind: 'exhausted'; retryAfterMs: number };

/** For so long a budget that has refused is not asked again for as much, ms. */
const refusedMs = 250;

interface Waiting {
  amount: bigint;
  resolve(taken: Taken): void;
  reject(error: unknown): void;
}

/** What this process wants of the row, but for the event of a warning. */
export type Want = Omit<WantedCredit, 'event'>;

/** The row of the budget, as far as this process reaches it. */
export interface CreditSource {
  now(): number;
  /** Asks the row. Null where there is none. */
  ask(want: Want): Promise<GrantedCredit | null>;
  /** Called where something is left that has to be given back, or corrected, in a while. */
  unsettled(): void;
}

export class UsedLine {
  readonly key: Omit<BudgetLine, 'limit'>;
  readonly #source: CreditSource;
  readonly #credit: Credit;
  /** As the last call that is charged had it; null where this process has only corrected it and was not given one. */
  #limit: bigint | null = null;
  #enforced = true;
  #waiting: Waiting[] = [];
  /** While the row is asked. */
  #asking: Promise<void> | null = null;
  #less = { amount: 0n, window: -1 };
  #more = 0n;
  /** The last answer that granted less than was needed. */
  #refused = { room: 0n, until: 0, endsAt: 0, limit: 0n };

  constructor(key: Omit<BudgetLine, 'limit'>, source: CreditSource) {
    this.key = key;
    this.#source = source;
    this.#credit = new Credit(source.now);
  }

  /** Takes so much, from what this process holds or from the row. */
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

  /** What was taken in that window is not needed after all. */
  giveBack(amount: bigint, window: number): void {
    if (window === this.#credit.window) this.#credit.unspend(amount);
    // The line was forgotten meanwhile: the row has it back at once.
    else if (window > this.#credit.window) this.#lower(amount, window);
    else return;
    this.#source.unsettled();
  }

  /** A message has cost more than was kept for it, or less; `hour` is that of its reserve. `limit` null = not known. */
  correct(by: bigint, hour: number, limit: bigint | null = null): void {
    this.#limit ??= limit;
    if (by > 0n) this.#more += by;
    else this.#lower(-by, windowOfHour(this.key.period, hour));
    this.#source.unsettled();
  }

  /** What belongs to a window that is over by now is of no use. */
  #lower(amount: bigint, window: number): void {
    if (window > this.#less.window) this.#less = { amount: 0n, window };
    if (window === this.#less.window) this.#less.amount += amount;
  }

  /** Something is to be written to the row, now or in a while. */
  get isUnsettled(): boolean {
    return this.#asking !== null || this.#hasCorrections || this.#credit.held > 0n;
  }

  get #hasCorrections(): boolean {
    return this.#more > 0n || this.#less.amount > 0n;
  }

  /** Nothing would be lost with it. */
  get isForgettable(): boolean {
    return !this.isUnsettled && this.#credit.isIdle;
  }

  /** Writes what is to be corrected, and gives back what nobody has asked for of late; or everything, at the end. */
  async settle(all = false): Promise<void> {
    if (all) await this.#asking;
    if (this.#asking) return;
    const givesBack = this.#credit.held > 0n && (all || this.#credit.isIdle);
    if (givesBack || this.#hasCorrections) await this.#ask(givesBack ? 'back' : 'none');
  }

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

  /** Asks for what waits and for what is to be ahead, or gives back what is; again, while calls have come meanwhile. */
  #ask(ahead: 'more' | 'none' | 'back' = 'more'): Promise<void> {
    const asking = (async () => {
      do await this.#askOnce(this.#waiting.splice(0), ahead);
      while (this.#waiting.length > 0);
      this.#asking = null;
      if (this.#credit.held > 0n) this.#source.unsettled();
    })();
    this.#asking = asking;
    return asking;
  }

  async #askOnce(callers: readonly Waiting[], asked: 'more' | 'none' | 'back'): Promise<void> {
    const { now } = this.#source;
    const sentAt = now();
    const wanted = callers.reduce((sum, { amount }) => sum + amount, 0n);
    const back = asked === 'back' && wanted === 0n ? this.#credit.takeAll() : 0n;
    const held = this.#credit.held;
    const need = wanted > held ? wanted - held : 0n;
    const ahead = asked === 'more' || wanted > 0n ? this.#lacking() : 0n;
    const less = this.#less;
    const more = this.#more;
    const backWindow = back > 0n ? this.#credit.window : less.window;
    const returned = back + (less.window === backWindow ? less.amount : 0n);
    this.#less = { amount: 0n, window: -1 };
    this.#more = 0n;
    try {
      const granted = await this.#source.ask({
        ...this.key,
        limit: this.#limit === null ? null : formatFixed(this.#limit),
        enforced: this.#enforced,
        need: formatFixed(need),
        ahead: formatFixed(ahead),
        scale: this.key.unit === sendsUnit ? 0 : 12,
        back: formatFixed(returned),
        backWindow,
        more: formatFixed(more),
      });
      this.#serve(callers, granted, { sentAt, need });
    } catch (error) {
      // Whether it was committed is not known. What is not given back counts as spent; what was spent is told again.
      this.#more += more;
      if (more > 0n) this.#source.unsettled();
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
    // What was held has ended with its window while the row was asked.
    this.#waiting.unshift(...unserved);
    if (!isRefused) return;
    this.#refused = { room: this.#credit.held, until: sentAt + refusedMs, endsAt, limit: this.#limit ?? 0n };
  }
}
