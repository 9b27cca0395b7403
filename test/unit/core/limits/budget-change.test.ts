import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BudgetLimits, limitsOf, type OwnBudget } from '../../../../src/core/limits/budget.ts';
import { budgetAfter, describeBudget, readBudgetChange } from '../../../../src/core/limits/budget-change.ts';

const names = ['sends_per_hour', 'sends_per_day', 'spend_per_hour', 'spend_per_day'] as const;
const currencies = ['DZD', 'USD', 'EUR'] as const;
const deployment: BudgetLimits = {
  sendsPerHour: 10,
  sendsPerDay: 20,
  spendPerHour: { DZD: '5.5', USD: '1' },
  spendPerDay: { DZD: '50', EUR: '3' },
};

const change = (text: string) => {
  const read = readBudgetChange(text);
  if (!read) throw new Error(`not a change: ${text}`);
  return read;
};

/** What the account has after one change after the other; those that are refused change nothing. */
const after = (texts: readonly string[]): OwnBudget | 'none' | null =>
  texts.reduce<OwnBudget | 'none' | null>((own, text) => {
    const outcome = budgetAfter(own, [change(text)]);
    return outcome.kind === 'changed' ? outcome.budget : own;
  }, null);

/** Each thing that is or is not limited, by what a change calls it. */
function inForce(own: OwnBudget | 'none' | null): Record<string, string | number | undefined> {
  const { sendsPerHour, sendsPerDay, spendPerHour, spendPerDay } = limitsOf(deployment, own ?? {});
  const spend = currencies.flatMap((currency) => [
    [`spend_per_hour:${currency}`, spendPerHour?.[currency]],
    [`spend_per_day:${currency}`, spendPerDay?.[currency]],
  ]);
  return { sends_per_hour: sendsPerHour, sends_per_day: sendsPerDay, ...Object.fromEntries(spend) };
}

const value = fc.constantFrom('7', '0', 'unlimited', 'default');
const single = fc.oneof(
  fc.tuple(fc.constantFrom('sends_per_hour', 'sends_per_day'), value),
  fc.tuple(
    fc
      .tuple(fc.constantFrom('spend_per_hour', 'spend_per_day'), fc.constantFrom(...currencies))
      .map((words) => words.join(':')),
    value,
  ),
  fc.tuple(fc.constantFrom('spend_per_hour', 'spend_per_day'), fc.constantFrom('unlimited', 'default')),
);
const any = fc.oneof(
  { weight: 8, arbitrary: single.map((words) => words.join('=')) },
  { weight: 1, arbitrary: fc.constantFrom('none', 'default') },
);

describe('a change of one budget', () => {
  it('holds for what it names and for nothing else, whatever the account had before', () => {
    fc.assert(
      fc.property(fc.array(any, { maxLength: 6 }), single, (past, [name, word]) => {
        const own = after(past);
        const outcome = budgetAfter(own, [change(`${name}=${word}`)]);
        if (outcome.kind !== 'changed') {
          expect(inForce(own)[name]).toBeUndefined();
          return;
        }
        const isNamed = (each: string) => each === name || each.startsWith(`${name}:`);
        const [before, now, defaults] = [own, outcome.budget, null].map(inForce);
        for (const each of Object.keys(now ?? {})) {
          const asked = word === 'unlimited' ? undefined : word === 'default' ? defaults?.[each] : word;
          expect(`${each} ${now?.[each]}`).toBe(`${each} ${isNamed(each) ? asked : before?.[each]}`);
        }
      }),
    );
  });

  it('of one currency is refused where none is limited, and taken once each has a value of its own', () => {
    const refused = { kind: 'unlimited_in_all', name: 'spend_per_hour' };
    for (const own of [{ spend_per_hour: null }, 'none'] as const) {
      expect(budgetAfter(own, [change('spend_per_hour:DZD=100')])).toEqual(refused);
      expect(budgetAfter(own, [change('spend_per_hour:DZD=default')])).toEqual(refused);
    }
    const same = { kind: 'changed', budget: { spend_per_hour: null } };
    expect(budgetAfter({ spend_per_hour: null }, [change('spend_per_hour:DZD=unlimited')])).toEqual(same);
    const words = ['spend_per_hour=default', 'spend_per_hour:DZD=100', 'spend_per_hour:USD=unlimited'];
    const budget = { spend_per_hour: { DZD: '100', USD: null } };
    expect(budgetAfter({ spend_per_hour: null }, words.map(change))).toEqual({ kind: 'changed', budget });
  });

  it('of an account without any budget leaves it without the others', () => {
    const budget = { sends_per_hour: null, sends_per_day: 7, spend_per_hour: null, spend_per_day: null };
    expect(budgetAfter('none', [change('sends_per_day=7')])).toEqual({ kind: 'changed', budget });
    const taken = names.map((name) => change(`${name}=default`));
    expect(budgetAfter('none', taken)).toEqual({ kind: 'changed', budget: null });
  });
});

it('what an account has of its own is described in the words that set it', () => {
  fc.assert(
    fc.property(fc.array(any, { maxLength: 6 }), (past) => {
      const own = after(past);
      expect(budgetAfter(null, describeBudget(own ?? {}).map(change))).toEqual({ kind: 'changed', budget: own });
    }),
  );
});
