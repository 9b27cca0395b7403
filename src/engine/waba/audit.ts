// The audit log of links: of live mode, and about the account, which has one link at most.

import { type AuditEntry, audit } from '../../db/accounts/audit.ts';
import type { Tx, WabaRow } from '../../db/schema.ts';

export const auditLink = (
  tx: Tx,
  entry: Omit<AuditEntry, 'target' | 'mode' | 'accountId'> & { accountId: string },
): Promise<void> => audit(tx, { ...entry, target: entry.accountId, mode: 'live' });

/** Without the secrets of the link, and without its number. */
export const shownLink = ({ waba_id, phone_number_id, status, reason }: WabaRow) => ({
  waba_id,
  phone_number_id,
  status,
  reason,
});
