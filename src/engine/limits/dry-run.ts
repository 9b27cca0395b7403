// A send that is only checked: what each rule against abuse says of it. Nothing is stored, and nothing counted but the dry run itself.

import type { Price } from '../../core/limits/budget.ts';
import {
  type Finding,
  type GuardRule,
  guardRules,
  inOrder,
  type RuleMode,
  verdictOf,
} from '../../core/limits/verdict.ts';
import { parseFixed } from '../../core/money/money.ts';
import type { Refusal } from '../../core/verify/event.ts';
import { type AskedSend, type SendSettings, type SettledSend, settle } from '../../core/verify/request.ts';
import { takeTokens } from '../../db/limits/buckets.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { AccountView, AccountViews } from '../accounts/views.ts';
import type { EngineContext } from '../context.ts';
import type { AccountLimits, BudgetState } from './account-limits.ts';
import type { Count, Guard } from './guard.ts';
import { retryAfterMs } from './rate-limits.ts';

export interface DryRunOptions extends Pick<EngineContext, 'now'> {
  accounts: Pick<AccountViews, 'view' | 'platformLists'>;
  settings: { readonly config: SendSettings };
  guard: Pick<Guard, 'findings' | 'counts' | 'modes'>;
  limits: Pick<AccountLimits, 'of'>;
  /** For the cost of each leg. */
  channels: Pick<EngineContext['channels'], 'plan' | 'expectedCost'>;
  /** Home: buckets of accounts are there. */
  db: Queryable;
}

export interface RuleResult {
  rule: GuardRule;
  mode: RuleMode;
  /** Null = it has no objection. */
  finding: Finding | null;
}

/** `results`: of every rule, in the order in which they count. */
export type DryRun =
  | { kind: 'checked'; allowed: boolean; results: RuleResult[] }
  | { kind: 'account_limited'; retryAfterMs: number }
  | Refusal;

/** Of one account and mode. It says what lists of the platform say, which are not to be searched number by number. */
const mostDryRuns = { capacity: 100, refillPerSecond: 10 };

export class DryRuns {
  readonly #options: DryRunOptions;

  constructor(options: DryRunOptions) {
    this.#options = options;
  }

  async of(asked: AskedSend): Promise<DryRun> {
    const { accounts, settings, guard } = this.#options;
    const account = await accounts.view(asked.accountId, asked.mode);
    const settled = settle(asked, account, settings.config);
    if (settled.kind === 'refused') return settled;
    const retryAfterMs = await this.#waitMs(asked);
    if (retryAfterMs > 0) return { kind: 'account_limited', retryAfterMs };
    const platform = await accounts.platformLists();
    const spent = await this.#spent(guard.counts(settled.request, account, platform));
    const unpaid = await this.#unpaid(settled.request, account);
    const findings = inOrder([...guard.findings(settled.request, account, platform), ...spent, ...unpaid]);
    const modes = guard.modes(account);
    const results = guardRules.map((rule) => ({
      rule,
      mode: modes[rule],
      finding: (modes[rule] !== 'off' && findings.find((finding) => finding.rule === rule)) || null,
    }));
    return { kind: 'checked', allowed: verdictOf(findings, modes).refusal === null, results };
  }

  /** Counts a dry run; 0 where it may be made. */
  async #waitMs({ accountId, mode }: AskedSend): Promise<number> {
    const bucket = { key: `dry_run:${accountId}:${mode}`, ...mostDryRuns };
    const [taken] = await takeTokens(this.#options.db, [[{ ...bucket, wanted: 1, back: 0 }]]);
    const { granted = 0, tokens = 0 } = taken?.[0] ?? {};
    return granted > 0 ? 0 : retryAfterMs(bucket, tokens);
  }

  /** The budget that has too little left for the leg that can be paid for first, where none can now. By its row: credit that processes hold counts as spent. */
  async #unpaid(send: SettledSend, account: AccountView): Promise<Finding[]> {
    const { limits, channels, now } = this.#options;
    const { accountId, mode, apiKeyId: keyId = '', restrictions } = send;
    const { budgets } = await limits.of({ accountId, mode, keyId, ...(restrictions ? { restrictions } : {}) });
    const legs = send.cascade.flatMap((leg) => {
      const plan = channels.plan(send, leg, account);
      if (plan.kind !== 'usable') return [];
      const price = channels.expectedCost(send, { channel: leg.channel, route: plan.route });
      return [budgets.filter((budget) => isShort(budget, price))];
    });
    if (legs.some((short) => short.length === 0)) return [];
    // A leg waits for the last of its budgets, and the send for the first of its legs.
    const waits = legs.flatMap(
      (short) => short.toSorted((one, other) => other.windowEndsAt - one.windowEndsAt)[0] ?? [],
    );
    const [first] = waits.toSorted((one, other) => one.windowEndsAt - other.windowEndsAt);
    if (!first) return [];
    return [{ rule: 'budget', reason: first.budget, retryAfterMs: Math.max(0, first.windowEndsAt - now()) }];
  }

  /** What is found of buckets that are empty now. */
  async #spent(counts: readonly Count[]): Promise<Finding[]> {
    const { db } = this.#options;
    if (counts.length === 0) return [];
    // None are wanted, so none are taken.
    const left = await takeTokens(
      db,
      counts.map(({ bucket }) => [{ ...bucket, wanted: 0, back: 0 }]),
    );
    return counts.flatMap(({ bucket, finding }, at) => {
      const { tokens = 1 } = left[at]?.[0] ?? {};
      return tokens < 1 ? [{ ...finding, retryAfterMs: retryAfterMs(bucket, tokens) }] : [];
    });
  }
}

/** Whether the budget has less left than a send at that price takes of it. */
function isShort({ currency, left }: BudgetState, price: Price | null): boolean {
  if (currency === '') return parseFixed(left) < parseFixed('1');
  return price?.currency === currency && parseFixed(left) < parseFixed(price.amount);
}
