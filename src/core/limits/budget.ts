// Budgets: how much an account, or one of its keys, may send and spend within an hour or a day. A window is a whole hour or day of UTC, as in
// reports, so that what a budget says it used can be compared with what a report says was spent.

import { formatFixed, parseFixed } from '../money/money.ts';

export const periods = ['hour', 'day'] as const;
export type Period = (typeof periods)[number];

export const periodMs: Readonly<Record<Period, number>> = { hour: 3_600_000, day: 86_400_000 };

/** The window that an hour, counted from 1970 on, belongs to: that hour, or its day. */
export const windowOfHour = (period: Period, hour: number): number =>
  period === 'hour' ? hour : Math.floor(hour / 24);

/** The unit of a budget that counts sends. Every other unit is a currency, ISO 4217. */
export const sendsUnit = 'sends';

/** What a budget is called where it refuses or warns. */
export type BudgetName = `${'sends' | 'spend'}_per_${Period}`;

/** Budgets of an account or a key. What is absent is not limited. */
export interface BudgetLimits {
  sendsPerHour?: number;
  sendsPerDay?: number;
  /** Decimal strings by currency. */
  spendPerHour?: Readonly<Record<string, string>>;
  spendPerDay?: Readonly<Record<string, string>>;
}

/** Budgets of one account in place of the deployment's; null = not limited. As it is stored. */
export interface OwnBudget {
  sends_per_hour?: number | null;
  sends_per_day?: number | null;
  /** Amounts by currency; null as a whole = not limited in any currency. */
  spend_per_hour?: OwnSpend | null;
  spend_per_day?: OwnSpend | null;
}

type OwnSpend = Readonly<Record<string, string | null>>;

/** `own` 'none': the account has no budget. */
export function limitsOf(deployment: BudgetLimits, own: OwnBudget | 'none'): BudgetLimits {
  if (own === 'none') return {};
  const { sends_per_hour: hourly = deployment.sendsPerHour, sends_per_day: daily = deployment.sendsPerDay } = own;
  return {
    ...(hourly == null ? {} : { sendsPerHour: hourly }),
    ...(daily == null ? {} : { sendsPerDay: daily }),
    spendPerHour: spendOf(deployment.spendPerHour, own.spend_per_hour),
    spendPerDay: spendOf(deployment.spendPerDay, own.spend_per_day),
  };
}

function spendOf(deployment: OwnSpend = {}, own: OwnSpend | null = {}): Record<string, string> {
  const amounts = Object.entries(own === null ? {} : { ...deployment, ...own });
  return Object.fromEntries(amounts.flatMap(([currency, amount]) => (amount === null ? [] : [[currency, amount]])));
}

/** One budget: whose it is, and what it counts. Amounts are fixed-point (money.ts), of sends too. */
export interface BudgetLine {
  accountId: string;
  /** '' = of the whole account. */
  keyId: string;
  period: Period;
  unit: string;
  limit: bigint;
}

/** What a send takes of one budget. */
export interface Charge {
  line: BudgetLine;
  amount: bigint;
}

export const nameOf = ({ period, unit }: Pick<BudgetLine, 'period' | 'unit'>): BudgetName =>
  `${unit === sendsUnit ? 'sends' : 'spend'}_per_${period}`;

const perPeriod = {
  hour: { sends: 'sendsPerHour', spend: 'spendPerHour' },
  day: { sends: 'sendsPerDay', spend: 'spendPerDay' },
} as const;

/** Budgets of one key: they count what the key sends, and what the keys send that it makes. */
export interface KeyBudget {
  keyId: string;
  limits: BudgetLimits;
}

/** Whose budgets a send is charged to. */
export interface Payer {
  accountId: string;
  /** Of the account. */
  limits: BudgetLimits;
  /** Of the key of the call and of those that it descends from, as far as they have any; its own first. */
  keys: readonly KeyBudget[];
}

/** The account with its budgets in force, and the keys that pay with it. */
export const payerOf = (
  account: { id: string; budget: OwnBudget | 'none' },
  deployment: BudgetLimits,
  keys: readonly KeyBudget[],
): Payer => ({ accountId: account.id, limits: limitsOf(deployment, account.budget), keys });

/** Every budget of the payer, the account's first. */
export const linesOf = ({ accountId, limits, keys }: Payer): BudgetLine[] => [
  ...ownLines(accountId, '', limits),
  ...keys.flatMap((key) => ownLines(accountId, key.keyId, key.limits)),
];

const ownLines = (accountId: string, keyId: string, limits: BudgetLimits): BudgetLine[] =>
  periods.flatMap((period) => {
    const { sends, spend } = perPeriod[period];
    const count = limits[sends];
    const line = (unit: string, limit: string) => ({ accountId, keyId, period, unit, limit: parseFixed(limit) });
    return [
      ...(count === undefined ? [] : [line(sendsUnit, String(count))]),
      ...Object.entries(limits[spend] ?? {}).map(([currency, amount]) => line(currency, amount)),
    ];
  });

export interface Price {
  /** Decimal string. */
  amount: string;
  currency: string;
}

/**
 * What is charged for a message: its expected cost, and one send where a call asked for it. A leg of a cascade is no send of its own.
 * `price` null = not known.
 */
export function chargesOf(lines: readonly BudgetLine[], sends: 0 | 1, price: Price | null): Charge[] {
  return lines.flatMap((line): Charge[] => {
    if (line.unit === sendsUnit) return sends === 0 ? [] : [{ line, amount: parseFixed(String(sends)) }];
    if (price === null || line.unit !== price.currency) return [];
    const amount = parseFixed(price.amount);
    return amount === 0n ? [] : [{ line, amount }];
  });
}

/** A process holds at most this part of a budget that it has not spent. */
const largestSlice = 100n;

/**
 * How much a process takes ahead beyond what it needs now: as much as it spent within the last second, and no more than a hundredth of the
 * budget. The statement that grants it gives less where little of the budget is left.
 */
export function sliceOf({ limit, unit }: Pick<BudgetLine, 'limit' | 'unit'>, spentOfLate: bigint): bigint {
  const most = limit / largestSlice;
  const slice = spentOfLate < most ? spentOfLate : most;
  return unit === sendsUnit ? slice - (slice % parseFixed('1')) : slice;
}

/** In a budget of so little the next slice is what a send needs and no more: 1 part in 32 of what is left. */
export const leftPerSlice = 32;

/** The parts of a budget, in percent, at which its account is warned once a window. 100: it is used up, or has refused a send. */
export const warnings = [50, 80, 100] as const;

/** What budgets keep for a message from before it is sent until its cost is final (reserve.ts). It is stored with the message. */
export interface Reserve extends Price {
  /** The hour that it was taken in, from 1970 on: what comes back is of use in that window alone. */
  hour: number;
  /** The keys whose budgets of costs were charged as well, with those: a key's budgets never change. */
  keys?: readonly KeyBudget[];
}

/** The reserve of a message, where anything is counted for it. `price` null = not known: a cost that comes later counts in whole. */
export function reserveOf(price: Price | null, hour: number, keys: readonly KeyBudget[]): Reserve {
  const paying = keys.flatMap(({ keyId, limits: { spendPerHour, spendPerDay } }) =>
    spendPerHour || spendPerDay
      ? [{ keyId, limits: { ...(spendPerHour && { spendPerHour }), ...(spendPerDay && { spendPerDay }) } }]
      : [],
  );
  return {
    amount: formatFixed(parseFixed(price?.amount ?? '0')),
    currency: price?.currency ?? '',
    hour,
    ...(paying.length === 0 ? {} : { keys: paying }),
  };
}
