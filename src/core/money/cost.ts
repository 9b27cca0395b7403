// The cost of a message, and its changes as receipts come in (contract, "Receipts and cost"). Prices are configuration; the rules
// are here, so that the same receipts in any order end in the same amount.

import { addAmounts, isGreaterAmount, isPrice, multiplyAmount, sameAmount } from './money.ts';

/** Who sends the bill: this service, or the messaging platform directly (the business's own account). */
export type BilledBy = 'service' | 'platform';

/** One version of a rate card. A part is an SMS segment, a WhatsApp message, or a second or minute of a call. */
export interface Tariff {
  /** ISO 4217. */
  currency: string;
  amountPerPart: string;
  /** When the carrier charges: on taking the message, only when it arrived, or for the time from a call's answer on. */
  charged: 'submit' | 'delivery' | 'answer';
  /** With `answer`: the length of a part, of which a started one counts: 1 or 60. Default 1. */
  unitSeconds?: number;
  /** With `answer`: the time that an answered call costs at least. Default 0. */
  minimumSeconds?: number;
  version: string;
  /** Unix ms. */
  validFrom: number;
  /** Default `service`. */
  billedBy?: BilledBy;
}

export interface Cost {
  /** The amount owed as far as is known: zero until delivered, or until the call is over, where the tariff charges for that. */
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

/**
 * Parts of a call of so many seconds: started units of the tariff, at least its minimum. A call that was never answered has none, and one
 * whose length is not known (null) has none yet.
 */
export function partsOfCall({ unitSeconds = 1, minimumSeconds = 0 }: Tariff, seconds: number | null): number {
  return seconds ? Math.ceil(Math.max(seconds, minimumSeconds) / unitSeconds) : 0;
}

/** The parts that a tariff charges: those the carrier counted when it took the message, or those of the call's time. */
export const chargedParts = (tariff: Tariff | null, parts: number, seconds: number | null): number =>
  tariff?.charged === 'answer' ? partsOfCall(tariff, seconds) : parts;

/** What a message costs at most by its tariff, whatever becomes of it: a call that is charged by its time is taken for `mostSeconds` long. */
export function mostCost(tariff: Tariff, parts: number, mostSeconds: number): Pick<Cost, 'amount' | 'currency'> {
  const { amountPerPart, currency } = tariff;
  return { amount: multiplyAmount(amountPerPart, chargedParts(tariff, parts, mostSeconds)), currency };
}

/** The first cost of a message the carrier took. One charged on submit is final at once. */
export function costAtSubmit(tariff: Tariff, parts: number): Cost {
  return {
    amount: multiplyAmount(tariff.amountPerPart, tariff.charged === 'submit' ? parts : 0),
    currency: tariff.currency,
    parts: chargedParts(tariff, parts, null),
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
  /** Seconds of the call that count, 0 where it was never answered; null while they are not known. Default null. */
  seconds?: number | null;
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
      settled.parts === current.parts &&
      settled.statedAt === current.statedAt &&
      settled.billable === current.billable;
    return nothingNew ? current : { ...settled, revision: current.revision };
  }
  return { ...settled, revision: current.revision + 1 };
}

/** The cost by the operator's statement, where one holds. */
function byOperator(receipt: ReceiptForCost): Cost | undefined {
  const { current, tariff, operatorAmount, statedAt } = receipt;
  const parts = chargedParts(tariff, receipt.parts, receipt.seconds ?? null);
  const final = receipt.final ?? receipt.delivered;
  const kept =
    current?.source === 'operator'
      ? { ...current, parts: tariff?.charged === 'answer' ? parts : current.parts, final }
      : undefined;
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

function byTariff(receipt: ReceiptForCost): Cost | null {
  const { current, tariff, delivered, final = delivered, billable } = receipt;
  if (!tariff) return current ? { ...current, final } : null;
  const parts = chargedParts(tariff, receipt.parts, receipt.seconds ?? null);
  const said = current?.billable || billable === undefined ? current?.billable : billable;
  const atSubmit = { ...costAtSubmit(tariff, parts), parts, ...(said === undefined ? {} : { billable: said }) };
  const owed = said === false ? 0 : parts;
  const amount = (charged: number) => multiplyAmount(tariff.amountPerPart, charged);
  switch (tariff.charged) {
    case 'submit':
      return { ...atSubmit, amount: amount(owed) };
    case 'delivery':
      return { ...atSubmit, amount: amount(delivered ? owed : 0), final };
    // A voicemail box that heard nothing costs too: the carrier charges for the time.
    case 'answer':
      return { ...atSubmit, amount: amount(owed), final };
  }
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
    const sum = byCurrency.get(currency) ?? { amount: '0', currency, final: true };
    byCurrency.set(currency, { amount: addAmounts(sum.amount, cost.amount), currency, final: sum.final && cost.final });
  }
  return [...byCurrency.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1));
}
