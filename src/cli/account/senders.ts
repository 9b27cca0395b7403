// `ramz account sender …`: sender names, which mobile operators decide about.

import type { SenderDecision } from '../../core/accounts/sender-name.ts';
import { isId } from '../../core/ids.ts';
import { listUndecidedSenderNames, type SenderName } from '../../db/accounts/senders.ts';
import { pageSize, Refusal, readText, sayRows, text } from '../command.ts';
import { notConfigured } from '../database.ts';
import { command } from '../program.ts';
import type { AccountTools } from './tools.ts';

const decisions: Readonly<Record<string, SenderDecision>> = {
  'sender approve': 'approved',
  'sender reject': 'rejected',
  'sender revoke': 'revoked',
};

export const senderCommands = [
  command({
    names: ['sender list'],
    usage: `
  sender list
      sender names that wait for an operator, of all accounts`,
    run: listSenders,
  }),
  command({
    names: Object.keys(decisions),
    usage: `
  sender approve|reject|revoke <sender id> <operator>… [--reason …]
      records what operators decided`,
    takes: ['<sender id>', '<operator>…'],
    options: { reason: text },
    run: (tools: AccountTools, { name, words: [senderId = '', ...operators], values: { reason = '' } }) =>
      decideSender(tools, {
        senderId,
        operators,
        decision: decisions[name] as SenderDecision,
        reason: readText('--reason', reason, 'decision'),
      }),
  }),
];

async function listSenders(tools: AccountTools): Promise<void> {
  const count = await sayRows(
    (after) => listUndecidedSenderNames(tools.db, tools.settings.operators, { limit: pageSize, after }),
    (sender) => tools.say(describeSender(sender)),
  );
  const none =
    tools.settings.operators.length === 0 ? notConfigured('no operator') : 'no sender name waits for an operator';
  if (count === 0) tools.say(none);
}

interface DecisionWords {
  senderId: string;
  operators: readonly string[];
  decision: SenderDecision;
  reason: string;
}

/** One operator after the other: decisions recorded before a refusal stay recorded, and are printed. */
async function decideSender(tools: AccountTools, words: DecisionWords): Promise<void> {
  const { senderId, operators, decision, reason } = words;
  if (!isId('snd_', senderId)) throw new Refusal(`${senderId} is no id of a sender name: it begins with snd_`, 1);
  for (const operator of operators) {
    const outcome = await tools.accounts.senders.decide({ senderId, operator, decision, reason, actor: tools.actor });
    switch (outcome.kind) {
      case 'sender_not_found':
        throw new Refusal(`no sender name ${senderId}`, 1);
      case 'operator_not_found':
        throw new Refusal(noSuch(operator, tools.settings.operators), 1);
      case 'not_allowed':
        throw new Refusal(`at ${operator} it is ${outcome.status}: that can not be ${decision}`, 1);
      case 'decided':
        tools.say(outcome.changed ? describeSender(outcome.sender) : `at ${operator} it is ${decision} already`);
    }
  }
}

const noSuch = (operator: string, configured: readonly string[]): string =>
  configured.length === 0
    ? notConfigured('no operator')
    : `no operator ${operator} is configured: there is ${configured.join(', ')}`;

function describeSender({ id, name, mode, account_id, due_at, decisions }: SenderName): string {
  const states = decisions.map(({ operator, status }) => `${operator}: ${status}`).join(', ');
  return `${id}  ${name}  ${account_id} (${mode})  due ${due_at.toISOString()}  ${states}`;
}
