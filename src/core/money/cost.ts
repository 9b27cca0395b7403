// The cost of a message, and its changes as receipts come in (contract, "Receipts and cost"). Prices are configuration; the rules
// are here, so that the same receipts in any order end in the same amount.

import { addAmounts, isGreaterAmount, isPrice, multiplyAmount, sameAmount } from './money.ts';

/** Who sends the bill: this service, or the messaging platform directly (the business's own account). */
export type BilledBy = 'service' | 'platform';

/** One version of a rate card. A part is an SMS segment, a messaging-app message, or a second of a call. */
export interface Tariff {
  /** ISO 4217. */
  currency: string;
  amountPerPart: string;
  /** When the carrier charges: on taking the message, or only when it arrived. */
  charged: 'submit' | 'delivery';
  version: string;
  /** Unix ms. */
  validFrom: number;
  /** Default `service`. */
  billedBy?: BilledBy;
}

export interface Cost {
  /** The amount owed as far as is known: for a tariff charged on delivery, zero until delivered. */
  amount: string;
  currency: string;
  parts: number;
  /** `operator` = the carrier's own statement, which wins over `tariff`. */
  source: 'operator' | 'tariff';
  /** True once only a correction by the operator can change the cost. */
  final: boolean;
  /** From 1; raised whenever amount, currency or `final` changes. */
  revision: number;
  billedBy: BilledBy;
  /** The carrier's statement whether it charges at all; absent while it has made none. */
  billable?: boolean;
  /** With source `operator`: when the operator stated it, Unix ms; an older statement that comes late changes nothing. */
  statedAt?: number;
}

/** The version of a rate card in force at `at` (Unix ms); undefined before the first. */
export function tariffAt(tariffs: readonly Tariff[], at: number): Tariff | undefined {
  let best: Tariff | undefined;
  for (const tariff of tariffs) {
    if (tariff.validFrom <= at && (!best || tariff.validFrom > best.validFrom)) best = tariff;
  }
  return best;
}

/** The first cost of a message the carrier took. One charged on submit is final at once. */
export function costAtSubmit(tariff: Tariff, parts: number): Cost {
  return {
    amount: multiplyAmount(tariff.amountPerPart, tariff.charged === 'submit' ? parts : 0),
    currency: tariff.currency,
    parts,
    source: 'tariff',
    final: tariff.charged === 'submit',
    revision: 1,
    billedBy: tariff.billedBy ?? 'service',
  };
}

export interface ReceiptForCost {
  current: Cost | null;
  tariff: Tariff | null;
  parts: number;
  /** The message is delivered, by this receipt or by an earlier one. */
  delivered: boolean;
  /** The message is in a final state (not merely ENROUTE or ACCEPTD), by this receipt or by an earlier one. Default: as `delivered`. */
  final?: boolean;
  /** The price that the operator states; anything but a price that is not negative is ignored. */
  operatorAmount?: { amount: string; currency: string } | null;
  /** Whether the carrier charges for this message at all; a yes in one of several reports holds. */
  billable?: boolean | undefined;
  /** The time of the operator's statement, Unix ms: its own timestamp, else when it was received. Without it the last one to come holds. */
  statedAt?: number;
}

/**
 * The cost after a receipt; the very object passed in when nothing changed, null while no price is known.
 * Any order and repetition of the same receipts ends in the same amount, given that each says when it was stated.
 */
export function costAtReceipt(receipt: ReceiptForCost): Cost | null {
  const { current } = receipt;
  const next = byOperator(receipt) ?? byTariff(receipt);
  if (!current || !next) return next ?? current;
  const settled: Cost = { ...next, final: next.final || current.final };
  const sameMoney = settled.currency === current.currency && sameAmount(settled.amount, current.amount);
  if (sameMoney && settled.final === current.final) {
    const nothingNew =
      settled.source === current.source &&
      settled.statedAt === current.statedAt &&
      settled.billable === current.billable;
    return nothingNew ? current : { ...settled, revision: current.revision };
  }
  return { ...settled, revision: current.revision + 1 };
}

/** The cost by the operator's statement, where one holds. */
function byOperator(receipt: ReceiptForCost): Cost | undefined {
  const { current, tariff, parts, operatorAmount, statedAt } = receipt;
  const final = receipt.final ?? receipt.delivered;
  const kept = current?.source === 'operator' ? { ...current, final } : undefined;
  if (!operatorAmount || !isPrice(operatorAmount.amount)) return kept;
  if (kept && statedAt !== undefined && isStale(kept, operatorAmount, statedAt)) return kept;
  return {
    amount: operatorAmount.amount,
    currency: operatorAmount.currency,
    parts,
    source: 'operator',
    final,
    revision: 1,
    billedBy: current?.billedBy ?? tariff?.billedBy ?? 'service',
    ...(statedAt === undefined ? {} : { statedAt }),
  };
}

/**
 * True where an operator's statement gives way to the one we have: the later one holds. Operators' clocks often have whole minutes
 * only, so of two made at the same time the greater amount holds (a price follows a zero), or the order of arrival would decide.
 */
function isStale(kept: Cost, { amount, currency }: { amount: string; currency: string }, statedAt: number): boolean {
  if (kept.statedAt === undefined || statedAt > kept.statedAt) return false;
  if (statedAt < kept.statedAt) return true;
  if (currency !== kept.currency) return currency < kept.currency;
  return !isGreaterAmount(amount, kept.amount);
}

function byTariff({ current, tariff, parts, delivered, final = delivered, billable }: ReceiptForCost): Cost | null {
  if (!tariff) return current ? { ...current, final } : null;
  const said = current?.billable || billable === undefined ? current?.billable : billable;
  const atSubmit = { ...costAtSubmit(tariff, parts), ...(said === undefined ? {} : { billable: said }) };
  const owed = said === false ? 0 : parts;
  if (tariff.charged === 'submit') return { ...atSubmit, amount: multiplyAmount(tariff.amountPerPart, owed) };
  return { ...atSubmit, amount: multiplyAmount(tariff.amountPerPart, delivered ? owed : 0), final };
}

export interface Total {
  currency: string;
  amount: string;
  /** Every cost in it is final. */
  final: boolean;
}

/** The cost of a session: sums by currency, sorted by it. Messages without a known cost are left out. */
export function totals(costs: Iterable<Cost | null>): Total[] {
  const byCurrency = new Map<string, Total>();
  for (const cost of costs) {
    if (!cost) continue;
    const { currency } = cost;
    const sum = byCurrency.get(currency) ?? { currency, amount: '0', final: true };
    byCurrency.set(currency, { currency, amount: addAmounts(sum.amount, cost.amount), final: sum.final && cost.final });
  }
  return [...byCurrency.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1));
}
