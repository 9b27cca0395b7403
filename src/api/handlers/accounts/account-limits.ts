// Limits of an account in place of the deployment's, to and from the contract, which names them as they are stored.

import { create, fromJson, type JsonObject, toJson } from '@bufbuild/protobuf';
import { limitsOf, type OwnBudget } from '../../../core/limits/budget.ts';
import {
  type BudgetChange,
  describeBudget,
  readBudgetChange,
  type SingleChange,
} from '../../../core/limits/budget-change.ts';
import { guardRules, type RuleMode } from '../../../core/limits/verdict.ts';
import type { LimitsChange } from '../../../db/accounts/control.ts';
import type { AccountLimits } from '../../../db/schema.ts';
import {
  type AccountBudget,
  AccountBudgetSchema,
  type ManagedLimits,
  ManagedLimitsSchema,
  type UpdateAccountLimitsRequest,
  UpdateAccountLimitsRequestSchema,
} from '../../../gen/ramz/v1/admin_pb.ts';
import { budgetValues } from '../../../gen/values.ts';
import { fail } from '../../waist/errors.ts';
import { changes } from '../../waist/interceptors/update-mask.ts';
import { shown } from '../../waist/validate.ts';

/** Throws `invalid_argument`. */
export function readLimitsChange(request: UpdateAccountLimitsRequest): LimitsChange {
  const asked = toJson(UpdateAccountLimitsRequestSchema, request, { useProtoFieldName: true }) as JsonObject;
  const { id: _, update_mask: __, rule_modes: ___, budget: ____, ...own } = asked;
  return {
    // 0 and false go back to the deployment's.
    ...Object.fromEntries(Object.entries(own).map(([name, value]) => [name, value || null])),
    ...(changes(request, 'rule_modes') ? { rules: readModes(request.ruleModes) } : {}),
    ...(request.budget ? { budget: readBudget(request.budget) } : {}),
  };
}

/** Every rule: one that is left out has the deployment's mode again. */
function readModes(modes: Readonly<Record<string, string>>): NonNullable<LimitsChange['rules']> {
  const unknown = Object.keys(modes).find((name) => !guardRules.some((rule) => rule === name));
  if (unknown !== undefined) {
    const field = `rule_modes.${shown(unknown)}`;
    throw fail('invalid_argument', `${field} must have a key of ${guardRules.join(', ')}`, { field });
  }
  return Object.fromEntries(guardRules.map((rule) => [rule, (modes[rule] as RuleMode | undefined) ?? null]));
}

/** All budgets in place of those before. */
function readBudget({ sendsPerHour, sendsPerDay, unlimited, ...spend }: AccountBudget): BudgetChange[] {
  const limited: SingleChange[] = [
    ...(sendsPerHour === undefined ? [] : [{ name: 'sends_per_hour' as const, value: sendsPerHour }]),
    ...(sendsPerDay === undefined ? [] : [{ name: 'sends_per_day' as const, value: sendsPerDay }]),
    ...amountsIn('spend_per_hour', spend.spendPerHour),
    ...amountsIn('spend_per_day', spend.spendPerDay),
  ];
  const named = limited.flatMap((each) =>
    'currency' in each ? [each.name, `${each.name}:${each.currency}`] : [each.name],
  );
  const both = unlimited.findIndex((words) => named.includes(words));
  if (both !== -1) {
    const field = `budget.unlimited[${both}]`;
    throw fail('invalid_argument', `${field} must not name a budget that is limited beside it`, { field });
  }
  // Those of one currency first: what holds for all of them takes their place.
  const open = unlimited.toSorted((one, other) => other.length - one.length);
  return ['default', ...limited, ...open.flatMap((words) => readBudgetChange(`${words}=unlimited`) ?? [])];
}

const amountsIn = (name: 'spend_per_hour' | 'spend_per_day', amounts: Readonly<Record<string, string>>) =>
  Object.entries(amounts).map(([currency, value]): SingleChange => ({ name, currency, value }));

export function toManagedLimits({ rules = {}, budget, ...limits }: AccountLimits): ManagedLimits {
  const own = { ...limits, rule_modes: rules } as JsonObject;
  const message = fromJson(ManagedLimitsSchema, own, { ignoreUnknownFields: true });
  if (budget !== undefined) message.budget = toBudget(budget);
  return message;
}

const toBudget = (own: OwnBudget | 'none'): AccountBudget =>
  create(AccountBudgetSchema, { ...limitsOf({}, own), unlimited: unlimitedIn(own) });

const unlimitedIn = (own: OwnBudget | 'none'): string[] =>
  own === 'none'
    ? [...budgetValues]
    : describeBudget(own).flatMap((words) => /^(.+)=unlimited$/.exec(words)?.[1] ?? []);
