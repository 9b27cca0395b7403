// The tools that every command of `npm run account` works with.

import type { Actor } from '../../core/accounts/actor.ts';
import type { Mode } from '../../core/verify/session.ts';
import type { Accounts } from '../../engine/accounts/accounts.ts';
import type { AccountsContext } from '../../engine/accounts/context.ts';
import type { AccountExport } from '../../engine/erasure/export.ts';
import type { Stops } from '../../engine/limits/stops.ts';

export const modes: readonly Mode[] = ['live', 'test'];

export interface AccountTools extends Pick<AccountsContext, 'db' | 'now' | 'settings'> {
  /** All databases that sessions are in, home's among them. */
  cells: readonly AccountsContext['db'][];
  accounts: Accounts;
  stops: Stops;
  exports: AccountExport;
  /** Who is recorded in the audit log. */
  actor: Actor;
  /** Before anything is made with the key ring. @throws Refusal where it is not the one of the running service. */
  requireRing(): Promise<void>;
  say(line: string): void;
}
