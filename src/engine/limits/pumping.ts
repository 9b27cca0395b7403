// The watch on pumping: it looks at what accounts have sent, and stops what looks pumped. Sends never wait for it: they are checked against stops
// that come with the account's view. A process looks at accounts that it sends for itself, and what it looks at are the committed rows of
// all processes, so several of them come to the same stop, of which the first one is stored.

import { type IdSource, shardForAccount } from '../../core/ids.ts';
import { conversionMs, isCollapsed, prefixConversion } from '../../core/limits/prefix-conversion.ts';
import {
  isSequential,
  sequentialMs,
  sequentialNumbers,
  sequentialSends,
} from '../../core/limits/sequential-numbers.ts';
import {
  blockOf,
  countedSince,
  heeded,
  rulesBefore,
  type Stop,
  type StopRule,
  stopOf,
} from '../../core/limits/stop.ts';
import { modesOf, type RuleModes } from '../../core/limits/verdict.ts';
import type { Session } from '../../core/verify/session.ts';
import { inTransaction } from '../../db/changes.ts';
import { insertStop, type StoredStop } from '../../db/limits/stops.ts';
import { cohorts, recentSends } from '../../db/limits/traffic.ts';
import type { Reads } from '../../db/queryable.ts';
import type { Db } from '../../db/schema.ts';
import { Wakeup } from '../../time/on-demand.ts';
import type { AccountView, AccountViews } from '../accounts/views.ts';
import type { EngineContext, EngineObserver } from '../context.ts';
import { emitAccountEvent } from '../webhooks/account-events.ts';
import { Crowds, type Look } from './crowds.ts';
import type { Guard } from './guard.ts';

export interface PumpingOptions extends Pick<EngineContext, 'ids' | 'now'> {
  /** Home: stops are there. */
  db: Db;
  /** Every database that sessions are in. */
  cells: readonly Reads[];
  accounts: Pick<AccountViews, 'view' | 'clear' | 'platformLists'>;
  /** Numbers and prefixes on an allow list are not looked at. */
  guard: Pick<Guard, 'isAllowed'>;
  settings: Pick<EngineContext['settings'], 'ruleModes'>;
  fleet: Pick<EngineContext['fleet'], 'alive'>;
  log: StopLog;
  observe: Pick<EngineObserver, 'stopped'>;
}

/** Where stops are on record beside their rows. */
interface StopLog {
  warn(fields: object, message: string): void;
}

/** What a rule wants to stop. */
interface Suspect {
  rule: StopRule;
  reason: string;
  prefix: string;
  sent: number;
  verified: number;
}

export class Pumping {
  /** Set when a look may be due. */
  readonly due = new Wakeup();
  readonly #options: PumpingOptions;
  readonly #crowds = new Crowds();

  constructor(options: PumpingOptions) {
    this.#options = options;
  }

  /** A change is on record that this process has made. */
  committed({ before, session }: { before: Session | null; session: Session }): void {
    if (before !== null || session.mode !== 'live') return;
    const { now, fleet } = this.#options;
    const processes = Math.max(1, fleet.alive);
    if (this.#crowds.add(session.accountId, session.to, { now: now(), processes })) this.due.set();
  }

  /** Does the looks that are due. Resolves with the time until the next one, ms; null while nothing is sent. */
  async run(): Promise<number | null> {
    const { now } = this.#options;
    for (const look of this.#crowds.due(now())) {
      this.#crowds.looking(look, now());
      await this.#look(look);
    }
    return this.#crowds.nextMs(now());
  }

  async #look({ accountId, crowded, counts }: Look): Promise<void> {
    const { accounts, settings, now } = this.#options;
    const account = await accounts.view(accountId, 'live');
    const modes = modesOf(settings.ruleModes, account.ruleModes);
    // A stop by another rule that is only watched closes nothing, and keeps this one from nothing.
    const before = (rule: StopRule) => heeded(rulesBefore(rule, modes), account.stops);
    const stops = before('sequential_numbers');
    if (modes.sequential_numbers !== 'off' && !(crowded !== null && stopOf(crowded, stops, now()))) {
      const found = await this.#sequential(account, stops);
      if (found) return this.#stop(account, found, modes);
    }
    if (modes.prefix_conversion === 'off' || !counts) return;
    const found = await this.#conversion(account, before('prefix_conversion'));
    if (found) return this.#stop(account, found, modes);
  }

  async #sequential(account: AccountView, stops: readonly Stop[]): Promise<Suspect | null> {
    const { now } = this.#options;
    const at = now();
    const wanted = { accountId: account.id, since: at - sequentialMs, limit: sequentialSends };
    const sends = await this.#ofAll((cell) => recentSends(cell, wanted));
    const isAllowed = await this.#allowedOf(account);
    const newest = sends.sort((one, other) => other.at - one.at).slice(0, sequentialSends);
    const found = sequentialNumbers(
      newest.filter((send) => send.at >= countedSince(send.number, stops) && !isAllowed(send.number)),
    );
    this.#crowds.looked(account.id, found?.points ?? 0, at);
    if (!isSequential(found)) return null;
    const { reason, number, sent, verified } = found;
    return { rule: 'sequential_numbers', reason, prefix: blockOf(number), sent, verified };
  }

  async #conversion(account: AccountView, stops: readonly Stop[]): Promise<Suspect | null> {
    const at = this.#options.now();
    const rows = await this.#ofAll((cell) =>
      cohorts(cell, { accountId: account.id, since: at - conversionMs, now: at }),
    );
    const isAllowed = await this.#allowedOf(account);
    const counted = rows.filter((row) => row.at >= countedSince(row.prefix, stops) && !isAllowed(row.prefix));
    const found = prefixConversion(counted, at).find(isCollapsed);
    return found ? { rule: 'prefix_conversion', ...found } : null;
  }

  async #allowedOf(account: AccountView): Promise<(number: string) => boolean> {
    const { accounts, guard } = this.#options;
    const platform = await accounts.platformLists();
    return (number) => guard.isAllowed(number, account, platform);
  }

  async #stop(account: AccountView, suspect: Suspect, modes: RuleModes): Promise<void> {
    const { db, ids, now, accounts, log, observe } = this.#options;
    const { id: accountId } = account;
    const mode = modes[suspect.rule];
    const at = now();
    const id = ids('stop_', shardForAccount(accountId));
    const stop = await inTransaction(db, async (tx) => {
      const wanted = { ...toNew(suspect), id, accountId, enforced: mode === 'enforce', now: at };
      const made = await insertStop(tx, wanted, rulesBefore(suspect.rule, modes));
      if (made) await emitAnomaly(tx, ids, made, at);
      return made;
    });
    // Where another process was faster its stop is not known here yet.
    accounts.clear();
    if (!stop) return;
    observe.stopped?.(stop.rule, mode);
    const { rule, reason, prefix, sent, verified, enforced } = stop;
    log.warn(
      { account_id: accountId, stop_id: stop.id, rule, reason, prefix, sent, verified, enforced },
      'sends of an account look like pumping and are stopped for an hour: look at its traffic, and lift the stop if it is honest',
    );
  }

  /** A cell that is down keeps nobody from looking at the others. @throws where none answers. */
  async #ofAll<Row>(read: (cell: Reads) => Promise<Row[]>): Promise<Row[]> {
    const settled = await Promise.allSettled(this.#options.cells.map(read));
    const rows = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const [first] = settled;
    if (rows.length === 0 && first?.status === 'rejected') throw first.reason;
    return rows.flat();
  }
}

const toNew = ({ rule, reason, prefix, sent, verified }: Suspect) => ({ rule, reason, prefix, sent, verified });

/** The event of a stop that begins, or that was lifted. */
export const emitAnomaly = (tx: Parameters<typeof emitAccountEvent>[0], ids: IdSource, stop: StoredStop, at: number) =>
  emitAccountEvent(tx, ids, {
    type: 'account.anomaly',
    accountId: stop.accountId,
    mode: 'live',
    at,
    data: anomalyData(stop),
  });

/** `AnomalyEvent` of contract/ramz/v1/webhook.proto. */
const anomalyData = (stop: StoredStop) => ({
  rule: stop.rule,
  reason: stop.reason,
  stop: {
    id: stop.id,
    prefix: stop.prefix,
    rule: stop.rule,
    reason: stop.reason,
    sent: stop.sent,
    verified: stop.verified,
    enforced: stop.enforced,
    started_at: iso(stop.startedAt),
    ends_at: iso(stop.endsAt),
    ...(stop.liftedAt === null ? {} : { lifted_at: iso(stop.liftedAt) }),
    lifted_by: stop.liftedBy ?? '',
  },
});

const iso = (at: number): string => new Date(at).toISOString();
