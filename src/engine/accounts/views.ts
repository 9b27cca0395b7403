// What the engine needs to know of accounts, kept in memory until somebody changes one.

import type { PlanAccount } from '../../channels/channel.ts';
import type { AutofillStatus } from '../../core/verify/autofill.ts';
import type { Language, Leg, Mode } from '../../core/verify/session.ts';

/** An account as one mode sees it. */
export interface AccountView extends PlanAccount {
  language: Language;
  /** null = the platform's cascade. */
  cascade: Leg[] | null;
  /** State of each origin and app hash that is registered. */
  autofill: ReadonlyMap<string, AutofillStatus>;
  /** Unix ms of the first live SMS an operator accepted; null while there was none. */
  smsFirstSendAt: number | null;
  /** Unix ms of the first send of the first session sent from the business's own number; null while there was none. */
  appFirstSendAt: number | null;
  /** Unix ms of the first time the business linked its own messaging-app account; null while it has not. */
  wabaConnectedAt: number | null;
  /** Overrides of the platform's limits; null = the platform's. */
  sendsPerSecond: number | null;
  sendsPerNumberPerHour: number | null;
  sendsPerNumberPerDay: number | null;
  /** True where sends per number are not counted: load tests, monitoring. */
  unlimitedNumbers: boolean;
  /** The operator of the service has stopped it: nothing more goes out. */
  suspended: boolean;
}

export interface AccountSource {
  /** @throws when there is no such account: keys and sessions belong to one. */
  load(accountId: string, mode: Mode): Promise<AccountView>;
  /** A number that rises with every change to any account, key or sender name. */
  changes(): Promise<number>;
}

export class Accounts {
  readonly #source: AccountSource;
  readonly #views = new Map<string, Promise<AccountView>>();
  #changes = -1;

  constructor(source: AccountSource) {
    this.#source = source;
  }

  view(accountId: string, mode: Mode): Promise<AccountView> {
    const key = `${accountId} ${mode}`;
    const held = this.#views.get(key);
    if (held) return held;
    const view = this.#source.load(accountId, mode);
    this.#views.set(key, view);
    view.catch(() => this.#views.delete(key));
    return view;
  }

  /** Called once a second: what was changed elsewhere holds here within that second. True when something had changed. */
  async refresh(): Promise<boolean> {
    const changes = await this.#source.changes();
    if (changes === this.#changes) return false;
    this.#changes = changes;
    this.clear();
    return true;
  }

  clear(): void {
    this.#views.clear();
  }

  /** Saves asking the database again whether this is the account's first live SMS, or its first message of its own number. */
  sawFirstSend(accountId: string, what: 'smsFirstSendAt' | 'appFirstSendAt', at: number): void {
    void this.#views.get(`${accountId} live`)?.then((view) => {
      view[what] ??= at;
    });
  }
}
