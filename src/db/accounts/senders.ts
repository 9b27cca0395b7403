// Statements over custom sender names and each operator's decision about them: operators decide separately.

import { sql } from 'kysely';
import type { SenderDecision } from '../../core/accounts/sender-name.ts';
import type { Mode } from '../../core/verify/session.ts';
import type { Db, SenderDecisionRow, SenderIdRow, Tx } from '../schema.ts';

export interface SenderName extends SenderIdRow {
  /** Of each operator that is configured or that has decided, by its id. */
  decisions: Omit<SenderDecisionRow, 'sender_id'>[];
}

/** The owner of a sender name: nothing of another account or mode is ever found. */
export interface SenderOwner {
  accountId: string;
  mode: Mode;
}

export interface NewSenderName extends SenderOwner {
  id: string;
  name: string;
  createdAt: Date;
  dueAt: Date;
  operators: readonly string[];
  /** How it stands at each operator from the start. */
  status: 'submitted' | 'approved';
}

/** False when the account has the name already. Part of a transaction that raises the change counter, under `lockAccount`. */
export async function insertSenderName(tx: Tx, sender: NewSenderName): Promise<boolean> {
  const { id, accountId, mode, name, createdAt, dueAt, operators, status } = sender;
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('sender_id')
    .values({ id, account_id: accountId, mode, name, created_at: createdAt, due_at: dueAt })
    .onConflict((conflict) => conflict.columns(['account_id', 'mode', 'name']).doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows !== 1n) return false;
  const decided_at = status === 'submitted' ? null : createdAt;
  const rows = operators.map((operator) => ({ sender_id: id, operator, status, submitted_at: createdAt, decided_at }));
  if (rows.length > 0) await tx.insertInto('sender_decision').values(rows).execute();
  return true;
}

/** For a limit: under `lockAccount`. */
export async function countSenderNames(tx: Tx, { accountId, mode }: SenderOwner): Promise<number> {
  const row = await tx
    .selectFrom('sender_id')
    .select(sql<number>`count(*)`.as('count'))
    .where('account_id', '=', accountId)
    .where('mode', '=', mode)
    .executeTakeFirstOrThrow();
  return row.count;
}

export interface SenderPage {
  limit: number;
  /** Id after which the page begins; null = the newest. */
  before: string | null;
}

/** Newest first. */
export async function listSenderNames(
  db: Db,
  { accountId, mode }: SenderOwner,
  { limit, before }: SenderPage,
  operators: readonly string[],
): Promise<SenderName[]> {
  const rows = await db
    .selectFrom('sender_id')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('mode', '=', mode)
    .$if(before !== null, (query) => query.where('id', '<', before))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return withDecisions(db, rows, operators);
}

export async function findSenderName(
  db: Db,
  owner: SenderOwner,
  id: string,
  operators: readonly string[],
): Promise<SenderName | undefined> {
  const rows = await db
    .selectFrom('sender_id')
    .selectAll()
    .where('account_id', '=', owner.accountId)
    .where('mode', '=', owner.mode)
    .where('id', '=', id)
    .execute();
  return (await withDecisions(db, rows, operators))[0];
}

/**
 * Names of every account that wait for one of the operators, the ones due soonest first: for the operator of the service. `after` is the id behind
 * which the page begins; null = the first.
 */
export async function listUndecidedSenderNames(
  db: Db,
  operators: readonly string[],
  { limit, after }: { limit: number; after: string | null },
): Promise<SenderName[]> {
  const rows = await db
    .selectFrom('sender_id')
    .selectAll()
    .where('mode', '=', 'live')
    .where(sql<boolean>`exists (
      select from unnest(${operators}::text[]) o (id)
      left join sender_decision d on d.sender_id = sender_id.id and d.operator = o.id
      where coalesce(d.status, 'submitted') = 'submitted')`)
    .$if(after !== null, (query) =>
      query.where(sql<boolean>`(due_at, id) > (select s.due_at, s.id from sender_id s where s.id = ${after})`),
    )
    .orderBy('due_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  return withDecisions(db, rows, operators);
}

/** Whether some operator has approved the name for that account and mode. */
export async function isApprovedSomewhere(
  db: Db,
  { accountId, mode }: SenderOwner,
  name: string,
  operators: readonly string[],
): Promise<boolean> {
  const rows = await db
    .selectFrom('sender_id')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('mode', '=', mode)
    .where('name', '=', name)
    .execute();
  const [sender] = await withDecisions(db, rows, operators);
  return sender?.decisions.some(({ status }) => status === 'approved') ?? false;
}

/** The name, of any account; decisions about it wait for each other until the transaction ends. */
export async function lockSenderName(
  tx: Tx,
  id: string,
  operators: readonly string[],
): Promise<SenderName | undefined> {
  const rows = await tx.selectFrom('sender_id').selectAll().where('id', '=', id).forUpdate().execute();
  return (await withDecisions(tx, rows, operators))[0];
}

export interface StoredDecision {
  senderId: string;
  operator: string;
  status: SenderDecision;
  reason: string | null;
  submittedAt: Date;
  now: Date;
}

/**
 * Part of a transaction that raises the change counter, under `lockSenderName`. An operator that was configured after the name was made has
 * no row yet.
 */
export async function storeDecision(tx: Tx, decision: StoredDecision): Promise<void> {
  const { senderId, operator, status, reason, submittedAt, now } = decision;
  await tx
    .insertInto('sender_decision')
    .values({ sender_id: senderId, operator, status, reason, submitted_at: submittedAt, decided_at: now })
    .onConflict((conflict) =>
      conflict.columns(['sender_id', 'operator']).doUpdateSet({ status, reason, decided_at: now }),
    )
    .execute();
}

async function withDecisions(
  db: Db,
  senders: readonly SenderIdRow[],
  operators: readonly string[],
): Promise<SenderName[]> {
  if (senders.length === 0) return [];
  const ids = senders.map(({ id }) => id);
  const rows = await db
    .selectFrom('sender_decision')
    .selectAll()
    .where('sender_id', '=', sql<string>`any(${ids}::text[])`)
    .execute();
  return senders.map((sender) => {
    const stored = rows.filter(({ sender_id }) => sender_id === sender.id);
    const missing = operators.filter((id) => !stored.some(({ operator }) => operator === id));
    const decisions = [...stored, ...missing.map((operator) => fromTheStart(sender, operator))];
    return { ...sender, decisions: decisions.sort((a, b) => (a.operator < b.operator ? -1 : 1)) };
  });
}

/** An operator that was configured after the name was made counts as asked with the others, and has approved it in test mode. */
function fromTheStart({ id, mode, created_at }: SenderIdRow, operator: string): SenderDecisionRow {
  const asked = { sender_id: id, operator, reason: null, submitted_at: created_at };
  return mode === 'test'
    ? { ...asked, status: 'approved', decided_at: created_at }
    : { ...asked, status: 'submitted', decided_at: null };
}
