// Words that control one account: suspend, resume, unlock, show. Most of them are for an emergency, so
// they act straight on the database, and every process follows.

import { parsePhone } from '../../core/phone.ts';
import type { Mode } from '../../core/verify/session.ts';
import { findAccount } from '../../db/accounts/accounts.ts';
import { listSuspended, listWaiting, unlockNumber } from '../../db/accounts/control.ts';
import { Refusal } from '../command.ts';
import { describeLimits } from './limits.ts';
import type { AccountTools } from './tools.ts';

const listLimit = 1_000;
const mostReason = 500;
const isClosed = 'the account is closed: reopen it first';

/** Null = as it is. */
export function readReason(reason: string | undefined): string | null {
  if ((reason?.length ?? 0) > mostReason) throw new Refusal(`--reason is at most ${mostReason} characters`, 2);
  return reason ?? null;
}

export async function suspend(tools: AccountTools, accountId: string, reason: string | undefined): Promise<void> {
  const outcome = await tools.accounts.control.suspend(accountId, readReason(reason), tools.actor);
  if (outcome.kind === 'account_not_found') throw new Refusal(`no account ${accountId}`, 1);
  if (outcome.kind === 'account_closed') throw new Refusal(isClosed, 1);
  tools.say(`${accountId}  suspended since ${outcome.since.toISOString()}`);
  tools.say('Its keys are refused everywhere within a second, nothing more is sent, its webhooks are held.');
}

export async function resume(tools: AccountTools, accountId: string): Promise<void> {
  const outcome = await tools.accounts.control.resume(accountId, tools.actor);
  if (outcome.kind === 'account_not_found') throw new Refusal(`no account ${accountId}`, 1);
  if (outcome.kind === 'account_closed') throw new Refusal(isClosed, 1);
  if (outcome.kind === 'not_suspended') throw new Refusal(`${accountId} is not suspended`, 1);
  tools.say(`${accountId}  resumed; it was suspended since ${outcome.suspendedAt.toISOString()}`);
}

export async function approve(tools: AccountTools, accountId: string): Promise<void> {
  const outcome = await tools.accounts.control.approve(accountId, tools.actor);
  if (outcome.kind === 'account_not_found') throw new Refusal(`no account ${accountId}`, 1);
  tools.say(`${accountId}  approved since ${outcome.at.toISOString()}`);
  tools.say('Its live keys work everywhere within a second.');
}

export async function showWaiting(tools: AccountTools): Promise<void> {
  const rows = await listWaiting(tools.db, listLimit);
  if (rows.length === 0) tools.say('no account waits for approval');
  for (const { id, created_at, name } of rows) tools.say([id, `since ${created_at.toISOString()}`, name].join('  '));
}

export async function show(tools: AccountTools, accountId: string): Promise<void> {
  const row = await tools.accounts.control.find(accountId);
  if (!row) throw new Refusal(`no account ${accountId}`, 1);
  tools.say(`account    ${row.id}`);
  tools.say(`name       ${row.name}`);
  tools.say(`created    ${row.created_at.toISOString()}`);
  tools.say(`approved   ${row.approved_at ? `since ${row.approved_at.toISOString()}` : 'no'}`);
  tools.say(`suspended  ${row.suspended_at ? `since ${row.suspended_at.toISOString()}` : 'no'}`);
  if (row.suspended_reason) tools.say(`reason     ${row.suspended_reason}`);
  if (row.closed_at)
    tools.say(`closed     since ${row.closed_at.toISOString()}, deleted from ${row.purge_at?.toISOString()} on`);
  if (row.closed_reason) tools.say(`reason     ${row.closed_reason}`);
  for (const line of describeLimits(row.limits)) tools.say(line);
}

export async function showSuspended(tools: AccountTools): Promise<void> {
  const rows = await listSuspended(tools.db, listLimit);
  if (rows.length === 0) tools.say('no account is suspended');
  for (const { id, suspended_at, suspended_reason, name } of rows) {
    tools.say([id, `since ${suspended_at?.toISOString()}`, name, suspended_reason ?? ''].join('  ').trimEnd());
  }
}

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
  const asked = { id: accountId, number: phone.e164, modes, now: new Date(tools.now()), actor: tools.actor };
  const forgotten = await unlockNumber({ home: tools.db, cells: tools.cells }, asked);
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
