// The budgets of accounts and keys, over all processes. Rows in the home database are the truth (db/limits/budgets.ts). This process takes credit
// from them in slices, so that a send costs no statement while some is here; what it does not spend it gives back after a second and at its
// end. So at any time what was spent and what processes hold is no more than the budget, and a process that dies loses what it held.

import { shardForAccount } from '../../core/ids.ts';
import {
  type BudgetLine,
  type Charge,
  chargesOf,
  linesOf,
  nameOf,
  type Payer,
  type Price,
  payerOf,
  periods,
  type Reserve,
  reserveOf,
  sendsUnit,
} from '../../core/limits/budget.ts';
import { type Correction, correctionsOf } from '../../core/limits/reserve.ts';
import type { Finding } from '../../core/limits/verdict.ts';
import { formatFixed, parseFixed } from '../../core/money/money.ts';
import { Lane, type LaneOptions } from '../../db/batch.ts';
import type { SessionStore } from '../../db/engine-store.ts';
import { processHolder } from '../../db/fleet/holder.ts';
import type { GrantedCredit, WantedCredit } from '../../db/limits/budgets.ts';
import { Wakeup } from '../../time/on-demand.ts';
import type { BudgetObserver, EngineContext } from '../context.ts';
import { noticeUnknownCommit } from '../fleet/unknown-commits.ts';
import { accountEventBody } from '../webhooks/account-events.ts';
import { keptMs } from './credit.ts';
import { LocalBudget, type Taken, type Want } from './local-budget.ts';

/** A message that is about to be sent, as budgets see it. */
export interface Bill {
  payer: Payer;
  /** False: what is more than a budget has is counted, and goes out. */
  enforced: boolean;
  /** 1 where a call asked for the message: legs of a cascade are no sends of their own. */
  sends: 0 | 1;
  /** Its expected cost; null = not known. */
  price: Price | null;
}

/** What was taken of the budgets, to be given back where the message is not stored. */
export interface Held {
  /** With the window that each counts in. */
  charges: readonly (Charge & { window: number })[];
  /** For the message; null where its cost is of no budget. */
  reserve: Reserve | null;
}

export type Reserved =
  | { kind: 'reserved'; held: Held; monitored: Finding | null }
  /** Nothing was taken. */
  | { kind: 'exhausted'; finding: Finding };

const nothingHeld: Held = { charges: [], reserve: null };

const warningType = 'account.budget_warning';

type Context = Pick<EngineContext, 'now' | 'ids' | 'fleet' | 'webhooks' | 'events' | 'accounts' | 'settings'>;

export class Budgets {
  /** Set when something is to be given back or corrected in a while: `run` does it. */
  readonly due = new Wakeup();
  readonly #context: Context;
  readonly #observe: BudgetObserver;
  readonly #lane: Lane<WantedCredit, GrantedCredit | null>;
  readonly #budgets = new Map<string, LocalBudget>();

  constructor(
    context: Context,
    db: Pick<SessionStore, 'takeCredit'>,
    lane: Omit<LaneOptions, 'name'> = {},
    observe: BudgetObserver = {},
  ) {
    this.#context = context;
    this.#observe = observe;
    const { fleet, webhooks, now } = context;
    const warner = () => ({ holder: processHolder(fleet.processId), at: now() });
    const ask = (wants: readonly WantedCredit[]) =>
      noticeUnknownCommit(db.takeCredit(wants, warner()), () => webhooks.commitUnknown());
    this.#lane = new Lane(ask, { inFlight: 1, ...lane, now, name: 'budgets' });
  }

  listen(): void {
    this.#context.events.on('committed', ({ before, session }) => {
      if (session.mode === 'live') for (const each of correctionsOf(before, session)) this.correct(each);
    });
  }

  /** Takes from every budget of the payer, or from none. */
  async reserve(bill: Bill): Promise<Reserved> {
    const { payer, enforced, sends, price } = bill;
    const lines = linesOf(payer);
    if (lines.length === 0) return { kind: 'reserved', held: nothingHeld, monitored: null };
    const charges = chargesOf(lines, sends, price);
    const taking = charges.map(({ line, amount }) => this.#budgetOf(line).take(amount, line.limit, enforced));
    const isHere = !taking.some((each) => each instanceof Promise);
    const taken = isHere ? (taking as Taken[]) : await this.#allTaken(charges, taking);
    const exhausted = this.#exhausted(charges, taken, enforced);
    const held = heldOf(charges, taken);
    if (exhausted && enforced) {
      this.giveBack({ charges: held });
      return { kind: 'exhausted', finding: exhausted };
    }
    // With the keys, which later legs are charged to as well, whatever their currency.
    const countsCost = lines.some(({ unit }) => unit !== sendsUnit);
    const reserve = countsCost ? reserveOf(price, hourOf(held), payer.keys) : null;
    return { kind: 'reserved', held: { charges: held, reserve }, monitored: exhausted };
  }

  /** Where one of them fails, the others are given back. */
  async #allTaken(charges: readonly Charge[], taking: readonly (Taken | Promise<Taken>)[]): Promise<Taken[]> {
    const settled = await Promise.allSettled(taking);
    const failed = settled.find((each) => each.status === 'rejected');
    if (!failed) return settled.map((each) => (each as PromiseFulfilledResult<Taken>).value);
    const done = settled.map((each): Taken => (each.status === 'fulfilled' ? each.value : nothingTaken));
    this.giveBack({ charges: heldOf(charges, done) });
    throw failed.reason;
  }

  giveBack({ charges }: Pick<Held, 'charges'>): void {
    for (const { line, amount, window } of charges) this.#budgetOf(line).giveBack(amount, window);
  }

  /** Gives back unused credit and writes corrections. Resolves with the ms until there may be more to do; null = nothing is left. */
  async run(): Promise<number | null> {
    for (const [key, budget] of this.#budgets) if (budget.isForgettable) this.#budgets.delete(key);
    await this.#settle(false);
    return [...this.#budgets.values()].some(({ isUnsettled }) => isUnsettled) ? keptMs : null;
  }

  /** Gives back everything. */
  async close(): Promise<void> {
    await this.#settle(true);
  }

  async #settle(all: boolean): Promise<void> {
    await Promise.all([...this.#budgets.values()].map((budget) => budget.settle(all)));
  }

  /** The finding about the budget that is exhausted for longest; null where there is none. */
  #exhausted(charges: readonly Charge[], taken: readonly Taken[], enforced: boolean): Finding | null {
    let worst: Finding | null = null;
    for (const [index, { line }] of charges.entries()) {
      const result = taken[index] as Taken;
      const isOver = result.kind === 'exhausted' || result.over;
      if (!isOver) continue;
      const retryAfterMs = result.kind === 'exhausted' ? result.retryAfterMs : 0;
      this.#observe.exhausted?.(nameOf(line), enforced ? 'enforce' : 'monitor');
      if (worst && retryAfterMs <= (worst.retryAfterMs ?? 0)) continue;
      worst = { rule: 'budget', reason: nameOf(line), ...(enforced ? { retryAfterMs } : {}) };
    }
    return worst;
  }

  /** Noted here, and written to the rows within a second. */
  correct({ accountId, keys, currency, hour, by }: Correction): void {
    for (const period of periods) this.#budgetOf({ accountId, keyId: '', period, unit: currency }).correct(by, hour);
    for (const line of linesOf({ accountId, limits: {}, keys }))
      if (line.unit === currency) this.#budgetOf(line).correct(by, hour, line.limit);
  }

  #budgetOf({ accountId, keyId, period, unit }: Omit<BudgetLine, 'limit'>): LocalBudget {
    const key = `${accountId} ${keyId} ${period} ${unit}`;
    const known = this.#budgets.get(key);
    if (known) return known;
    const own = { accountId, keyId, period, unit };
    const { now } = this.#context;
    const budget = new LocalBudget(own, { now, ask: (want) => this.#ask(want), unsettled: () => this.due.set() });
    this.#budgets.set(key, budget);
    return budget;
  }

  async #ask(want: Want): Promise<GrantedCredit | null> {
    const { webhooks, now } = this.#context;
    const storedAt = now();
    const event = this.#warningOf(want, storedAt);
    const granted = (await this.#lane.push({ ...want, event })) ?? (await this.#firstCost({ ...want, event }));
    if (!granted) return null;
    if (granted.warning !== null) this.#observe.warned?.(nameOf(want), granted.warning);
    if (granted.deliveries.length > 0) {
      const bodies = granted.deliveries.map(({ eventId, body }) => ({ id: eventId, type: warningType, json: body }));
      webhooks.post({ deliveries: granted.deliveries, bodies, storedAt }, { accountId: want.accountId });
    }
    return granted;
  }

  /** A cost that nobody expected, as of a carrier without a tariff, may be the first in its budget: no message has made the account's row. */
  async #firstCost(want: WantedCredit): Promise<GrantedCredit | null> {
    const { accountId, period, unit, more } = want;
    if (parseFixed(more) === 0n) return null;
    const { accounts, settings } = this.#context;
    const account = await accounts.view(accountId, 'live');
    const lines = linesOf(payerOf(account, settings.budget, []));
    const line = lines.find((each) => each.period === period && each.unit === unit);
    return line ? this.#lane.push({ ...want, limit: formatFixed(line.limit) }) : null;
  }

  /** The warning that the statement may cause. What only the statement knows it adds to `data`. */
  #warningOf(want: Want, at: number): WantedCredit['event'] {
    const { accountId, keyId, unit } = want;
    const id = this.#context.ids('evt_', shardForAccount(accountId));
    const data = { budget: nameOf(want), currency: unit === sendsUnit ? '' : unit, api_key_id: keyId };
    return { id, body: accountEventBody(id, { type: warningType, accountId, mode: 'live', at, data }) };
  }
}

const nothingTaken: Taken = { kind: 'exhausted', retryAfterMs: 0 };

const heldOf = (charges: readonly Charge[], taken: readonly Taken[]): Held['charges'] =>
  charges.flatMap((charge, index) => {
    const result = taken[index];
    return result?.kind === 'taken' ? [{ ...charge, window: result.window }] : [];
  });

/**
 * The hour in which what is held may come back: at the edge of a window, where one budget had its next one already, the earlier. What comes
 * back then is of no use to any, which is better than to lower what was not raised.
 */
const hourOf = (held: Held['charges']): number =>
  held.length === 0
    ? 0
    : Math.min(...held.map(({ line: { period }, window }) => (period === 'hour' ? window : window * 24 + 23)));
