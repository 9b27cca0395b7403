// The end of a link: by the account, by the business at the platform, or because its token is refused. A disconnected link has
// no secrets left, and its number is free for other accounts.

import type { Actor } from '../../core/accounts/actor.ts';
import { suspend, type WabaHealth, type WabaReason, type WabaStatus } from '../../core/waba/link.ts';
import { inTransaction } from '../../db/changes.ts';
import type { Tx, WabaRow } from '../../db/schema.ts';
import { findWaba, lockWaba, lockWabasOf, type WabaChange } from '../../db/waba/links.ts';
import { auditLink, shownLink } from './audit.ts';
import type { WabaContext } from './context.ts';
import { columnsOf, linkOf, openSecret, saveLink } from './stored-link.ts';

/** What stands after the account has ended its link, and the link that ended, if one did. */
export interface Disconnected {
  /** Undefined: there was no link. */
  after: WabaRow | undefined;
  ended: WabaRow | null;
}

export async function disconnect(context: WabaContext, accountId: string, actor: Actor): Promise<Disconnected> {
  const before = await findWaba(context.db, accountId);
  if (!before || before.status === 'disconnected') return { after: before, ended: null };
  const after = await inTransaction(context.db, async (tx) => {
    const row = await lockWaba(tx, accountId);
    if (!row || row.status === 'disconnected') return row;
    const ended = await endLink(tx, context, row, 'requested');
    const entry = { at: new Date(context.now()), actor, action: 'disconnect_waba', accountId };
    await auditLink(tx, { ...entry, before: shownLink(row), after: shownLink(ended) });
    return ended;
  });
  return { after, ended: before };
}

/** What the platform has done to an account, at `reportedAt` (Unix ms, in whole seconds). Callbacks are repeated for days: later links stay. */
export interface AccountStop {
  wabaId: string;
  reportedAt: number;
  stop:
    | { kind: 'ended'; reason: 'uninstalled' | 'account_deleted' }
    /** `until`: Unix ms; null = until the platform says otherwise. */
    | {
        kind: 'suspended';
        reason: 'account_restricted' | 'account_disabled' | 'account_offboarded';
        until: number | null;
      };
}

/** Ends or suspends the links of this platform account that began before the report; the rows as they are then. */
export function stopAccount(context: WabaContext, { wabaId, reportedAt, stop }: AccountStop): Promise<WabaRow[]> {
  const statuses: WabaStatus[] =
    stop.kind === 'ended' ? ['connecting', 'connected', 'suspended', 'broken'] : ['connected', 'suspended'];
  return inTransaction(context.db, async (tx) => {
    const rows = await lockWabasOf(tx, wabaId, statuses);
    const meant = rows.filter((row) => row.created_at.getTime() < reportedAt + 1_000);
    const stopped: WabaRow[] = [];
    for (const row of meant) {
      stopped.push(
        stop.kind === 'ended'
          ? await endLink(tx, context, row, stop.reason)
          : await suspendLink(tx, context, row, { ...stop, reportedAt }),
      );
    }
    return stopped;
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
    if ((row?.status !== 'connected' && row?.status !== 'suspended') || row.connected_at?.getTime() !== connectedAt)
      return undefined;
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
  const others = await inTransaction(db, (tx) => lockWabasOf(tx, row.waba_id, [...inUse]));
  if (others.length > 0) return; // Another number of the same account is linked elsewhere and wants its callbacks.
  const access = { token, wabaId: row.waba_id, phoneNumberId: row.phone_number_id };
  // So does the deployment's own number, where it hosts the business's in its own account.
  const { platform, platformNumber } = settings;
  const own = await platform?.findNumber({ ...access, phoneNumberId: platformNumber ?? '' });
  if (own?.kind === 'refused' && own.reason === 'number_not_found') await platform?.unsubscribe(access);
}

/** States in which a link wants its account's callbacks. */
const inUse = ['connecting', 'connected', 'suspended'] as const;

/** Older reports may be repeated ones, about an account that is back: how it stands is asked at once. */
const lateMs = 60_000;

function suspendLink(
  tx: Tx,
  context: WabaContext,
  row: WabaRow,
  { reason, until, reportedAt }: { reason: WabaReason; until: number | null; reportedAt: number },
): Promise<WabaRow> {
  const now = context.now();
  const next = suspend(linkOf(row), reason, until, now);
  const nextAt = now - reportedAt > lateMs ? now : next.nextAt;
  const health = row.health ?? (until === null ? null : unknownHealth);
  const stated = health && JSON.stringify({ ...health, restrictedUntil: until });
  return store(tx, { ...context, now: () => now }, row, { ...columnsOf(next), health: stated }, nextAt);
}

/** Of a number that the platform has never stated: nothing but that it is stopped. */
const unknownHealth: WabaHealth = {
  canSend: 'BLOCKED',
  problems: [],
  quality: '',
  nameStatus: '',
  messagingLimit: '',
  throughput: '',
  tokenExpiresAt: null,
};

/** Secrets are forgotten, and the number is free for others. */
function endLink(
  tx: Tx,
  context: WabaContext,
  row: WabaRow,
  reason: 'requested' | 'uninstalled' | 'account_deleted',
): Promise<WabaRow> {
  const secrets = { code: null, code_expires_at: null, token: null, pin: null };
  const change: WabaChange = { status: 'disconnected', step: null, reason, error_code: null, owned: false };
  return store(tx, context, row, { ...change, ...secrets });
}

/** Under the row's lock. */
async function store(
  tx: Tx,
  { ids, now }: WabaContext,
  row: WabaRow,
  change: WabaChange,
  nextAt: number | null = null,
): Promise<WabaRow> {
  const at = now();
  const next_at = nextAt === null ? null : new Date(nextAt);
  const saved = await saveLink(tx, ids, row, { ...change, next_at, updated_at: new Date(at) }, at);
  if (!saved) throw new Error(`the link of ${row.account_id} changed under its lock`);
  return saved;
}
