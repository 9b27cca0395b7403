// Accounts as those who run the service see and control them: found, approved, suspended and resumed, closed and reopened; for the API and
// for the command line, which has the database alone.

import type { Actor } from '../../core/accounts/actor.ts';
import { originOf, webHost } from '../../core/verify/autofill.ts';
import { decideAutofill } from '../../db/accounts/autofill.ts';
import { type Closed, closeAccount, type Reopened, reopenAccount } from '../../db/accounts/closing.ts';
import {
  type Approved,
  approveAccount,
  type Decision,
  findAccountRow,
  type Resumed,
  resumeAccount,
  type Suspended,
  suspendAccount,
} from '../../db/accounts/control.ts';
import { type AccountFilter, type AccountStatus, findAccounts, statusOf } from '../../db/accounts/find.ts';
import type { AccountAutofillRow, AccountRow } from '../../db/schema.ts';
import type { ListPage } from '../../db/verify/list.ts';
import { dayMs } from '../../time/wall-clock.ts';
import type { AccountsContext } from './context.ts';

export type { AccountFilter, AccountStatus };
export type ManagedAccount = AccountRow & {
  status: AccountStatus;
  /** When everything of it is deleted; null where it is not closed. */
  purge_at: Date | null;
};

/** What became of a change, and the account as it is then; null where there is none. */
export type Changed<Outcome = { kind: string }> = Outcome & { account: ManagedAccount | null };

export class AccountControl {
  readonly #context: AccountsContext;

  constructor(context: AccountsContext) {
    this.#context = context;
  }

  /** Newest first. */
  async list(filter: AccountFilter, page: { limit: number; before: string | null }): Promise<ListPage<ManagedAccount>> {
    const { items, next } = await findAccounts(this.#context.db, filter, page);
    return { items: items.map((row) => this.#managed(row)), next };
  }

  /** Null where there is no such account. */
  async find(id: string): Promise<ManagedAccount | null> {
    const row = await findAccountRow(this.#context.db, id);
    return row ? this.#managed(row) : null;
  }

  #managed(row: AccountRow): ManagedAccount {
    const { closedAccountDays = 30 } = this.#context.settings;
    const { closed_at } = row;
    const purge_at = closed_at && new Date(closed_at.getTime() + closedAccountDays * dayMs);
    return { ...row, status: statusOf(row), purge_at };
  }

  approve(id: string, actor: Actor): Promise<Changed<Approved>> {
    return this.#change(id, actor, approveAccount);
  }

  /** @param reason null = as it is. */
  suspend(id: string, reason: string | null, actor: Actor): Promise<Changed<Suspended>> {
    return this.#change(id, actor, (db, decision) => suspendAccount(db, { ...decision, reason }));
  }

  resume(id: string, actor: Actor): Promise<Changed<Resumed>> {
    return this.#change(id, actor, resumeAccount);
  }

  /** @param reason null = as it is. */
  close(id: string, reason: string | null, actor: Actor): Promise<Changed<Closed>> {
    return this.#change(id, actor, (db, decision) => closeAccount(db, { ...decision, reason }));
  }

  reopen(id: string, actor: Actor): Promise<Changed<Reopened>> {
    return this.#change(id, actor, reopenAccount);
  }

  /**
   * Decides about a site or an app of the account. `value`: an origin in any form in which it could be registered, or the name of a package, which is
   * looked for only where no site matches. Returns the rows that were decided; empty where the account has registered neither.
   */
  async decideAutofill(
    { accountId, value, approved }: { accountId: string; value: string; approved: boolean },
    actor: Actor,
  ): Promise<AccountAutofillRow[]> {
    const { db, now, caches } = this.#context;
    const decision = { accountId, approved, now: new Date(now()), actor };
    const host = webHost(value);
    const values = [host === undefined ? value : originOf(host)];
    const named = await decideAutofill(db, { ...decision, which: { values } });
    const rows = named.length > 0 ? named : await decideAutofill(db, { ...decision, which: { packageName: value } });
    if (rows.length > 0) caches?.clear(accountId);
    return rows;
  }

  async #change<Outcome>(
    id: string,
    actor: Actor,
    change: (db: AccountsContext['db'], decision: Decision) => Promise<Outcome>,
  ): Promise<Changed<Outcome>> {
    const { db, now, caches } = this.#context;
    const outcome = await change(db, { id, now: new Date(now()), actor });
    caches?.clear(id);
    return { ...outcome, account: await this.find(id) };
  }
}
