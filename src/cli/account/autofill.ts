// `ramz account autofill …`: sites and apps that live sends may name, once the operator of the service has approved them.

import { domainToUnicode } from 'node:url';
import { listAutofill } from '../../db/accounts/autofill.ts';
import type { AccountAutofillRow } from '../../db/schema.ts';
import { pageSize, Refusal, sayPages } from '../command.ts';
import { command } from '../program.ts';
import { type AccountTools, requireAccount } from './tools.ts';

export const autofillCommands = [
  command({
    names: ['autofill list'],
    usage: `
  autofill list [<account id>]
      sites and apps that wait for your approval, of all accounts; or all of one account`,
    takes: ['[<account id>]'],
    run: (tools: AccountTools, { words: [accountId = null] }) => listValues(tools, accountId),
  }),
  command({
    names: ['autofill approve', 'autofill revoke'],
    usage: `
  autofill approve|revoke <account id> <web origin, app hash or package name>
      lets live sends of the account name them for autofill, or no longer`,
    takes: ['<account id>', '<web origin, app hash or package name>'],
    run: (tools: AccountTools, { name, words: [accountId = '', value = ''] }) =>
      decide(tools, { accountId, value, approved: name === 'autofill approve' }),
  }),
];

async function listValues(tools: AccountTools, accountId: string | null): Promise<void> {
  const count = await sayPages(
    (after: AccountAutofillRow | null) => listAutofill(tools.db, accountId, { limit: pageSize, after }),
    (row) => tools.say(describe(row)),
  );
  if (count > 0) return;
  if (accountId !== null) await requireAccount(tools, accountId);
  tools.say(accountId === null ? 'no site and no app waits for approval' : `nothing is registered on ${accountId}`);
}

interface AutofillWords {
  accountId: string;
  value: string;
  approved: boolean;
}

async function decide(tools: AccountTools, words: AutofillWords): Promise<void> {
  const { accountId, value } = words;
  const rows = await tools.accounts.control.decideAutofill(words, tools.actor);
  if (rows.length === 0)
    throw new Refusal(`${accountId} has registered no ${value}: see autofill list ${accountId}`, 1);
  for (const row of rows) tools.say(describe(row));
}

function describe({ account_id, value, package_name, approved, created_at }: AccountAutofillRow): string {
  const what = package_name === null ? shownOrigin(value) : `${value}  ${package_name}`;
  return `${account_id}  ${what}  ${approved ? 'approved' : 'pending'}  since ${created_at.toISOString()}`;
}

/** A name in punycode with the text that a reader would see: it may imitate another one. */
function shownOrigin(origin: string): string {
  const host = origin.replace('https://', '');
  const read = domainToUnicode(host);
  return read === host || read === '' ? origin : `${origin} (${read})`;
}
