// A change of an account's own budgets, as the person who runs the service words it: `none`, `default`, or one budget at a time.

import { isPrice } from '../money/money.ts';
import type { OwnBudget } from './budget.ts';

/** One budget: null = not limited, undefined = the deployment's again. */
type SingleChange =
  | { name: 'sends_per_hour' | 'sends_per_day'; value: number | null | undefined }
  | { name: 'spend_per_hour' | 'spend_per_day'; currency: string; value: string | null | undefined }
  /** In every currency. */
  | { name: 'spend_per_hour' | 'spend_per_day'; value: null | undefined };

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
  const name = spend as 'spend_per_hour' | 'spend_per_day';
  if (currency !== undefined) return { name, currency, value: given };
  return typeof given === 'string' ? null : { name, value: given };
}

/** Null = the account has none of its own. */
export function budgetAfter(
  before: OwnBudget | 'none' | null,
  changes: readonly BudgetChange[],
): OwnBudget | 'none' | null {
  return changes.reduce((budget, change): OwnBudget | 'none' | null => {
    if (change === 'none') return 'none';
    if (change === 'default') return null;
    const own = budget === 'none' || budget === null ? {} : budget;
    const { name, value } = change;
    const amounts = 'currency' in change ? set({ ...own[change.name] }, change.currency, value) : null;
    const next = set({ ...own }, name, amounts && Object.keys(amounts).length === 0 ? undefined : (amounts ?? value));
    return Object.keys(next).length === 0 ? null : (next as OwnBudget);
  }, before);
}

function set(values: Record<string, unknown>, name: string, value: unknown): Record<string, unknown> {
  const { [name]: _, ...rest } = values;
  return value === undefined ? rest : { ...rest, [name]: value };
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
