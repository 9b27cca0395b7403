// Words for an emergency: an account is suspended and resumed, and looked at.

import { findAccountRow, listSuspended, resumeAccount, suspendAccount } from '../../db/accounts/suspension.ts';
import { describeLimits } from './limits.ts';
import { Refusal } from './refusal.ts';
import type { AccountTools } from './tools.ts';

const listLimit = 1_000;
const mostReason = 500;

export async function suspend(tools: AccountTools, accountId: string, reason: string | undefined): Promise<void> {
  if ((reason?.length ?? 0) > mostReason) throw new Refusal(`--reason is at most ${mostReason} characters`, 2);
  const outcome = await suspendAccount(tools.db, { id: accountId, reason: reason ?? null, now: new Date(tools.now()) });
  if (outcome.kind === 'account_not_found') throw new Refusal(`no account ${accountId}`, 1);
  tools.say(`${accountId}  suspended since ${outcome.since.toISOString()}`);
  tools.say('Its keys are refused everywhere within a second, nothing more is sent, its webhooks are held.');
}

export async function resume(tools: AccountTools, accountId: string): Promise<void> {
  const outcome = await resumeAccount(tools.db, { id: accountId, now: new Date(tools.now()) });
  if (outcome.kind === 'account_not_found') throw new Refusal(`no account ${accountId}`, 1);
  if (outcome.kind === 'not_suspended') throw new Refusal(`${accountId} is not suspended`, 1);
  tools.say(`${accountId}  resumed; it was suspended since ${outcome.suspendedAt.toISOString()}`);
}

export async function show(tools: AccountTools, accountId: string): Promise<void> {
  const row = await findAccountRow(tools.db, accountId);
  if (!row) throw new Refusal(`no account ${accountId}`, 1);
  tools.say(`account    ${row.id}`);
  tools.say(`name       ${row.name}`);
  tools.say(`created    ${row.created_at.toISOString()}`);
  tools.say(`suspended  ${row.suspended_at ? `since ${row.suspended_at.toISOString()}` : 'no'}`);
  if (row.suspended_reason) tools.say(`reason     ${row.suspended_reason}`);
  for (const line of describeLimits(row.limits)) tools.say(line);
}

export async function showSuspended(tools: AccountTools): Promise<void> {
  const rows = await listSuspended(tools.db, listLimit);
  if (rows.length === 0) tools.say('no account is suspended');
  for (const { id, suspended_at, suspended_reason, name } of rows) {
    tools.say([id, `since ${suspended_at?.toISOString()}`, name, suspended_reason ?? ''].join('  ').trimEnd());
  }
}
