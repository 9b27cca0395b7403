// A change of an account's own budgets, as the person who runs the service words it: `none`, `default`, or one budget at a time.

import { isPrice } from '../money/money.ts';
import type { OwnBudget } from './budget.ts';

type SpendName = 'spend_per_hour' | 'spend_per_day';

/** One budget: null = not limited, undefined = the deployment's again. */
export type SingleChange =
  | { name: 'sends_per_hour' | 'sends_per_day'; value: number | null | undefined }
  | { name: SpendName; currency: string; value: string | null | undefined }
  /** In every currency. */
  | { name: SpendName; value: null | undefined };

export type BudgetChange = 'none' | 'default' | SingleChange;

const single = /^(?:(sends_per_(?:hour|day))|(spend_per_(?:hour|day))(?::([A-Z]{3}))?)=(.+)$/;

/**
 * `none`, `default`, `sends_per_day=1000`, `spend_per_hour:DZD=2500.00`; `unlimited` or `default` in place of a value, and then also without a
 * currency: in all of them. Null = none of these.
 */
export function readBudgetChange(text: string): BudgetChange | null {
  if (text === 'none' || text === 'default') return text;
  const [, sends, spend, currency, word = ''] = single.exec(text) ?? [];
  const given = word === 'unlimited' ? null : word === 'default' ? undefined : word;
  if (sends) {
    if (typeof given === 'string' && !/^\d{1,9}$/.test(given)) return null;
    const value = typeof given === 'string' ? Number(given) : given;
    return { name: sends as 'sends_per_hour' | 'sends_per_day', value };
  }
  if (!spend || (typeof given === 'string' && !isPrice(given))) return null;
  const name = spend as SpendName;
  if (currency !== undefined) return { name, currency, value: given };
  return typeof given === 'string' ? null : { name, value: given };
}

export type BudgetAfter =
  /** `budget` null = the account has none of its own. */
  | { kind: 'changed'; budget: OwnBudget | 'none' | null }
  /** One currency was to change where none is limited: what is stored can't say "in all but this one". */
  | { kind: 'unlimited_in_all'; name: SpendName };

/** One change after the other. Each leaves every budget that it doesn't name as it was, and every currency beside the one it names. */
export function budgetAfter(before: OwnBudget | 'none' | null, changes: readonly BudgetChange[]): BudgetAfter {
  let budget = before;
  for (const change of changes) {
    if (change === 'none') budget = 'none';
    else if (change === 'default') budget = null;
    else {
      const own = budget === 'none' ? noneOfEach : (budget ?? {});
      const after = 'currency' in change ? amountsAfter(own[change.name], change) : change.value;
      if (after === 'unlimited_in_all') return { kind: after, name: change.name as SpendName };
      const next = set(own, change.name, after);
      budget = isEmpty(next) ? null : next;
    }
  }
  return { kind: 'changed', budget };
}

type Amounts = NonNullable<OwnBudget[SpendName]>;

function amountsAfter(
  before: Amounts | null | undefined,
  { currency, value }: { currency: string; value: string | null | undefined },
): Amounts | 'unlimited_in_all' | null | undefined {
  if (before === null) return value === null ? null : 'unlimited_in_all';
  const amounts = set(before ?? {}, currency, value);
  return isEmpty(amounts) ? undefined : amounts;
}

/** What `none` says, as a change of one budget finds it. */
const noneOfEach: OwnBudget = { sends_per_hour: null, sends_per_day: null, spend_per_hour: null, spend_per_day: null };

const isEmpty = (values: object): boolean => Object.keys(values).length === 0;

/** `value` undefined: without it. */
function set<T extends object>(values: T, name: string, value: unknown): T {
  const { [name]: _, ...rest } = values as Record<string, unknown>;
  return (value === undefined ? rest : { ...rest, [name]: value }) as T;
}

/** In the words of a change. */
export function describeBudget(budget: OwnBudget | 'none'): string[] {
  if (budget === 'none') return ['none'];
  return Object.entries(budget).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).map(([currency, amount]) => `${name}:${currency}=${amount ?? 'unlimited'}`)
      : [`${name}=${value ?? 'unlimited'}`],
  );
}
