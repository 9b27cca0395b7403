// The tools that every word of `npm run account` works with.

import type { Actor } from '../../core/accounts/actor.ts';
import type { Accounts } from '../../engine/accounts/accounts.ts';
import type { AccountsContext } from '../../engine/accounts/context.ts';
import type { AccountExport } from '../../engine/erasure/export.ts';
import type { Stops } from '../../engine/limits/stops.ts';

export interface AccountTools extends Pick<AccountsContext, 'db' | 'now' | 'settings'> {
  /** All databases that sessions are in, home's among them. */
  cells: readonly AccountsContext['db'][];
  accounts: Accounts;
  stops: Stops;
  exports: AccountExport;
  /** Who is recorded in the audit log. */
  actor: Actor;
  say(line: string): void;
}
