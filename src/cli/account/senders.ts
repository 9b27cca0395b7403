// Words about sender names: what waits, and what operators decided.

import type { SenderDecision } from '../../core/accounts/sender-name.ts';
import { isId } from '../../core/ids.ts';
import { listUndecidedSenderNames, type SenderName } from '../../db/accounts/senders.ts';
import { decideSenderName } from '../../engine/accounts/senders.ts';
import { Refusal } from './refusal.ts';
import type { AccountTools } from './tools.ts';

const listLimit = 1_000;

export async function listSenders(tools: AccountTools): Promise<void> {
  const senders = await listUndecidedSenderNames(tools.db, listLimit);
  if (senders.length === 0) tools.say('no sender name waits for an operator');
  for (const sender of senders) tools.say(describe(sender));
}

export interface DecisionWords {
  senderId: string;
  operators: readonly string[];
  decision: SenderDecision;
  reason: string;
}

/** One operator after the other: what was recorded before a refusal stays recorded, and is said. */
export async function decideSender(tools: AccountTools, words: DecisionWords): Promise<void> {
  const { senderId, operators, decision, reason } = words;
  if (!isId('snd_', senderId)) throw new Refusal(`${senderId} is no id of a sender name: it begins with snd_`, 1);
  for (const operator of operators) {
    const outcome = await decideSenderName(tools, { senderId, operator, decision, reason });
    switch (outcome.kind) {
      case 'sender_not_found':
        throw new Refusal(`no sender name ${senderId}`, 1);
      case 'operator_not_found':
        throw new Refusal(
          `no operator ${operator} is configured: there is ${tools.operators().join(', ') || 'none'}`,
          1,
        );
      case 'not_allowed':
        throw new Refusal(`at ${operator} it is ${outcome.status}: that can not be ${decision}`, 1);
      case 'decided':
        tools.say(outcome.changed ? describe(outcome.sender) : `at ${operator} it is ${decision} already`);
    }
  }
}

function describe({ id, name, mode, account_id, due_at, decisions }: SenderName): string {
  const states = decisions.map(({ operator, status }) => `${operator}: ${status}`).join(', ');
  return `${id}  ${name}  ${account_id} (${mode})  due ${due_at.toISOString()}  ${states}`;
}
