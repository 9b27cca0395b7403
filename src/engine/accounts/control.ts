// Accounts as those who run the service see and control them: found, approved, suspended and resumed. What the command line does on the database
// alone goes through the same statements.

import type { Actor } from '../../core/accounts/actor.ts';
import { approveAccount, findAccountRow, resumeAccount, suspendAccount } from '../../db/accounts/control.ts';
import { type AccountFilter, type AccountStatus, findAccounts, statusOf } from '../../db/accounts/find.ts';
import type { AccountRow } from '../../db/schema.ts';
import type { ListPage } from '../../db/verify/list.ts';
import type { AccountsContext } from './context.ts';

export type { AccountFilter, AccountStatus };
export type ManagedAccount = AccountRow & { status: AccountStatus };

const managed = (row: AccountRow): ManagedAccount => ({ ...row, status: statusOf(row) });

/** Each answers null where there is no such account. */
export class AccountControl {
  readonly #context: AccountsContext;

  constructor(context: AccountsContext) {
    this.#context = context;
  }

  /** Newest first. */
  async list(filter: AccountFilter, page: { limit: number; before: string | null }): Promise<ListPage<ManagedAccount>> {
    const { items, next } = await findAccounts(this.#context.db, filter, page);
    return { items: items.map(managed), next };
  }

  async find(id: string): Promise<ManagedAccount | null> {
    const row = await findAccountRow(this.#context.db, id);
    return row ? managed(row) : null;
  }

  approve(id: string, actor: Actor): Promise<ManagedAccount | null> {
    return this.#change(id, (db, now) => approveAccount(db, { id, now, actor }));
  }

  /** @param reason null = as it is. */
  suspend(id: string, reason: string | null, actor: Actor): Promise<ManagedAccount | null> {
    return this.#change(id, (db, now) => suspendAccount(db, { id, reason, now, actor }));
  }

  /** One that is not suspended stays as it is. */
  resume(id: string, actor: Actor): Promise<ManagedAccount | null> {
    return this.#change(id, (db, now) => resumeAccount(db, { id, now, actor }));
  }

  async #change(id: string, change: (db: AccountsContext['db'], now: Date) => Promise<unknown>) {
    const { db, now, caches } = this.#context;
    await change(db, new Date(now()));
    caches?.clear();
    return this.find(id);
  }
}
