// Words for approvals: of sender names, which operators decide, and of sites and apps of autofill, brands and texts, which the operator
// of the service decides.

import { domainToUnicode } from 'node:url';
import type { SenderDecision } from '../../core/accounts/sender-name.ts';
import { type WordingKind, wordingLanguages } from '../../core/accounts/wording.ts';
import { isId } from '../../core/ids.ts';
import { listAutofill } from '../../db/accounts/autofill.ts';
import { listUndecidedSenderNames, type SenderName } from '../../db/accounts/senders.ts';
import { listWordings, type WordingDecision } from '../../db/accounts/wordings.ts';
import type { AccountAutofillRow, AccountWordingRow } from '../../db/schema.ts';
import { Refusal } from '../command.ts';
import type { AccountTools } from './tools.ts';

const listLimit = 1_000;

export async function listSenders(tools: AccountTools): Promise<void> {
  const senders = await listUndecidedSenderNames(tools.db, listLimit);
  if (senders.length === 0) tools.say('no sender name waits for an operator');
  for (const sender of senders) tools.say(describeSender(sender));
}

export interface DecisionWords {
  senderId: string;
  operators: readonly string[];
  decision: SenderDecision;
  reason: string;
}

/** One operator after the other: decisions recorded before a refusal stay recorded, and are printed. */
export async function decideSender(tools: AccountTools, words: DecisionWords): Promise<void> {
  const { senderId, operators, decision, reason } = words;
  if (!isId('snd_', senderId)) throw new Refusal(`${senderId} is no id of a sender name: it begins with snd_`, 1);
  for (const operator of operators) {
    const outcome = await tools.accounts.senders.decide({ senderId, operator, decision, reason, actor: tools.actor });
    switch (outcome.kind) {
      case 'sender_not_found':
        throw new Refusal(`no sender name ${senderId}`, 1);
      case 'operator_not_found':
        throw new Refusal(
          `no operator ${operator} is configured: there is ${tools.settings.operators.join(', ') || 'none'}`,
          1,
        );
      case 'not_allowed':
        throw new Refusal(`at ${operator} it is ${outcome.status}: that can not be ${decision}`, 1);
      case 'decided':
        tools.say(outcome.changed ? describeSender(outcome.sender) : `at ${operator} it is ${decision} already`);
    }
  }
}

function describeSender({ id, name, mode, account_id, due_at, decisions }: SenderName): string {
  const states = decisions.map(({ operator, status }) => `${operator}: ${status}`).join(', ');
  return `${id}  ${name}  ${account_id} (${mode})  due ${due_at.toISOString()}  ${states}`;
}

export async function listAutofillValues(tools: AccountTools, accountId: string | null): Promise<void> {
  const rows = await listAutofill(tools.db, accountId, listLimit);
  if (rows.length === 0) {
    tools.say(accountId === null ? 'no site and no app waits for approval' : `nothing is registered on ${accountId}`);
  }
  for (const row of rows) tools.say(describeAutofill(row));
}

export interface AutofillWords {
  accountId: string;
  value: string;
  approved: boolean;
}

export async function decideAutofillValue(tools: AccountTools, words: AutofillWords): Promise<void> {
  const { accountId, value } = words;
  const rows = await tools.accounts.control.decideAutofill(words, tools.actor);
  if (rows.length === 0)
    throw new Refusal(`${accountId} has registered no ${value}: see autofill list ${accountId}`, 1);
  for (const row of rows) tools.say(describeAutofill(row));
}

function describeAutofill({ account_id, value, package_name, approved, created_at }: AccountAutofillRow): string {
  const what = package_name === null ? shownOrigin(value) : `${value}  ${package_name}`;
  return `${account_id}  ${what}  ${approved ? 'approved' : 'pending'}  since ${created_at.toISOString()}`;
}

export async function listWordingValues(tools: AccountTools, accountId: string | null): Promise<void> {
  const rows = await listWordings(tools.db, accountId, listLimit);
  if (rows.length === 0) {
    tools.say(
      accountId === null ? 'no brand and no text waits for approval' : `${accountId} has no wording of its own`,
    );
  }
  for (const row of rows) tools.say(describeWording(row));
}

export interface WordingWords extends Omit<WordingDecision, 'kind' | 'now' | 'actor'> {
  kind: string;
}

export async function decideWordingValue(tools: AccountTools, words: WordingWords): Promise<void> {
  const { accountId, kind, value } = words;
  if (!isWordingKind(kind)) throw new Refusal(`${kind} is neither brand nor one of ${wordingLanguages.join(', ')}`, 1);
  const decided = await tools.accounts.decideWording({ ...words, kind, actor: tools.actor });
  if (!decided) {
    const asked = kind === 'brand' ? `the brand ${value}` : `the text in ${kind}: ${value}`;
    throw new Refusal(`${accountId} does not ask for ${asked}: see wording list ${accountId}`, 1);
  }
  for (const row of await listWordings(tools.db, accountId, listLimit)) {
    if (row.kind === kind && row.value === value) tools.say(describeWording(row));
  }
}

const isWordingKind = (kind: string): kind is WordingKind =>
  kind === 'brand' || wordingLanguages.some((each) => each === kind);

function describeWording({ account_id, kind, value, status, reason, created_at }: AccountWordingRow): string {
  const why = reason === null ? '' : ` (${reason})`;
  return `${account_id}  ${kind}  ${JSON.stringify(value)}  ${status}${why}  since ${created_at.toISOString()}`;
}

/** A name in punycode with the text that a reader would see: it may imitate another one. */
function shownOrigin(origin: string): string {
  const host = origin.replace('https://', '');
  const read = domainToUnicode(host);
  return read === host || read === '' ? origin : `${origin} (${read})`;
}
