// Operators as the person who runs the service sees and orders them: who is up, what is parked, pause, resume, rebind. An order is a row; each
// process learns of it by its pulse and follows it, so that it holds in all of them and after a restart.

import type { Actor } from '../../core/accounts/actor.ts';
import { maskPhone } from '../../core/phone.ts';
import { answerKey, type MessageIdRule, receiptKeys } from '../../core/receipts/message-ids.ts';
import { type Evidence, readEvidence } from '../../db/operators/evidence.ts';
import { addOrder, type OperatorPause, readOrders } from '../../db/operators/orders.ts';
import {
  addReferences,
  listParked,
  type Misfiled,
  type ParkedListed,
  readMisfiled,
} from '../../db/operators/parked.ts';
import { readStandings } from '../../db/operators/standing.ts';
import { inside, type Queryable } from '../../db/queryable.ts';
import type { Db } from '../../db/schema.ts';
import { Wakeup } from '../../time/on-demand.ts';

/** An operator of the configuration. */
export interface KnownOperator {
  readonly id: string;
  readonly name: string;
  readonly prefixes: readonly string[];
}

/** The part of the SMS channel that follows orders. */
export interface OrderedBinds {
  /** These operators are not sent to; all others are. */
  setPaused(operators: ReadonlySet<string>): void;
  /** Makes binds of this process again: one, or all of the operator with null. */
  rebind(operator: string, slot: number | null): void;
}

export interface OperatorsOptions {
  /** Home's: orders, binds and parked receipts are there. */
  db: Db;
  /** All databases that messages and receipts are in. Default: home alone. */
  cells?: readonly Db[];
  settings: { readonly config: { readonly operators: readonly KnownOperator[] } };
  log: OrderLog;
}

/** Where orders are on record beside their rows. */
interface OrderLog {
  info(fields: object, message: string): void;
}

export interface OperatorListed extends KnownOperator {
  pause: Omit<OperatorPause, 'operator'> | null;
  binds: { slot: number; bound: boolean; process: string }[];
  parked: { unmatched: number; unreadable: number };
}

/** Masked: an operator's person needs to know which phone is meant, and not its number. */
export type ParkedShown = Omit<ParkedListed, 'number'> & { to: string };

export type Ordered =
  | { kind: 'ordered'; operator: OperatorListed }
  | { kind: 'operator_not_found' }
  /** It has binds, and none with this number. */
  | { kind: 'slot_not_found'; slots: number[] };

export interface Matched {
  /** Parked receipts that were looked at: they have an id and a phone. */
  looked: number;
  /** Those of them that name a message to their phone, and were not looked for under what it is filed under. */
  matched: number;
}

/** Receipts and answers that are held against each other. */
const mostEvidence = 5_000;
const parkedAtOnce = 10_000;

export class Operators {
  /** Set when there are orders that were not followed. */
  readonly ordered = new Wakeup();
  readonly #options: OperatorsOptions;
  readonly #queryable: Queryable;
  /** The counter of orders at the last look; null before the first. */
  #seen: number | null = null;
  /** The last order that was followed; null before the first look. */
  #last: number | null = null;

  constructor(options: OperatorsOptions) {
    this.#options = options;
    this.#queryable = inside(options.db);
  }

  /** Takes the counter that a pulse has read. */
  saw(counter: number): void {
    if (counter === this.#seen) return;
    this.#seen = counter;
    this.ordered.set();
  }

  /** Follows orders that came since the last call; at the first, only what is paused: binds are new then. */
  async follow(binds: OrderedBinds): Promise<void> {
    const { last, paused, rebinds } = await readOrders(this.#queryable, this.#last ?? 0);
    const isFirst = this.#last === null;
    this.#last = last;
    binds.setPaused(new Set(paused.map(({ operator }) => operator)));
    if (!isFirst) for (const { operator, slot } of rebinds) binds.rebind(operator, slot);
  }

  async list(): Promise<OperatorListed[]> {
    const [standings, { paused }] = await Promise.all([
      readStandings(this.#queryable),
      readOrders(this.#queryable, Number.MAX_SAFE_INTEGER),
    ]);
    return this.#options.settings.config.operators.map(({ id, name, prefixes }) => {
      const standing = standings.find(({ operator }) => operator === id);
      const pause = paused.find(({ operator }) => operator === id);
      return {
        id,
        name,
        prefixes,
        pause: pause ? { since: pause.since, reason: pause.reason } : null,
        binds: standing?.binds ?? [],
        parked: { unmatched: standing?.unmatched ?? 0, unreadable: standing?.unreadable ?? 0 },
      };
    });
  }

  pause(id: string, reason: string, actor: Actor): Promise<Ordered> {
    return this.#order(id, { kind: 'pause', slot: null, reason }, actor);
  }

  resume(id: string, actor: Actor): Promise<Ordered> {
    return this.#order(id, { kind: 'resume', slot: null, reason: '' }, actor);
  }

  /** `slot` null = all of its binds. */
  async rebind(id: string, slot: number | null, actor: Actor): Promise<Ordered> {
    // Before a process has claimed its binds, their numbers are not known.
    const slots = slot === null ? [] : ((await this.#find(id))?.binds.map((bind) => bind.slot) ?? []);
    if (slot !== null && slots.length > 0 && !slots.includes(slot)) return { kind: 'slot_not_found', slots };
    return this.#order(id, { kind: 'rebind', slot, reason: '' }, actor);
  }

  /** The newest first. `operator` null = of all. */
  async parked(asked: { operator: string | null; before: string | null; limit: number }): Promise<ParkedShown[]> {
    const rows = await listParked(this.#queryable, asked);
    return rows.map(({ number, ...row }) => ({ ...row, to: number === null ? '' : maskPhone(number) }));
  }

  /** What came from the operator and was not understood. `withoutPattern`: how the reason of a report begins that a pattern would read. */
  evidence(operator: string, withoutPattern: string): Promise<Evidence> {
    const { db, cells = [db] } = this.#options;
    const wanted = { operator, limit: mostEvidence, withoutPattern };
    return readEvidence({ home: this.#queryable, cells: cells.map(inside) }, wanted);
  }

  /**
   * Holds parked receipts against messages once more, by the rule for message ids as it is now: both were stored in the form of the rule that was in
   * force when they came. Changes nothing but what the receipts are looked for under; the next sweep of a running process takes them in.
   */
  async match(operator: string, rule: MessageIdRule): Promise<Matched> {
    const { db, cells = [db] } = this.#options;
    const looked = new Set<string>();
    const matched = new Set<string>();
    // Each cell has all parked receipts.
    for (const cell of cells.map(inside)) {
      let after: string | undefined = '';
      while (after !== undefined) {
        const asked = { operator, after, limit: parkedAtOnce, nowMs: Date.now() };
        const page: Misfiled[] = await readMisfiled(cell, asked);
        const found = page.map((each) => ({ id: each.parkedId, more: referencesFor(each, rule) }));
        const named = found.filter(({ more }) => more.length > 0);
        if (named.length > 0) await addReferences(cell, named);
        for (const { id } of found) looked.add(id);
        for (const { id } of named) matched.add(id);
        after = page.length < parkedAtOnce ? undefined : page.at(-1)?.parkedId;
      }
    }
    return { looked: looked.size, matched: matched.size };
  }

  async #find(id: string): Promise<OperatorListed | undefined> {
    return (await this.list()).find((each) => each.id === id);
  }

  async #order(
    id: string,
    order: { kind: 'pause' | 'resume' | 'rebind'; slot: number | null; reason: string },
    actor: Actor,
  ): Promise<Ordered> {
    const { db, settings, log } = this.#options;
    if (!settings.config.operators.some((operator) => operator.id === id)) return { kind: 'operator_not_found' };
    await addOrder(db, { operator: id, ...order }, actor);
    log.info({ operator: id, order: order.kind, slot: order.slot, reason: order.reason }, 'operator ordered');
    const operator = await this.#find(id);
    return operator ? { kind: 'ordered', operator } : { kind: 'operator_not_found' };
  }
}

/** What the messages that the receipt may be about are filed under. */
function referencesFor({ reported, messages }: Misfiled, rule: MessageIdRule): string[] {
  const keys = receiptKeys(reported, rule);
  const named = messages.filter(({ answered }) => keys.includes(answerKey(answered, rule) ?? ''));
  return named.map(({ reference }) => reference);
}
