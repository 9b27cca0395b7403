// Accounts as those who run the service see and control them: found, approved, suspended and resumed, closed and reopened. What the command line does on the database
// alone goes through the same statements.

import type { Actor } from '../../core/accounts/actor.ts';
import { originOf, webHost } from '../../core/verify/autofill.ts';
import { decideAutofill } from '../../db/accounts/autofill.ts';
import { closeAccount, reopenAccount } from '../../db/accounts/closing.ts';
import { approveAccount, findAccountRow, resumeAccount, suspendAccount } from '../../db/accounts/control.ts';
import { type AccountFilter, type AccountStatus, findAccounts, statusOf } from '../../db/accounts/find.ts';
import type { AccountAutofillRow, AccountRow } from '../../db/schema.ts';
import type { ListPage } from '../../db/verify/list.ts';
import type { AccountsContext } from './context.ts';

export type { AccountFilter, AccountStatus };
export type ManagedAccount = AccountRow & {
  status: AccountStatus;
  /** When everything of it is deleted; null where it is not closed. */
  purge_at: Date | null;
};

const dayMs = 86_400_000;

/** What was refused of a change. */
interface Outcome {
  kind: string;
}

/** Each answers null where there is no such account. */
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

  approve(id: string, actor: Actor): Promise<ManagedAccount | null> {
    return this.#change(id, (db, now) => approveAccount(db, { id, now, actor }));
  }

  /** @param reason null = as it is. 'closed': a closed account is neither suspended nor resumed. */
  suspend(id: string, reason: string | null, actor: Actor): Promise<ManagedAccount | null | 'closed'> {
    return this.#unlessClosed(id, (db, now) => suspendAccount(db, { id, reason, now, actor }));
  }

  /** One that is not suspended stays as it is. */
  resume(id: string, actor: Actor): Promise<ManagedAccount | null | 'closed'> {
    return this.#unlessClosed(id, (db, now) => resumeAccount(db, { id, now, actor }));
  }

  /** @param reason null = as it is. */
  close(id: string, reason: string | null, actor: Actor): Promise<ManagedAccount | null> {
    return this.#change(id, (db, now) => closeAccount(db, { id, reason, now, actor }));
  }

  /** One that is not closed stays as it is. 'closed': its purge has begun. */
  reopen(id: string, actor: Actor): Promise<ManagedAccount | null | 'closed'> {
    return this.#unlessClosed(id, (db, now) => reopenAccount(db, { id, now, actor }));
  }

  /**
   * Of a site or an app that the account has registered; what was decided, nothing where it has not. An origin is taken in whatever form the
   * account could register it; a package's name only where no site has it.
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
    caches?.clear();
    return rows;
  }

  async #unlessClosed(id: string, change: (db: AccountsContext['db'], now: Date) => Promise<Outcome>) {
    let isClosed = false;
    const account = await this.#change(id, async (db, now) => {
      const { kind } = await change(db, now);
      isClosed = kind === 'account_closed' || kind === 'purging';
    });
    return isClosed ? 'closed' : account;
  }

  async #change(id: string, change: (db: AccountsContext['db'], now: Date) => Promise<unknown>) {
    const { db, now, caches } = this.#context;
    await change(db, new Date(now()));
    caches?.clear();
    return this.find(id);
  }
}
