// Suspects: what looks pumped in the committed traffic of accounts, by the two rules that guess (`sequential_numbers`, `prefix_conversion`).
// One statement for each rule reads many accounts; over several cells `prefix_conversion` takes two.

import { isFinerThan } from '../../core/limits/lists.ts';
import {
  type Cohort,
  type ConversionFound,
  conversionMs,
  isCollapsed,
  prefixConversion,
  without,
} from '../../core/limits/prefix-conversion.ts';
import {
  isSequential,
  sequentialMs,
  sequentialNumbers,
  sequentialSends,
} from '../../core/limits/sequential-numbers.ts';
import { blockOf, countedSince, type Stop, type StopRule } from '../../core/limits/stop.ts';
import { prefixDigits } from '../../core/reports/rollup.ts';
import { cohorts, recentSends } from '../../db/limits/traffic.ts';
import type { Reads } from '../../db/queryable.ts';
import { settleAny } from '../../time/settle.ts';
import type { AccountView, AccountViews } from '../accounts/views.ts';
import type { EngineContext } from '../context.ts';
import { AllowedTraffic } from './allowed-traffic.ts';
import type { Crowds, Look } from './crowds.ts';
import type { Guard } from './guard.ts';

export interface SuspectsOptions extends Pick<EngineContext, 'now'> {
  /** Every database that sessions are in. */
  cells: readonly Reads[];
  accounts: Pick<AccountViews, 'platformLists'>;
  /** Numbers and prefixes on an allow list are not looked at. */
  guard: Pick<Guard, 'isAllowed'>;
  /** How long a session may live. */
  settings: { readonly config: { readonly verify: { readonly ttlSeconds: { readonly max: number } } } };
}

/** A look with what it is done by. */
export interface Looked extends Look {
  account: AccountView;
  /** The stops that a rule heeds. */
  before(rule: StopRule): readonly Stop[];
}

/** What a rule wants to stop. */
export interface Suspect {
  rule: StopRule;
  reason: string;
  prefix: string;
  sent: number;
  verified: number;
}

export class Suspects {
  readonly #options: SuspectsOptions;
  readonly #crowds: Crowds;
  readonly #allowedTraffic = new AllowedTraffic();

  constructor(options: SuspectsOptions, crowds: Crowds) {
    this.#options = options;
    this.#crowds = crowds;
  }

  /** What looks sequential, by the ids of the accounts. */
  async sequential(looks: readonly Looked[]): Promise<Map<string, Suspect>> {
    const suspects = new Map<string, Suspect>();
    if (looks.length === 0) return suspects;
    const at = this.#options.now();
    const accountIds = looks.map(({ account }) => account.id);
    const wanted = { accountIds, since: at - sequentialMs, limit: sequentialSends };
    const sends = Map.groupBy(await this.#ofAll((cell) => recentSends(cell, wanted)), ({ accountId }) => accountId);
    const isAllowed = await this.#allowed();
    for (const { account, before } of looks) {
      const stops = before('sequential_numbers');
      const newest = (sends.get(account.id) ?? []).sort((one, other) => other.at - one.at).slice(0, sequentialSends);
      const found = sequentialNumbers(
        newest.filter((send) => send.at >= countedSince(send.number, stops) && !isAllowed(send.number, account)),
      );
      this.#crowds.setPoints(account.id, found?.points ?? 0, at);
      if (!isSequential(found)) continue;
      const { reason, number, sent, verified } = found;
      suspects.set(account.id, { rule: 'sequential_numbers', reason, prefix: blockOf(number), sent, verified });
    }
    return suspects;
  }

  /** Prefixes whose codes are hardly ever entered, by the ids of the accounts. */
  async conversion(looks: readonly Looked[]): Promise<Map<string, Suspect>> {
    const suspects = new Map<string, Suspect>();
    if (looks.length === 0) return suspects;
    const at = this.#options.now();
    const wanted = { accountIds: looks.map(({ account }) => account.id), since: at - conversionMs, now: at };
    const rows = Map.groupBy(await cohorts(this.#options.cells, wanted), ({ accountId }) => accountId);
    const isAllowed = await this.#allowed();
    for (const { account, before } of looks) {
      const stops = before('prefix_conversion');
      const counted = (rows.get(account.id) ?? []).filter(
        (row) => row.at >= countedSince(row.prefix, stops) && !isAllowed(row.prefix, account),
      );
      const found = await this.#collapsed(account, counted, at);
      if (found) suspects.set(account.id, { rule: 'prefix_conversion', ...found });
    }
    return suspects;
  }

  /** Rollups know no numbers: where a list names some, those that were sent to are read before anything is stopped. */
  async #collapsed(account: AccountView, counted: readonly Cohort[], at: number): Promise<ConversionFound | undefined> {
    const all = prefixConversion(counted, at).filter(isCollapsed);
    if (all.length === 0) return undefined;
    const { accounts, guard, cells, settings } = this.#options;
    const platform = await accounts.platformLists();
    const lists = [account.lists.allow, platform.allow];
    if (!lists.some((list) => isFinerThan(list, prefixDigits))) return all[0];
    const isAllowed = (number: string) => guard.isAllowed(number, account, platform);
    const longestMs = settings.config.verify.ttlSeconds.max * 1000;
    const prefixes = widest(all.map(({ prefix }) => prefix));
    const asked = { accountId: account.id, prefixes, lists, isAllowed, longestMs, at };
    const foundWithout = (allowed: readonly Cohort[]) =>
      prefixConversion(without(counted, allowed), at).find(isCollapsed);
    const known = cells.map((cell) => this.#allowedTraffic.known(cell, asked));
    if (known.every((each) => each !== null) && !foundWithout(known.flat())) return undefined;
    return foundWithout(await this.#ofAll((cell) => this.#allowedTraffic.read(cell, asked)));
  }

  async #allowed(): Promise<(number: string, account: AccountView) => boolean> {
    const { accounts, guard } = this.#options;
    const platform = await accounts.platformLists();
    return (number, account) => guard.isAllowed(number, account, platform);
  }

  /** A cell that is down keeps nobody from looking at the others. @throws where none answers. */
  async #ofAll<Row>(read: (cell: Reads) => Promise<Row[]>): Promise<Row[]> {
    return (await settleAny(this.#options.cells.map(read))).flat();
  }
}

/** The prefixes that no other one of the list contains. */
function widest(prefixes: readonly string[]): string[] {
  const shortest = prefixes.toSorted((one, other) => one.length - other.length);
  return shortest.filter((prefix, nth) => !shortest.slice(0, nth).some((each) => prefix.startsWith(each)));
}
