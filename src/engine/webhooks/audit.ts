// The audit log of what is done with deliveries. They lie in other databases than the log, or go out into the world: their row is written
// before anything is done, and says what was asked for.

import { type AuditFields, audit } from '../../db/accounts/audit.ts';
import { inTransaction } from '../../db/changes.ts';
import type { WebhooksContext } from './context.ts';
import type { ActingOwner } from './endpoints.ts';

export function auditAhead(
  { db, now }: Pick<WebhooksContext, 'db' | 'now'>,
  { actor, accountId, mode }: ActingOwner,
  action: string,
  endpointId: string,
  asked: AuditFields,
): Promise<void> {
  const entry = { at: new Date(now()), actor, action, target: endpointId, accountId, mode, after: asked };
  return inTransaction(db, (tx) => audit(tx, entry));
}
