// `ramz account wording …`: brands and SMS texts of accounts, which the operator of the service approves.

import { type WordingKind, wordingLanguages } from '../../core/accounts/wording.ts';
import { listWordings, type WordingDecision } from '../../db/accounts/wordings.ts';
import type { AccountWordingRow } from '../../db/schema.ts';
import { pageSize, Refusal, sayPages, text } from '../command.ts';
import { command } from '../program.ts';
import { readReason } from './control.ts';
import { type AccountTools, requireAccount } from './tools.ts';

export const wordingCommands = [
  command({
    names: ['wording list'],
    usage: `
  wording list [<account id>]
      brands and SMS texts that wait for your approval, of all accounts; or all of one account`,
    takes: ['[<account id>]'],
    run: (tools: AccountTools, { words: [accountId = null] }) => listValues(tools, accountId),
  }),
  command({
    names: ['wording approve', 'wording reject'],
    usage: `
  wording approve|reject <account id> brand|ar|fr|en <brand or text> [--reason …]
      lets SMS of the account have the brand, or the text in that language, or no longer`,
    takes: ['<account id>', 'brand|ar|fr|en', '<brand or text>'],
    options: { reason: text },
    run: (tools: AccountTools, { name, words: [accountId = '', kind = '', value = ''], values: { reason } }) =>
      decide(tools, {
        accountId,
        kind,
        value,
        status: name === 'wording approve' ? 'approved' : 'rejected',
        reason: readReason(reason, 'decision'),
      }),
  }),
];

async function listValues(tools: AccountTools, accountId: string | null): Promise<void> {
  const count = await sayWordings(tools, accountId, (row) => tools.say(describe(row)));
  if (count > 0) return;
  if (accountId !== null) await requireAccount(tools, accountId);
  tools.say(accountId === null ? 'no brand and no text waits for approval' : `${accountId} has no wording of its own`);
}

const sayWordings = ({ db }: AccountTools, accountId: string | null, say: (row: AccountWordingRow) => void) =>
  sayPages((after) => listWordings(db, accountId, { limit: pageSize, after }), say);

interface WordingWords extends Omit<WordingDecision, 'kind' | 'now' | 'actor'> {
  kind: string;
}

async function decide(tools: AccountTools, words: WordingWords): Promise<void> {
  const { accountId, kind, value } = words;
  if (!isWordingKind(kind)) throw new Refusal(`${kind} is neither brand nor one of ${wordingLanguages.join(', ')}`, 1);
  const decided = await tools.accounts.decideWording({ ...words, kind, actor: tools.actor });
  if (!decided) {
    const asked = kind === 'brand' ? `the brand ${value}` : `the text in ${kind}: ${value}`;
    throw new Refusal(`${accountId} does not ask for ${asked}: see wording list ${accountId}`, 1);
  }
  await sayWordings(tools, accountId, (row) => {
    if (row.kind === kind && row.value === value) tools.say(describe(row));
  });
}

const isWordingKind = (kind: string): kind is WordingKind =>
  kind === 'brand' || wordingLanguages.some((each) => each === kind);

function describe({ account_id, kind, value, status, reason, created_at }: AccountWordingRow): string {
  const why = reason === null ? '' : ` (${reason})`;
  return `${account_id}  ${kind}  ${JSON.stringify(value)}  ${status}${why}  since ${created_at.toISOString()}`;
}
