// Lifting the lock that wrong codes put on a number: after 100 in a row only the operator of the service does it.

import { parsePhone } from '../../core/phone.ts';
import type { Mode } from '../../core/verify/session.ts';
import { findAccount } from '../../db/accounts/accounts.ts';
import { forgetFailures } from '../../db/limits/number-failures.ts';
import { Refusal } from './refusal.ts';
import type { AccountTools } from './tools.ts';

export interface UnlockWords {
  accountId: string;
  number: string;
  mode?: string | undefined;
}

export async function unlock(tools: AccountTools, { accountId, number, mode }: UnlockWords): Promise<void> {
  const modes = modesOf(mode);
  const phone = parsePhone(number);
  if (phone.kind === 'invalid') throw new Refusal('the number must be in international form: +213550123456', 2);
  if (!(await findAccount(tools.db, accountId, 'live'))) throw new Refusal(`no account ${accountId}`, 1);
  const forgotten = await forgetFailures(tools.db, { accountId, number: phone.e164, modes });
  if (forgotten.length === 0) tools.say('no wrong codes are counted for this number');
  for (const { mode, failuresInRow } of forgotten) {
    tools.say(`unlocked (${mode}): ${failuresInRow} wrong codes in a row are forgotten`);
  }
}

function modesOf(mode: string | undefined): readonly Mode[] {
  if (mode === undefined) return ['live', 'test'];
  if (mode === 'live' || mode === 'test') return [mode];
  throw new Refusal('--mode must be one of live, test', 2);
}
