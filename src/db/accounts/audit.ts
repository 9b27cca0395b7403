// The audit log (table `audit_event`): who changed what, from where. A change writes its row in its own transaction, so that neither is there
// without the other.

import { randomBytes } from 'node:crypto';
import type { Actor } from '../../core/accounts/actor.ts';
import { newId, shardForAccount, shardForText } from '../../core/ids.ts';
import { maskPhone, maskWritten } from '../../core/phone.ts';
import type { Mode } from '../../core/verify/session.ts';
import type { Tx } from '../schema.ts';

/** Values by the names that the contract has for them: never a secret, and numbers only masked. */
export type AuditFields = Readonly<Record<string, unknown>>;

export interface AuditEntry {
  at: Date;
  actor: Actor;
  /** The RPC's name in snake case: `suspend_account`. */
  action: string;
  /** Id of what was changed. */
  target: string;
  /** Null where it is about no account. */
  accountId: string | null;
  /** Default null: of both modes, or of no account. */
  mode?: Mode | null;
  /** As it was and as it is; members that are alike in both are not stored. Default: none. */
  before?: AuditFields;
  after?: AuditFields;
}

export const auditIdPrefix = 'aud_';

/** Part of the transaction that makes the change. */
export async function audit(tx: Tx, entry: AuditEntry): Promise<void> {
  const { at, actor, action, target, accountId, mode = null, before = {}, after = {} } = entry;
  const shard = accountId === null ? shardForText(target) : shardForAccount(accountId);
  await tx
    .insertInto('audit_event')
    .values({
      id: newId(auditIdPrefix, { nowMs: at.getTime(), shard, random: randomBytes(10) }),
      at,
      account_id: accountId,
      mode,
      action,
      target,
      actor_kind: actor.kind,
      actor_id: actor.id,
      actor_name: maskWritten(actor.name),
      actor_person: maskWritten(actor.person ?? ''),
      address: actor.address,
      request_id: actor.requestId,
      before: masked(without(before, after)),
      after: masked(without(after, before)),
    })
    .execute();
}

/** Fields that people write as they like, and numbers in any form with it. */
const writtenField = /(?:^|_)(?:name|person|description|note|reason)$/;

/** As JSON. In the other fields only a number with its plus is masked: prefixes, addresses, amounts and times have digits in a row as well. */
const masked = (fields: AuditFields): string =>
  JSON.stringify(fields, (field, value) =>
    typeof value === 'string' && writtenField.test(field) ? maskWritten(value) : value,
  ).replace(/\+[0-9]{9,15}/g, (number) => maskPhone(number));

/** The members of `fields` that `other` has not, or has otherwise. */
function without(fields: AuditFields, other: AuditFields): AuditFields {
  const differs = ([name, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(other[name]);
  return Object.fromEntries(Object.entries(fields).filter(differs));
}
