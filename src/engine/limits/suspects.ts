// Suspects: what looks pumped in the committed traffic of accounts, by the two rules that guess (`sequential_numbers`, `prefix_conversion`).
// One statement for each rule reads many accounts; over several cells `prefix_conversion` takes two.

import { BoundedMap } from '../../collections/small-maps.ts';
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
  type RecentSend,
  sequentialMs,
  sequentialNumbers,
  sequentialSends,
} from '../../core/limits/sequential-numbers.ts';
import { blockOf, countedSince, type Stop, type StopRule } from '../../core/limits/stop.ts';
import { prefixDigits } from '../../core/reports/rollup.ts';
import { cohorts, type Of, type RecentSendsAsked, recentSends } from '../../db/limits/traffic.ts';
import type { Reads } from '../../db/queryable.ts';
import { settleAny } from '../../time/settle.ts';
import { elapsedMs } from '../../time/wall-clock.ts';
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
  readonly #recent = new RecentSends((asked) => this.#ofAll((cell) => recentSends(cell, asked)));

  constructor(options: SuspectsOptions, crowds: Crowds) {
    this.#options = options;
    this.#crowds = crowds;
  }

  /** What looks sequential, by the ids of the accounts. */
  async sequential(looks: readonly Looked[]): Promise<Map<string, Suspect>> {
    const suspects = new Map<string, Suspect>();
    if (looks.length === 0) return suspects;
    const at = this.#options.now();
    const isAllowed = await this.#allowed();
    const suspectIn = (sends: SendsOf, { account, before }: Looked): Suspect | null => {
      const stops = before('sequential_numbers');
      const counted = (sends.get(account.id) ?? []).filter(
        (send) => send.at >= countedSince(send.number, stops) && !isAllowed(send.number, account),
      );
      const found = sequentialNumbers(counted);
      this.#crowds.setPoints(account.id, found?.points ?? 0, at);
      if (!isSequential(found)) return null;
      const { reason, number, sent, verified } = found;
      return { rule: 'sequential_numbers', reason, prefix: blockOf(number), sent, verified };
    };
    const known = looks.filter(({ account }) => this.#recent.isKept(account.id, at));
    const newer = await this.#recent.newer(known, at);
    // Nothing is stopped by what was read a moment ago, which may be verified by now.
    const wholly = looks.filter((look) => !known.includes(look) || suspectIn(newer, look) !== null);
    const whole = await this.#recent.whole(wholly, at);
    for (const look of wholly) {
      const suspect = suspectIn(whole, look);
      if (suspect) suspects.set(look.account.id, suspect);
    }
    return suspects;
  }

  /** Forgets sends that were kept for long enough. Returns the time until others are, ms; null where none are kept. */
  forget(): number | null {
    return this.#recent.forget(this.#options.now());
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

type SendsOf = ReadonlyMap<string, readonly RecentSend[]>;

/** How long sends that were read once stand for themselves, ms. Meanwhile those that are newer are read alone. */
const keptMs = 1_000;
/** Sends that were stored before a read may be committed after it. What is later still is read with all the others. */
const lateMs = 500;
/** The clock that an id is of may be a second behind the one of its session (docs/database.md). */
const marginMs = lateMs + 1_000;
/** Accounts with a crowd whose sends are kept, each with `sequentialSends` at most: those that send less are read as quickly as a part of them. */
const mostKept = 50;
const leastKept = 200;

/** The newest sends of accounts. A busy account is looked at ten times a second, in each process: of its 2,000 sends, most are the ones of the look before. */
class RecentSends {
  readonly #read: (asked: RecentSendsAsked) => Promise<Of<RecentSend>[]>;
  readonly #kept = new BoundedMap<string, { at: number; sends: readonly RecentSend[] }>(mostKept);

  constructor(read: (asked: RecentSendsAsked) => Promise<Of<RecentSend>[]>) {
    this.#read = read;
  }

  isKept(accountId: string, at: number): boolean {
    const kept = this.#kept.get(accountId);
    return kept !== undefined && elapsedMs(kept.at, at) < keptMs;
  }

  /** No number stays here because its account has stopped sending: it may be erased. As `Suspects.forget`. */
  forget(at: number): number | null {
    let next: number | null = null;
    for (const [id, kept] of this.#kept) {
      const left = keptMs - elapsedMs(kept.at, at);
      if (left <= 0) this.#kept.delete(id);
      else next = Math.min(next ?? left, left);
    }
    return next;
  }

  /** As they are in the database. Those of a crowd, which is looked at again soon, are kept. */
  async whole(looks: readonly Looked[], at: number): Promise<SendsOf> {
    const sends = await this.#newest(looks, { since: at - sequentialMs });
    for (const { account, crowded } of looks) {
      const own = sends.get(account.id) ?? [];
      if (crowded !== null && own.length >= leastKept) this.#kept.set(account.id, { at, sends: own });
      else this.#kept.delete(account.id);
    }
    return sends;
  }

  /** Of accounts that are kept: the older sends as they were, before they were verified maybe. */
  async newer(looks: readonly Looked[], at: number): Promise<SendsOf> {
    const kept = looks.flatMap(({ account }) => {
      const known = this.#kept.get(account.id);
      return known ? [{ id: account.id, ...known }] : [];
    });
    const since = Math.min(at, ...kept.map((each) => each.at)) - lateMs;
    const sends = await this.#newest(looks, { since, marginMs });
    const both = kept.map(({ id, sends: known }): [string, RecentSend[]] => {
      const older = known.filter((send) => send.at < since);
      return [id, [...(sends.get(id) ?? []), ...older].slice(0, sequentialSends)];
    });
    return new Map(both);
  }

  /** By account, the newest first: over several databases too. */
  async #newest(looks: readonly Looked[], from: Pick<RecentSendsAsked, 'since' | 'marginMs'>): Promise<SendsOf> {
    if (looks.length === 0) return new Map();
    const accountIds = looks.map(({ account }) => account.id);
    const rows = await this.#read({ accountIds, limit: sequentialSends, ...from });
    const sends = Map.groupBy(rows, ({ accountId }) => accountId);
    for (const [id, own] of sends) sends.set(id, own.sort((one, other) => other.at - one.at).slice(0, sequentialSends));
    return sends;
  }
}

/** The prefixes that no other one of the list contains. */
function widest(prefixes: readonly string[]): string[] {
  const shortest = prefixes.toSorted((one, other) => one.length - other.length);
  return shortest.filter((prefix, nth) => !shortest.slice(0, nth).some((each) => prefix.startsWith(each)));
}
