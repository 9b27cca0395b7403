// Commands that find accounts and control one: list, show, approve, suspend, resume, unlock. Most of them are for an emergency: every process follows at once.

import { parsePhone } from '../../core/phone.ts';
import { findAccount } from '../../db/accounts/accounts.ts';
import { listSuspended, unlockNumber } from '../../db/accounts/control.ts';
import { accountStatuses } from '../../db/accounts/find.ts';
import { listWaiting } from '../../db/accounts/waiting.ts';
import { isOutage } from '../../db/outage.ts';
import { oneOf, pageSize, Refusal, readText, sayRows, text } from '../command.ts';
import { command } from '../program.ts';
import { describeLimits } from './limits.ts';
import { type AccountTools, modes } from './tools.ts';

const isClosed = 'the account is closed: reopen it first';

export const controlCommands = [
  command({
    names: ['list'],
    usage: `
  list [--search …] [--status ${accountStatuses.join('|')}]
      accounts, newest first; --search is in their name, or the beginning of their id`,
    options: { search: text, status: text },
    run: (tools: AccountTools, { values }) => list(tools, values),
  }),
  command({
    names: ['show'],
    usage: `
  show <account id>
      its name, approval, suspension and limits`,
    takes: ['<account id>'],
    run: (tools: AccountTools, { words: [accountId = ''] }) => show(tools, accountId),
  }),
  command({
    names: ['approve'],
    usage: `
  approve <account id>
      lets the live keys work of an account that was made by open registration`,
    takes: ['<account id>'],
    run: (tools: AccountTools, { words: [accountId = ''] }) => approve(tools, accountId),
  }),
  command({
    names: ['waiting'],
    usage: `
  waiting
      accounts that wait for approval`,
    run: showWaiting,
  }),
  command({
    names: ['suspend'],
    usage: `
  suspend <account id> [--reason …]
      refuses its keys everywhere within a second, sends nothing more, holds its webhooks`,
    takes: ['<account id>'],
    options: { reason: text },
    run: (tools: AccountTools, { words: [accountId = ''], values }) => suspend(tools, accountId, values.reason),
  }),
  command({
    names: ['resume'],
    usage: `
  resume <account id>`,
    takes: ['<account id>'],
    run: (tools: AccountTools, { words: [accountId = ''] }) => resume(tools, accountId),
  }),
  command({
    names: ['suspended'],
    usage: `
  suspended
      accounts that are suspended`,
    run: showSuspended,
  }),
  command({
    names: ['unlock'],
    usage: `
  unlock <account id> <+number> [--mode live|test]
      lets checks of a number be answered again that too many wrong codes have locked`,
    takes: ['<account id>', '<+number>'],
    options: { mode: text },
    run: (tools: AccountTools, { words: [accountId = '', number = ''], values }) =>
      unlock(tools, { accountId, number, ...values }),
  }),
];

async function list(
  tools: AccountTools,
  { search = '', status: word }: { search?: string; status?: string },
): Promise<void> {
  const wanted = word === undefined ? null : oneOf('--status', word, accountStatuses);
  let before: string | null = null;
  let found = 0;
  do {
    const { items, next } = await tools.accounts.control.list(
      { search: search.trim(), status: wanted },
      { limit: pageSize, before },
    );
    for (const { id, status, created_at, name } of items)
      tools.say([id, status.padEnd('suspended'.length), created_at.toISOString(), name].join('  '));
    found += items.length;
    before = next;
  } while (before !== null);
  if (found === 0) tools.say('no account matches');
}

/** Null = as it is. */
export const readReason = (reason: string | undefined, bounds: 'reason' | 'decision' = 'reason'): string | null =>
  reason === undefined ? null : readText('--reason', reason, bounds);

async function suspend(tools: AccountTools, accountId: string, reason: string | undefined): Promise<void> {
  const outcome = await tools.accounts.control.suspend(accountId, readReason(reason), tools.actor);
  if (outcome.kind === 'account_not_found') throw new Refusal(`no account ${accountId}`, 1);
  if (outcome.kind === 'account_closed') throw new Refusal(isClosed, 1);
  tools.say(`${accountId}  suspended since ${outcome.since.toISOString()}`);
  tools.say('Its keys are refused everywhere within a second, nothing more is sent, its webhooks are held.');
}

async function resume(tools: AccountTools, accountId: string): Promise<void> {
  const outcome = await tools.accounts.control.resume(accountId, tools.actor);
  if (outcome.kind === 'account_not_found') throw new Refusal(`no account ${accountId}`, 1);
  if (outcome.kind === 'account_closed') throw new Refusal(isClosed, 1);
  if (outcome.kind === 'not_suspended') throw new Refusal(`${accountId} is not suspended`, 1);
  tools.say(`${accountId}  resumed; it was suspended since ${outcome.suspendedAt.toISOString()}`);
}

async function approve(tools: AccountTools, accountId: string): Promise<void> {
  const outcome = await tools.accounts.control.approve(accountId, tools.actor);
  if (outcome.kind === 'account_not_found') throw new Refusal(`no account ${accountId}`, 1);
  tools.say(`${accountId}  approved since ${outcome.at.toISOString()}`);
  const { status = 'closed' } = outcome.account ?? {};
  const refused = `It is ${status}, so its keys are refused all the same.`;
  tools.say(status === 'active' ? 'Its live keys work everywhere within a second.' : refused);
}

async function showWaiting(tools: AccountTools): Promise<void> {
  const count = await sayRows(
    (after) => listWaiting(tools.db, { limit: pageSize, after }),
    ({ id, created_at, name }) => tools.say([id, `since ${created_at.toISOString()}`, name].join('  ')),
  );
  if (count === 0) tools.say('no account waits for approval');
}

async function show(tools: AccountTools, accountId: string): Promise<void> {
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

async function showSuspended(tools: AccountTools): Promise<void> {
  const count = await sayRows(
    (after) => listSuspended(tools.db, { limit: pageSize, after }),
    ({ id, suspended_at, suspended_reason, name }) =>
      tools.say([id, `since ${suspended_at?.toISOString()}`, name, suspended_reason ?? ''].join('  ').trimEnd()),
  );
  if (count === 0) tools.say('no account is suspended');
}

interface UnlockWords {
  accountId: string;
  number: string;
  mode?: string | undefined;
}

async function unlock(tools: AccountTools, { accountId, number, mode }: UnlockWords): Promise<number> {
  const chosen = mode === undefined ? modes : [oneOf('--mode', mode, modes)];
  const phone = parsePhone(number);
  if (phone.kind === 'invalid') throw new Refusal('<+number> must be in international form: +213550123456', 2);
  await tools.requireOthers();
  if (!(await findAccount(tools.db, accountId, 'live'))) throw new Refusal(`no account ${accountId}`, 1);
  const asked = { id: accountId, number: phone.e164, modes: chosen, now: new Date(tools.now()), actor: tools.actor };
  const { forgotten, failed } = await unlockNumber({ home: tools.db, cells: tools.cells }, asked);
  for (const { error } of failed) if (!isOutage(error)) throw error;
  if (forgotten.length === 0 && failed.length === 0) tools.say('no wrong codes are counted for this number');
  for (const { mode, failuresInRow } of forgotten) {
    tools.say(`unlocked (${mode}): ${failuresInRow} wrong codes in a row are forgotten`);
  }
  for (const { cell } of failed)
    tools.say(
      `cell ${cell} can't be reached: what it has counted of the number stays. Run this once more when it is back`,
    );
  return failed.length === 0 ? 0 : 1;
}
