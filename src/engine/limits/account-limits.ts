// The limits of an account as it may see them: the budgets with what is used of them, its rates, and the modes of the rules. What is used is
// read from the rows of the budgets, so it is exact but for the credit that processes hold.

import {
  type BudgetName,
  linesOf,
  nameOf,
  type Payer,
  payerOf,
  periodMs,
  sendsUnit,
} from '../../core/limits/budget.ts';
import { type KeyRestrictions, keyBudgets } from '../../core/limits/key-restrictions.ts';
import { type GuardRule, guardRules, modesOf, type RuleMode } from '../../core/limits/verdict.ts';
import { formatFixed, parseFixed } from '../../core/money/money.ts';
import type { Mode } from '../../core/verify/session.ts';
import { usedBudgets } from '../../db/limits/budgets.ts';
import type { Reads } from '../../db/queryable.ts';
import type { AccountView, AccountViews } from '../accounts/views.ts';
import type { EngineSettings } from '../context.ts';
import { mostPerNumber, numberLimitsOf, sendsBurst } from './number-limits.ts';

export interface BudgetState {
  budget: BudgetName;
  /** '' where it counts sends. */
  currency: string;
  /** '' = of the whole account. */
  apiKeyId: string;
  /** Decimal strings. */
  limit: string;
  used: string;
  left: string;
  /** Unix ms. */
  windowEndsAt: number;
}

export interface LimitsInForce {
  budgets: BudgetState[];
  ruleModes: { rule: GuardRule; mode: RuleMode }[];
  sendsPerSecond: number;
  sendsBurst: number;
  /** 0 = not counted. */
  sendsPerNumberPerHour: number;
  sendsPerNumberPerDay: number;
}

/** Whose limits: an account in one mode, and the key that asks. */
export interface LimitsOwner {
  accountId: string;
  mode: Mode;
  keyId: string;
  /** The restrictions of that key. Default: none. */
  restrictions?: KeyRestrictions;
}

interface Rooms {
  views: AccountViews;
  settings: Pick<EngineSettings, 'budget' | 'ruleModes' | 'sendLimits'>;
  home: Reads;
}

export class AccountLimits {
  readonly #rooms: Rooms;

  constructor(rooms: Rooms) {
    this.#rooms = rooms;
  }

  async of({ accountId, mode, keyId, restrictions }: LimitsOwner): Promise<LimitsInForce> {
    const { views, settings } = this.#rooms;
    const account = await views.view(accountId, mode);
    const modes = modesOf(settings.ruleModes, account.ruleModes);
    const isCounted = mode === 'live' && modes.budget !== 'off';
    const payer = payerOf(
      account,
      settings.budget,
      keyBudgets({ apiKeyId: keyId, ...(restrictions ? { restrictions } : {}) }),
    );
    return {
      budgets: isCounted ? await this.#budgets(payer) : [],
      ruleModes: guardRules.map((rule) => ({ rule, mode: modes[rule] })),
      ...ratesOf(account, mode, settings.sendLimits),
    };
  }

  async #budgets(payer: Payer): Promise<BudgetState[]> {
    const lines = linesOf(payer);
    if (lines.length === 0) return [];
    const { at, used } = await usedBudgets(this.#rooms.home, payer.accountId);
    return lines.map((line) => {
      const { keyId, period, unit, limit } = line;
      const row = used.find((each) => each.keyId === keyId && each.period === period && each.unit === unit);
      const spent = parseFixed(row?.used ?? '0');
      return {
        budget: nameOf(line),
        currency: unit === sendsUnit ? '' : unit,
        apiKeyId: keyId,
        limit: formatFixed(limit),
        used: formatFixed(spent),
        left: formatFixed(spent < limit ? limit - spent : 0n),
        windowEndsAt: (Math.floor(at / periodMs[period]) + 1) * periodMs[period],
      };
    });
  }
}

function ratesOf(
  account: AccountView,
  mode: Mode,
  limits: EngineSettings['sendLimits'],
): Omit<LimitsInForce, 'budgets' | 'ruleModes'> {
  const perSecond = account.sendsPerSecond ?? limits.accountPerSecond;
  const counted = numberLimitsOf(account, mode, limits);
  const { perHour, perDay } = counted ? mostPerNumber(counted) : { perHour: 0, perDay: 0 };
  return {
    sendsPerSecond: perSecond,
    sendsBurst: sendsBurst(limits, perSecond),
    sendsPerNumberPerHour: perHour,
    sendsPerNumberPerDay: perDay,
  };
}
