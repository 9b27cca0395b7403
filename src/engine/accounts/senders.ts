// Custom sender names: requests for a name and the operators' decisions. A decision and its webhook event commit together.

import { decide, type SenderDecision, senderDecisionDueMs } from '../../core/accounts/sender-name.ts';
import { isSenderName } from '../../core/alphabet.ts';
import { type IdSource, shardForAccount } from '../../core/ids.ts';
import { lockAccount } from '../../db/accounts/accounts.ts';
import {
  countSenderNames,
  findSenderName,
  insertSenderName,
  lockSenderName,
  type SenderName,
  type SenderOwner,
  statusAt,
  storeDecision,
} from '../../db/accounts/senders.ts';
import { raiseChanges } from '../../db/changes.ts';
import type { Db, Tx } from '../../db/schema.ts';
import { inTransaction } from '../../db/transaction.ts';
import { emitAccountEvent } from '../webhooks/account-events.ts';

export interface SenderRegistry {
  db: Db;
  ids: IdSource;
  now(): number;
  /** Ids of the configured operators. */
  operators(): readonly string[];
  /** Names of one account and mode. Default 50. */
  mostNames?: number;
}

export type SenderRequested =
  | { kind: 'created'; sender: SenderName }
  | { kind: 'invalid_name' }
  | { kind: 'exists' }
  | { kind: 'too_many'; most: number };

/**
 * Asks every operator for the name. In test mode there is nobody to ask: it is approved at once, by all, so that sends with
 * a name of one's own can be tried.
 */
export async function requestSenderName(
  registry: SenderRegistry,
  owner: SenderOwner,
  name: string,
): Promise<SenderRequested> {
  if (!isSenderName(name)) return { kind: 'invalid_name' };
  const { db, ids, now, mostNames: most = 50 } = registry;
  const at = now();
  const id = ids('snd_', shardForAccount(owner.accountId));
  return inTransaction(db, async (tx): Promise<SenderRequested> => {
    await lockAccount(tx, owner.accountId);
    if ((await countSenderNames(tx, owner)) >= most) return { kind: 'too_many', most };
    const made = await insertSenderName(tx, {
      ...owner,
      id,
      name,
      createdAt: new Date(at),
      dueAt: new Date(at + senderDecisionDueMs),
      operators: registry.operators(),
      status: owner.mode === 'test' ? 'approved' : 'submitted',
    });
    if (!made) return { kind: 'exists' };
    const sender = await readBack(tx, owner, id);
    if (owner.mode === 'test') {
      for (const { operator } of sender.decisions) await emitDecision(registry, tx, sender, operator, at);
    }
    await raiseChanges(tx);
    return { kind: 'created', sender };
  });
}

export interface DecisionRequest {
  senderId: string;
  operator: string;
  decision: SenderDecision;
  reason: string;
}

export type Decided =
  /** `changed` is false when it stood so already. */
  | { kind: 'decided'; changed: boolean; sender: SenderName }
  | { kind: 'sender_not_found' }
  | { kind: 'operator_not_found' }
  /** What stands now does not allow it, e.g. revoking what was never approved. */
  | { kind: 'not_allowed'; status: string };

export function decideSenderName(registry: SenderRegistry, request: DecisionRequest): Promise<Decided> {
  const { senderId, operator, decision, reason } = request;
  return inTransaction(registry.db, async (tx): Promise<Decided> => {
    const sender = await lockSenderName(tx, senderId);
    if (!sender) return { kind: 'sender_not_found' };
    if (!registry.operators().includes(operator)) return { kind: 'operator_not_found' };
    const status = statusAt(sender, operator);
    const outcome = decide(status, decision);
    if (outcome === 'not_allowed') return { kind: 'not_allowed', status };
    if (outcome === 'unchanged') return { kind: 'decided', changed: false, sender };
    const at = registry.now();
    await storeDecision(tx, { senderId, operator, status: decision, reason: reason || null, now: new Date(at) });
    const after = await readBack(tx, { accountId: sender.account_id, mode: sender.mode }, senderId);
    await emitDecision(registry, tx, after, operator, at);
    await raiseChanges(tx);
    return { kind: 'decided', changed: true, sender: after };
  });
}

async function emitDecision(registry: SenderRegistry, tx: Tx, sender: SenderName, operator: string, at: number) {
  const decision = sender.decisions.find((each) => each.operator === operator);
  if (!decision) throw new Error(`${sender.id} has no decision of ${operator} to emit`);
  const data = {
    sender_id: sender.id,
    name: sender.name,
    operator,
    status: decision.status,
    reason: decision.reason ?? '',
    decided_at: new Date(at).toISOString(),
  };
  const { account_id: accountId, mode } = sender;
  await emitAccountEvent(tx, registry.ids, { type: 'sender_id.decided', accountId, mode, at, data });
}

async function readBack(tx: Tx, owner: SenderOwner, id: string): Promise<SenderName> {
  const sender = await findSenderName(tx, owner, id);
  if (!sender) throw new Error(`sender name ${id} vanished inside its own transaction`);
  return sender;
}
