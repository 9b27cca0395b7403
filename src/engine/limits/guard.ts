// The guard of sends: it gathers what the rules against abuse look at, and returns their verdict. The rules themselves are pure (core/limits);
// a rule that counts does so in the statement that takes the account's own token (limits.ts).

import { allowedPrefixes } from '../../core/limits/allowed-prefixes.ts';
import { type Finding, modesOf, type Verdict, verdictOf } from '../../core/limits/verdict.ts';
import type { SettledSend } from '../../core/verify/request.ts';
import type { AccountView } from '../accounts/views.ts';
import type { EngineContext } from '../context.ts';

/** What of a send the rules look at. */
export type GuardedSend = Pick<SettledSend, 'accountId' | 'mode' | 'to'>;

export class Guard {
  readonly #context: Pick<EngineContext, 'settings'>;

  constructor(context: Pick<EngineContext, 'settings'>) {
    this.#context = context;
  }

  /** By what is in memory: nothing is counted, and no statement is made. */
  judge({ to }: GuardedSend, account: AccountView): Verdict {
    const findings = [allowedPrefixes(to, account.allowedPrefixes)].filter((each): each is Finding => each !== null);
    return verdictOf(findings, modesOf(this.#context.settings.ruleModes, account.ruleModes));
  }
}
