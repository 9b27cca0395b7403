// Views of accounts as sends need them, kept in memory until one changes, and their source, the database. Every send needs its account, and
// accounts change seldom.

import type { PlanAccount } from '../../channels/channel.ts';
import { type WordingInUse, wordingInUse } from '../../core/accounts/wording.ts';
import type { OwnBudget } from '../../core/limits/budget.ts';
import type { ClientLimit, OwnClientLimits } from '../../core/limits/client-limits.ts';
import { type NumberLists, noLists } from '../../core/limits/lists.ts';
import type { Stop } from '../../core/limits/stop.ts';
import type { RuleModes } from '../../core/limits/verdict.ts';
import type { AutofillStatus } from '../../core/verify/autofill.ts';
import type { Language, Leg, Mode } from '../../core/verify/session.ts';
import type { Subscriber } from '../../core/webhooks/subscriber.ts';
import { findAccountForSends } from '../../db/accounts/accounts.ts';
import { findLists } from '../../db/limits/lists.ts';
import { toStop } from '../../db/limits/stops.ts';
import type { AccountLimits, Db } from '../../db/schema.ts';

/** An account as one mode sees it. */
export interface AccountView extends PlanAccount {
  language: Language;
  /** null = the platform's cascade. */
  cascade: Leg[] | null;
  /** State of each origin and app hash that is registered. */
  autofill: ReadonlyMap<string, AutofillStatus>;
  /** The account's own brand and texts. */
  wording: WordingInUse;
  /** Overrides of the platform's limits; null = the platform's. */
  sendsPerSecond: number | null;
  sendsPerNumberPerHour: number | null;
  sendsPerNumberPerDay: number | null;
  /** True where sends per number are not counted: load tests, monitoring. */
  unlimitedNumbers: boolean;
  /** Beginnings of the numbers it may send to; empty = all that the deployment serves. */
  allowedPrefixes: readonly string[];
  /** Numbers and prefixes of its own lists. */
  lists: NumberLists;
  /** In place of the platform's. */
  clientLimits: OwnClientLimits;
  /** Modes of rules in place of the platform's. */
  ruleModes: Partial<RuleModes>;
  /** In place of parts of the deployment's budgets; 'none': it has none. */
  budget: OwnBudget | 'none';
  /** The operator of the service has stopped it: nothing more goes out. */
  suspended: boolean;
  /** Prefixes that are closed, or were of late; none in test mode. */
  stops: readonly Stop[];
  /** Endpoints of the mode that events go to. */
  endpoints: readonly Subscriber[];
}

export interface AccountSource {
  /** @throws when there is no such account: keys and sessions belong to one. */
  load(accountId: string, mode: Mode): Promise<AccountView>;
  /** The platform's own lists. Default: they are empty. */
  platformLists?(): Promise<NumberLists>;
}

const modes: readonly Mode[] = ['live', 'test'];
const keyOf = (accountId: string, mode: Mode): string => `${accountId} ${mode}`;

export class AccountViews {
  readonly #source: AccountSource;
  readonly #views = new Map<string, Promise<AccountView>>();
  #platform: Promise<NumberLists> | null = null;
  #changes = -1;

  constructor(source: AccountSource) {
    this.#source = source;
  }

  view(accountId: string, mode: Mode): Promise<AccountView> {
    const key = keyOf(accountId, mode);
    const held = this.#views.get(key);
    if (held) return held;
    const view = this.#source.load(accountId, mode);
    this.#views.set(key, view);
    view.catch(() => this.#views.delete(key));
    return view;
  }

  /** Held once for all accounts. */
  platformLists(): Promise<NumberLists> {
    if (!this.#platform) {
      this.#platform = this.#source.platformLists?.() ?? Promise.resolve(noLists);
      this.#platform.catch(() => {
        this.#platform = null;
      });
    }
    return this.#platform;
  }

  /** The change counter stands so, as the pulse has seen. True when something had changed. */
  saw(changes: number): boolean {
    if (changes === this.#changes) return false;
    this.#changes = changes;
    this.clear();
    return true;
  }

  /** Forgets the account's views; without one, everything. */
  clear(accountId?: string): void {
    if (accountId === undefined) {
      this.#views.clear();
      this.#platform = null;
    } else for (const mode of modes) this.#views.delete(keyOf(accountId, mode));
  }
}

/** `operators` are the ids of those that are configured, read at each use. */
export function createAccountSource(db: Db, operators: () => readonly string[] = () => []): AccountSource {
  return {
    platformLists: () => findLists(db, null),
    async load(accountId, mode) {
      const row = await findAccountForSends(db, { id: accountId, mode, operators: operators() });
      if (!row) throw new Error(`account ${accountId} does not exist`);
      return {
        id: row.id,
        language: row.language as Language,
        cascade: row.cascade,
        autofill: new Map(row.autofill.map(([value, , approved]) => [value, approved ? 'approved' : 'pending'])),
        wording: wordingInUse(row.wordings),
        defaultSenderId: row.default_sender_id,
        inCountryOnly: row.in_country_only,
        approvedSenders: byOperator(row.approved),
        sendsPerSecond: row.limits.sends_per_second ?? null,
        sendsPerNumberPerHour: row.limits.sends_per_number_per_hour ?? null,
        sendsPerNumberPerDay: row.limits.sends_per_number_per_day ?? null,
        unlimitedNumbers: row.limits.unlimited_numbers ?? false,
        allowedPrefixes: row.allowed_prefixes,
        lists: await findLists(db, { accountId, mode }),
        clientLimits: clientLimitsOf(row.limits),
        ruleModes: row.limits.rules ?? {},
        budget: row.limits.budget ?? {},
        suspended: row.suspended_at !== null,
        stops: mode === 'live' ? row.stops.map(toStop) : [],
        endpoints: row.endpoints.map(([endpoint, eventTypes]) => ({ id: endpoint, eventTypes })),
      };
    },
  };
}

/** What is absent is the platform's. */
const clientLimitsOf = (own: AccountLimits): OwnClientLimits => ({
  ip: withoutUndefined({ sendsPerHour: own.client_ip_sends_per_hour, sendsPerDay: own.client_ip_sends_per_day }),
  device: withoutUndefined({
    sendsPerHour: own.client_device_sends_per_hour,
    sendsPerDay: own.client_device_sends_per_day,
  }),
  userAgent: withoutUndefined({
    sendsPerHour: own.client_user_agent_sends_per_hour,
    sendsPerDay: own.client_user_agent_sends_per_day,
  }),
});

const withoutUndefined = (limit: { [Window in keyof ClientLimit]: number | undefined }): Partial<ClientLimit> =>
  Object.fromEntries(Object.entries(limit).filter(([, value]) => value !== undefined));

function byOperator(approved: readonly [operator: string, name: string][]): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  for (const [operator, name] of approved) names.set(operator, (names.get(operator) ?? new Set()).add(name));
  return names;
}
