// `ramz account limits`: limits of one account in place of the platform's, and its modes of the rules against abuse.

import { type BudgetChange, describeBudget, readBudgetChange } from '../../core/limits/budget-change.ts';
import { type GuardRule, guardRules, type RuleMode, ruleModes } from '../../core/limits/verdict.ts';
import { changeLimits, type LimitsChange } from '../../db/accounts/control.ts';
import type { AccountLimits } from '../../db/schema.ts';
import { flag, Refusal, text, texts } from '../command.ts';
import { command } from '../program.ts';
import type { AccountTools } from './tools.ts';

/** Options by the names they are stored under. */
const numbers = {
  sends_per_second: 'sends-per-second',
  sends_per_number_per_hour: 'sends-per-number-per-hour',
  sends_per_number_per_day: 'sends-per-number-per-day',
  client_ip_sends_per_hour: 'client-ip-sends-per-hour',
  client_ip_sends_per_day: 'client-ip-sends-per-day',
  client_device_sends_per_hour: 'client-device-sends-per-hour',
  client_device_sends_per_day: 'client-device-sends-per-day',
  client_user_agent_sends_per_hour: 'client-user-agent-sends-per-hour',
  client_user_agent_sends_per_day: 'client-user-agent-sends-per-day',
} as const;
const unlimited = 'unlimited-numbers';
const most = 1_000_000;
/** The word in place of a value: the platform's limit applies again. */
const platforms = 'default';

const options = {
  ...Object.fromEntries(Object.values(numbers).map((option) => [option, text])),
  [unlimited]: text,
  rule: texts,
  budget: texts,
  reset: flag,
};

export const limitCommand = command({
  names: ['limits'],
  usage: `
  limits <account id> [--sends-per-second N] [--sends-per-number-per-hour N] [--sends-per-number-per-day N]
      [--client-ip-sends-per-hour N] [--client-ip-sends-per-day N] [--client-device-sends-per-hour N]
      [--client-device-sends-per-day N] [--client-user-agent-sends-per-hour N] [--client-user-agent-sends-per-day N]
      [--unlimited-numbers true|false] [--rule <rule>=off|monitor|enforce]…
      [--budget none|sends_per_hour=N|sends_per_day=N|spend_per_hour:DZD=N|spend_per_day:DZD=N]… [--reset]
      a budget of "unlimited" is none, also for all currencies: spend_per_day=unlimited
      limits of this account instead of the platform's; "default" or --reset: the platform's again; prints what is set
      sends per number are also limited for all accounts together (limits.platform_sends_per_number_per_hour, …_per_day):
      a higher limit of one account needs those raised, or --unlimited-numbers true`,
  takes: ['<account id>'],
  options,
  run: (tools: AccountTools, { words: [accountId = ''], values }) => limits(tools, accountId, values),
});

type Values = Record<string, string | boolean | (string | boolean)[] | undefined>;

/** Changes the limits of an account and prints those in force; without a change it only prints. */
async function limits(tools: AccountTools, accountId: string, values: Values): Promise<void> {
  const change = readChange(values);
  const decision = { id: accountId, now: new Date(tools.now()), actor: tools.actor };
  const after = await changeLimits(tools.db, decision, { reset: values.reset === true, change });
  if (after.kind === 'account_not_found') throw new Refusal(`no account ${accountId}`, 1);
  if (after.kind === 'unlimited_in_all') throw new Refusal(currencyByCurrency(after.name), 1);
  for (const line of [...describeLimits(after.limits), ...cappedLimits(after.limits, tools.sendLimits)])
    tools.say(line);
}

/** What an account may not use up of its limits, because all accounts together have less. */
function cappedLimits(set: AccountLimits, platform: AccountTools['sendLimits']): string[] {
  if (set.unlimited_numbers) return [];
  const pairs = [
    ['sends_per_number_per_hour', platform.platformPerNumberPerHour],
    ['sends_per_number_per_day', platform.platformPerNumberPerDay],
  ] as const;
  return pairs.flatMap(([name, most]) =>
    (set[name] ?? 0) <= most
      ? []
      : `${numbers[name]} is ${most} in effect, as for all accounts together by this configuration: raise limits.platform_${name}, or set --${unlimited} true`,
  );
}

function currencyByCurrency(name: string): string {
  const words = [`${name}=${platforms}`, `${name}:DZD=N`, `${name}:USD=unlimited`].map((word) => `--budget ${word}`);
  return `${name} is unlimited in all currencies, so one alone can't be changed: name each, as in ${words.join(' ')}`;
}

export function describeLimits(set: AccountLimits): string[] {
  const names = [...(Object.keys(numbers) as (keyof typeof numbers)[]), 'unlimited_numbers' as const];
  const modes = guardRules.flatMap((rule) => {
    const mode = set.rules?.[rule];
    return mode === undefined ? [] : [`rule ${rule}  ${mode}`];
  });
  const budgets = set.budget === undefined ? [] : describeBudget(set.budget).map((text) => `budget  ${text}`);
  return [...names.map((name) => `${name.replaceAll('_', '-')}  ${set[name] ?? platforms}`), ...modes, ...budgets];
}

function readChange(values: Values): LimitsChange {
  const change: LimitsChange = {};
  for (const [name, option] of Object.entries(numbers) as [keyof typeof numbers, string][]) {
    const text = values[option];
    if (typeof text === 'string') change[name] = readNumber(option, text);
  }
  const wide = values[unlimited];
  if (typeof wide === 'string') change.unlimited_numbers = readFlag(wide);
  if (Array.isArray(values.rule)) change.rules = Object.fromEntries(values.rule.map((text) => readRule(String(text))));
  if (Array.isArray(values.budget)) change.budget = values.budget.map((text) => readBudget(String(text)));
  return change;
}

function readNumber(option: string, text: string): number | null {
  if (text === platforms) return null;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= most) return number;
  throw new Refusal(`--${option} must be a whole number, 1 to ${most}, or ${platforms}`, 2);
}

function readFlag(text: string): boolean | null {
  if (text === platforms) return null;
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Refusal(`--${unlimited} must be true, false or ${platforms}`, 2);
}

function readBudget(text: string): BudgetChange {
  const change = readBudgetChange(text);
  if (change) return change;
  const budgets = 'sends_per_hour=N, sends_per_day=N, spend_per_hour:DZD=N or spend_per_day:DZD=N';
  throw new Refusal(`--budget must be none, ${platforms}, ${budgets}; N may be unlimited or ${platforms}`, 2);
}

/** `budget=monitor`. */
function readRule(text: string): [GuardRule, RuleMode | null] {
  const [name = '', word = '', ...more] = text.split('=');
  const rule = guardRules.find((each) => each === name);
  const mode = word === platforms ? null : ruleModes.find((each) => each === word);
  if (rule !== undefined && mode !== undefined && more.length === 0) return [rule, mode];
  const words = `${ruleModes.join(', ')} or ${platforms}`;
  throw new Refusal(`--rule must be <rule>=<mode>, the rule one of ${guardRules.join(', ')}, the mode ${words}`, 2);
}
