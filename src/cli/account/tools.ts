// The tools that every word of `npm run account` works with, and the refusal that ends one of them without being a bug.

import type { Accounts } from '../../engine/accounts/accounts.ts';
import type { AccountsContext } from '../../engine/accounts/context.ts';

export interface AccountTools extends Pick<AccountsContext, 'db' | 'now' | 'settings'> {
  accounts: Accounts;
  say(line: string): void;
}

export class Refusal extends Error {
  override name = 'Refusal';
  /** 1 = refused, 2 = not understood. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2) {
    super(message);
    this.exitCode = exitCode;
  }
}
