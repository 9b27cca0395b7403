// Custom sender names: requests for a name and the operators' decisions. A decision and its webhook event commit together.

import type { Actor } from '../../core/accounts/actor.ts';
import {
  decide,
  isSenderName,
  type SenderDecision,
  type SenderStatus,
  senderDecisionDueMs,
} from '../../core/accounts/sender-name.ts';
import { shardForAccount } from '../../core/ids.ts';
import { lockAccount } from '../../db/accounts/accounts.ts';
import { audit } from '../../db/accounts/audit.ts';
import * as rows from '../../db/accounts/senders.ts';
import { inTransaction, raiseChanges } from '../../db/changes.ts';
import type { Tx } from '../../db/schema.ts';
import { emitAccountEvent } from '../webhooks/account-events.ts';
import type { AccountsContext } from './context.ts';

type SenderName = rows.SenderName;
type SenderOwner = rows.SenderOwner;

export type SenderRequested =
  | { kind: 'created'; sender: SenderName }
  | { kind: 'invalid_name' }
  | { kind: 'exists' }
  | { kind: 'too_many'; most: number };

export interface DecisionRequest {
  senderId: string;
  operator: string;
  decision: SenderDecision;
  reason: string;
  actor: Actor;
}

export type Decided =
  /** `changed` is false when it stood so already. */
  | { kind: 'decided'; changed: boolean; sender: SenderName }
  | { kind: 'sender_not_found' }
  | { kind: 'operator_not_found' }
  /** The present status does not allow it, e.g. revoking a name that was never approved. */
  | { kind: 'not_allowed'; status: string };

export class Senders {
  readonly #context: AccountsContext;

  constructor(context: AccountsContext) {
    this.#context = context;
  }

  /**
   * Asks every operator for the name. Test mode has no operator to ask: the name is approved at once, by all, so that sends
   * with a name of one's own can be tried.
   */
  async request({ actor, ...owner }: SenderOwner & { actor: Actor }, name: string): Promise<SenderRequested> {
    if (!isSenderName(name)) return { kind: 'invalid_name' };
    const { db, ids, now, settings, caches } = this.#context;
    const most = settings.mostNames ?? 50;
    const at = now();
    const id = ids('snd_', shardForAccount(owner.accountId));
    const requested = await inTransaction(db, async (tx): Promise<SenderRequested> => {
      await lockAccount(tx, owner.accountId);
      if ((await rows.countSenderNames(tx, owner)) >= most) return { kind: 'too_many', most };
      const made = await rows.insertSenderName(tx, {
        ...owner,
        id,
        name,
        createdAt: new Date(at),
        dueAt: new Date(at + senderDecisionDueMs),
        operators: settings.operators,
        status: owner.mode === 'test' ? 'approved' : 'submitted',
      });
      if (!made) return { kind: 'exists' };
      const sender = await readBack(tx, owner, id, settings.operators);
      const entry = { at: new Date(at), actor, action: 'create_sender_id', target: id, ...owner };
      await audit(tx, { ...entry, after: { name } });
      if (owner.mode === 'test') {
        for (const { operator } of sender.decisions) await this.#emitDecision(tx, sender, operator, at);
      }
      await raiseChanges(tx);
      return { kind: 'created', sender };
    });
    if (requested.kind === 'created') caches?.clear(owner.accountId);
    return requested;
  }

  get(owner: SenderOwner, id: string): Promise<SenderName | undefined> {
    const { db, settings } = this.#context;
    return rows.findSenderName(db, owner, id, settings.operators);
  }

  /** Newest first. */
  list(owner: SenderOwner, page: rows.SenderPage): Promise<SenderName[]> {
    const { db, settings } = this.#context;
    return rows.listSenderNames(db, owner, page, settings.operators);
  }

  /** Records what an operator decided. */
  async decide({ senderId, operator, decision, reason, actor }: DecisionRequest): Promise<Decided> {
    const { db, now, settings, caches } = this.#context;
    const { operators } = settings;
    const decided = await inTransaction(db, async (tx): Promise<Decided> => {
      const sender = await rows.lockSenderName(tx, senderId, operators);
      if (!sender) return { kind: 'sender_not_found' };
      const stands = sender.decisions.find((each) => each.operator === operator);
      if (!stands || !operators.includes(operator)) return { kind: 'operator_not_found' };
      const status = stands.status as SenderStatus;
      const outcome = decide(status, decision);
      if (outcome === 'not_allowed') return { kind: 'not_allowed', status };
      if (outcome === 'unchanged') return { kind: 'decided', changed: false, sender };
      const at = now();
      await rows.storeDecision(tx, {
        senderId,
        operator,
        status: decision,
        reason: reason || null,
        submittedAt: stands.submitted_at,
        now: new Date(at),
      });
      const after = await readBack(tx, { accountId: sender.account_id, mode: sender.mode }, senderId, operators);
      await this.#emitDecision(tx, after, operator, at);
      const { account_id: accountId, mode } = sender;
      const entry = { at: new Date(at), actor, action: 'decide_sender_id', target: senderId, accountId, mode };
      await audit(tx, { ...entry, before: { status }, after: { operator, status: decision, reason } });
      await raiseChanges(tx);
      return { kind: 'decided', changed: true, sender: after };
    });
    if (decided.kind === 'decided' && decided.changed) caches?.clear(decided.sender.account_id);
    return decided;
  }

  async #emitDecision(tx: Tx, sender: SenderName, operator: string, at: number): Promise<void> {
    const decision = sender.decisions.find((each) => each.operator === operator);
    if (!decision) throw new Error(`${sender.id} has no decision of ${operator} to emit`);
    const data = {
      id: sender.id,
      name: sender.name,
      operator,
      status: decision.status,
      reason: decision.reason ?? '',
      decided_at: new Date(at).toISOString(),
    };
    const { account_id: accountId, mode } = sender;
    await emitAccountEvent(tx, this.#context.ids, { type: 'sender_id.decided', accountId, mode, at, data });
  }
}

async function readBack(tx: Tx, owner: SenderOwner, id: string, operators: readonly string[]): Promise<SenderName> {
  const sender = await rows.findSenderName(tx, owner, id, operators);
  if (!sender) throw new Error(`sender name ${id} is missing inside of the transaction that wrote it`);
  return sender;
}
