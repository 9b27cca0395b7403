// The end of a link: by the account, by the business at the platform, or because its token is refused. A disconnected link has
// no secrets left, and its number is free for other accounts.

import { inTransaction } from '../../db/changes.ts';
import type { Tx, WabaRow } from '../../db/schema.ts';
import { findWaba, lockWaba, lockWabasOf, type WabaChange } from '../../db/waba/links.ts';
import type { WabaContext } from './context.ts';
import { openSecret, saveLink } from './stored-link.ts';

/** What stands after the account has ended its link, and the link that ended, if one did. */
export interface Disconnected {
  /** Undefined: there was no link. */
  after: WabaRow | undefined;
  ended: WabaRow | null;
}

export async function disconnect(context: WabaContext, accountId: string): Promise<Disconnected> {
  const before = await findWaba(context.db, accountId);
  if (!before || before.status === 'disconnected') return { after: before, ended: null };
  const after = await inTransaction(context.db, async (tx) => {
    const row = await lockWaba(tx, accountId);
    return row && row.status !== 'disconnected' ? endLink(tx, context, row, 'requested') : row;
  });
  return { after, ended: before };
}

/** Ends the links of this platform account that began before `reportedAt` (Unix ms); returns how many. */
export function endUninstalled(context: WabaContext, wabaId: string, reportedAt: number): Promise<number> {
  return inTransaction(context.db, async (tx) => {
    const rows = await lockWabasOf(tx, wabaId, ['connecting', 'connected', 'broken']);
    // The platform gives whole seconds.
    const meant = rows.filter((row) => row.created_at.getTime() < reportedAt + 1_000);
    for (const row of meant) await endLink(tx, context, row, 'uninstalled');
    return meant.length;
  });
}

/** Marks as broken the link that was connected then; undefined where another one stands by now. */
export function breakLink(
  context: WabaContext,
  { accountId, connectedAt }: { accountId: string; connectedAt: number },
  errorCode: string,
): Promise<WabaRow | undefined> {
  return inTransaction(context.db, async (tx) => {
    const row = await lockWaba(tx, accountId);
    if (row?.status !== 'connected' || row.connected_at?.getTime() !== connectedAt) return undefined;
    return store(tx, context, row, {
      status: 'broken',
      reason: 'token_revoked',
      error_code: errorCode,
      token: null,
    });
  });
}

/**
 * Ends the platform's callbacks for a link that has ended, as well as it goes: a callback about a number that no account has is
 * passed over.
 */
export async function unsubscribe({ db, ring, settings }: WabaContext, row: WabaRow): Promise<void> {
  const token = openSecret(ring, row, 'token');
  if (token === undefined) return;
  const others = await inTransaction(db, (tx) => lockWabasOf(tx, row.waba_id, ['connecting', 'connected']));
  if (others.length > 0) return; // Another number of the same account is linked elsewhere and wants its callbacks.
  const access = { token, wabaId: row.waba_id, phoneNumberId: row.phone_number_id };
  // So does the deployment's own number, where it hosts the business's in its own account.
  const { platform, platformNumber } = settings;
  const own = await platform?.findNumber({ ...access, phoneNumberId: platformNumber ?? '' });
  if (own?.kind === 'refused' && own.reason === 'number_not_found') await platform?.unsubscribe(access);
}

/** Secrets are forgotten, and the number is free for others. */
function endLink(tx: Tx, context: WabaContext, row: WabaRow, reason: 'requested' | 'uninstalled'): Promise<WabaRow> {
  const secrets = { code: null, code_expires_at: null, token: null, pin: null };
  const change: WabaChange = { status: 'disconnected', step: null, reason, error_code: null, owned: false };
  return store(tx, context, row, { ...change, ...secrets });
}

/** Under the row's lock. */
async function store(tx: Tx, { ids, now }: WabaContext, row: WabaRow, change: WabaChange): Promise<WabaRow> {
  const at = now();
  const saved = await saveLink(tx, ids, row, { ...change, next_at: null, updated_at: new Date(at) }, at);
  if (!saved) throw new Error(`the link of ${row.account_id} changed under its lock`);
  return saved;
}
