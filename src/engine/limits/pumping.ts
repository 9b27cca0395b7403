// The watch on pumping: it looks at what accounts have sent, and stops what looks pumped. Sends never wait for it: they are checked against stops
// that come with the account's view. A process looks at accounts that it sends for itself, and what it looks at are the committed rows of
// all processes, so several of them come to the same stop, of which the first one is stored.

import { shardForAccount } from '../../core/ids.ts';
import { heeded, rulesBefore, type StopRule, stopIdPrefix, stopOf } from '../../core/limits/stop.ts';
import { modesOf, type RuleModes } from '../../core/limits/verdict.ts';
import type { Session } from '../../core/verify/session.ts';
import { inTransaction } from '../../db/changes.ts';
import { insertStop } from '../../db/limits/stops.ts';
import type { Db } from '../../db/schema.ts';
import { Wakeup } from '../../time/on-demand.ts';
import { settleAll, settleAny } from '../../time/settle.ts';
import type { AccountView, AccountViews } from '../accounts/views.ts';
import type { EngineContext, EngineObserver } from '../context.ts';
import { emitAnomaly } from './anomalies.ts';
import { Crowds, type Look } from './crowds.ts';
import { type Suspect, Suspects, type SuspectsOptions } from './suspects.ts';

export interface PumpingOptions extends SuspectsOptions, Pick<EngineContext, 'ids'> {
  /** Home: stops are there. */
  db: Db;
  accounts: Pick<AccountViews, 'view' | 'clear' | 'platformLists'>;
  settings: Pick<EngineContext['settings'], 'ruleModes'> & SuspectsOptions['settings'];
  fleet: Pick<EngineContext['fleet'], 'alive'>;
  log: StopLog;
  observe: Pick<EngineObserver, 'stopped'>;
}

/** Where stops are on record beside their rows. */
interface StopLog {
  warn(fields: object, message: string): void;
}

/** Accounts looked at with one statement for each rule. The next ones come a moment later. */
const mostLooks = 25;

export class Pumping {
  /** Set when a look may be due. */
  readonly due = new Wakeup();
  readonly #options: PumpingOptions;
  readonly #crowds = new Crowds();
  readonly #suspects: Suspects;

  constructor(options: PumpingOptions) {
    this.#options = options;
    this.#suspects = new Suspects(options, this.#crowds);
  }

  /** A change is on record that this process has made. */
  committed({ before, session }: { before: Session | null; session: Session }): void {
    if (before !== null || session.mode !== 'live') return;
    const { now, fleet } = this.#options;
    const processes = Math.max(1, fleet.alive);
    if (this.#crowds.add(session.accountId, session.to, { now: now(), processes })) this.due.set();
  }

  /** Does some of the looks that are due. Resolves with the time until it has something to do again, ms; null while nothing is sent. */
  async run(): Promise<number | null> {
    const { now } = this.#options;
    // First, too: a look that fails ends the run.
    this.#suspects.forget();
    const looks = this.#crowds.due(now()).slice(0, mostLooks);
    for (const look of looks) this.#crowds.begin(look, now());
    if (looks.length > 0) await this.#look(looks);
    const times = [this.#crowds.nextMs(now()), this.#suspects.forget()].filter((each) => each !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  async #look(looks: readonly Look[]): Promise<void> {
    const { settings, now } = this.#options;
    const all = (await this.#viewed(looks)).map(({ account, ...look }) => {
      const modes = modesOf(settings.ruleModes, account.ruleModes);
      // A stop by another rule that is only watched closes nothing, and keeps this one from nothing.
      const before = (rule: StopRule) => heeded(rulesBefore(rule, modes), account.stops);
      return { ...look, account, modes, before };
    });
    const sequential = all.filter(({ modes, crowded, before }) => {
      const isStopped = crowded !== null && stopOf(crowded, before('sequential_numbers'), now());
      return modes.sequential_numbers !== 'off' && !isStopped;
    });
    const suspects = await this.#suspects.sequential(sequential);
    const conversion = all.filter(
      ({ account, modes, checksConversion }) =>
        checksConversion && modes.prefix_conversion !== 'off' && !suspects.has(account.id),
    );
    for (const [id, suspect] of await this.#suspects.conversion(conversion)) suspects.set(id, suspect);
    const stops: Promise<void>[] = [];
    for (const { account, modes } of all) {
      const suspect = suspects.get(account.id);
      if (suspect) stops.push(this.#stop(account, suspect, modes));
    }
    // A stop that can't be stored keeps no other from being stored.
    await settleAll(stops);
  }

  /** One whose view can't be loaded keeps nobody from looking at the others. @throws where none can. */
  #viewed(looks: readonly Look[]): Promise<(Look & { account: AccountView })[]> {
    const { accounts } = this.#options;
    return settleAny(looks.map(async (look) => ({ ...look, account: await accounts.view(look.accountId, 'live') })));
  }

  async #stop(account: AccountView, suspect: Suspect, modes: RuleModes): Promise<void> {
    const { db, ids, now, accounts, log, observe } = this.#options;
    const { id: accountId } = account;
    const mode = modes[suspect.rule];
    const at = now();
    const id = ids(stopIdPrefix, shardForAccount(accountId));
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
      `sends of an account look like pumping ${enforced ? stopsThem : watchesThem}`,
    );
  }
}

const stopsThem = 'and are stopped for an hour: look at its traffic, and lift the stop if it is honest';
const watchesThem =
  'and go on, as the rule is only monitored: look at its traffic, and enforce the rule if it is not honest';

const toNew = ({ rule, reason, prefix, sent, verified }: Suspect) => ({ rule, reason, prefix, sent, verified });
