// The tools that every command of `npm run account` works with.

import type { Actor } from '../../core/accounts/actor.ts';
import type { Mode } from '../../core/verify/session.ts';
import { findAccountRow } from '../../db/accounts/control.ts';
import type { Cells } from '../../db/cell-keys.ts';
import type { Accounts } from '../../engine/accounts/accounts.ts';
import type { AccountsContext } from '../../engine/accounts/context.ts';
import type { AccountExport } from '../../engine/erasure/export.ts';
import type { SendLimits } from '../../engine/limits/number-limits.ts';
import type { Stops } from '../../engine/limits/stops.ts';
import { Refusal } from '../command.ts';

export const modes: readonly Mode[] = ['live', 'test'];

export interface AccountTools extends Pick<AccountsContext, 'db' | 'now' | 'settings'> {
  /** All databases that sessions are in. */
  cells: Omit<Cells<AccountsContext['db']>, 'now'>;
  accounts: Accounts;
  stops: Stops;
  exports: AccountExport;
  /** Limits that hold beside those of an account. */
  sendLimits: Pick<SendLimits, 'platformPerNumberPerHour' | 'platformPerNumberPerDay'>;
  /** Who is recorded in the audit log. */
  actor: Actor;
  /** Before anything is made with the key ring. @throws Refusal where it is not the one of the running service. */
  requireRing(): Promise<void>;
  /** Before anything is looked for in all cells. @throws Refusal where one is not what it is called here. */
  requireOthers(): Promise<unknown>;
  say(line: string): void;
}

/** Before it is said that there is nothing: of a name that was mistyped there never is. @throws Refusal */
export async function requireAccount({ db }: Pick<AccountTools, 'db'>, accountId: string): Promise<void> {
  if (!(await findAccountRow(db, accountId))) throw new Refusal(`no account ${accountId}`, 1);
}
