// `limits <account> …`: what one account may do beside the platform's own limits.

import { changeLimits, type LimitsChange } from '../../db/accounts/control.ts';
import type { AccountLimits } from '../../db/schema.ts';
import { type AccountTools, Refusal } from './tools.ts';

/** Options by the names they are stored under. */
const numbers = {
  sends_per_second: 'sends-per-second',
  sends_per_number_per_hour: 'sends-per-number-per-hour',
  sends_per_number_per_day: 'sends-per-number-per-day',
} as const;
const unlimited = 'unlimited-numbers';
const most = 1_000_000;
/** In place of a value: the platform's again. */
const platforms = 'default';

export const limitOptions = {
  ...Object.fromEntries(Object.values(numbers).map((option) => [option, { type: 'string' as const }])),
  [unlimited]: { type: 'string' as const },
  reset: { type: 'boolean' as const },
};

/** Without a change it only says what holds. */
export async function limits(
  tools: AccountTools,
  accountId: string,
  values: Record<string, string | boolean | undefined>,
): Promise<void> {
  const change = readChange(values);
  const after = await changeLimits(tools.db, accountId, { reset: values.reset === true, change });
  if (!after) throw new Refusal(`no account ${accountId}`, 1);
  for (const line of describeLimits(after)) tools.say(line);
}

export function describeLimits(set: AccountLimits): string[] {
  const names = [...(Object.keys(numbers) as (keyof typeof numbers)[]), 'unlimited_numbers' as const];
  return names.map((name) => `${name.replaceAll('_', '-')}  ${set[name] ?? platforms}`);
}

function readChange(values: Record<string, string | boolean | undefined>): LimitsChange {
  const change: LimitsChange = {};
  for (const [name, option] of Object.entries(numbers) as [keyof typeof numbers, string][]) {
    const text = values[option];
    if (typeof text === 'string') change[name] = readNumber(option, text);
  }
  const wide = values[unlimited];
  if (typeof wide === 'string') change.unlimited_numbers = readFlag(wide);
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
