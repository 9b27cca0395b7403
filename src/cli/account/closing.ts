// Commands that close an account, open it again, and export everything stored about it.

import type { ManagedAccount } from '../../engine/accounts/accounts.ts';
import type { ExportPage } from '../../engine/erasure/export.ts';
import { Refusal, text } from '../command.ts';
import { command } from '../program.ts';
import { readReason } from './control.ts';
import type { AccountTools } from './tools.ts';

export const closingCommands = [
  command({
    names: ['close'],
    usage: `
  close <account id> [--reason …]
      as suspend; and once it was closed for long enough (service.closed_account_days), everything of it is deleted`,
    takes: ['<account id>'],
    options: { reason: text },
    run: (tools: AccountTools, { words: [accountId = ''], values }) => close(tools, accountId, values.reason),
  }),
  command({
    names: ['reopen'],
    usage: `
  reopen <account id>
      as it was before, until then`,
    takes: ['<account id>'],
    run: (tools: AccountTools, { words: [accountId = ''] }) => reopen(tools, accountId),
  }),
  command({
    names: ['export'],
    usage: `
  export <account id>
      everything stored about it, as lines of JSON without secrets`,
    takes: ['<account id>'],
    run: (tools: AccountTools, { words: [accountId = ''] }) => exportAll(tools, accountId),
  }),
];

async function close(tools: AccountTools, accountId: string, reason: string | undefined): Promise<void> {
  const { account } = await tools.accounts.control.close(accountId, readReason(reason), tools.actor);
  if (!account) throw new Refusal(`no account ${accountId}`, 1);
  tools.say(describeClosing(account));
  tools.say('Its keys are refused everywhere within a second, nothing more is sent, its webhooks are held.');
}

async function reopen(tools: AccountTools, accountId: string): Promise<void> {
  const { kind, account } = await tools.accounts.control.reopen(accountId, tools.actor);
  if (kind === 'account_not_found') throw new Refusal(`no account ${accountId}`, 1);
  if (kind === 'not_closed') throw new Refusal(`${accountId} is not closed`, 1);
  if (kind === 'purging') throw new Refusal('its data is being deleted, so it cannot be reopened', 1);
  tools.say(`${accountId}  reopened; it is ${account?.status ?? 'gone'}`);
}

const describeClosing = ({ id, closed_at, purge_at }: ManagedAccount): string =>
  `${id}  closed since ${closed_at?.toISOString()}; everything of it is deleted from ${purge_at?.toISOString()} on`;

const pageSize = 100;

async function exportAll({ exports, actor, requireOthers, say }: AccountTools, accountId: string): Promise<void> {
  await requireOthers();
  let from: string | null = null;
  do {
    const page: ExportPage | null | 'invalid_token' = await exports.page(accountId, { from, limit: pageSize, actor });
    if (!page) throw new Refusal(`no account ${accountId}`, 1);
    if (page === 'invalid_token') throw new Refusal('the export took too long: it is not complete', 1);
    for (const { line } of page.records) say(line);
    from = page.next;
  } while (from !== null);
}
