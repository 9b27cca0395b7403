// The link as it is stored: its row, its sealed secrets, and the way a change is saved, together with the event, the measure and the change
// counter that follow from it.

import { randomBytes, randomInt } from 'node:crypto';
import type { IdSource } from '../../core/ids.ts';
import { isSealedWithCurrentKey, type KeyRing, open, seal } from '../../core/secrets/key-ring.ts';
import type { WabaLink } from '../../core/waba/link.ts';
import type { SignupCode } from '../../core/waba/platform.ts';
import { raiseChanges } from '../../db/changes.ts';
import type { Tx, WabaRow } from '../../db/schema.ts';
import {
  link,
  lockSealedWabas,
  saveWaba,
  setFirstConnected,
  storedLink,
  type WabaChange,
} from '../../db/waba/links.ts';
import type { SealedRows } from '../secrets/resealing.ts';
import { emitAccountEvent } from '../webhooks/account-events.ts';

/**
 * The call for the code ends within 8 s, and a code dies after 30: the process that repeats it must not be late. Most other steps end within 16 s; one
 * of many calls may be begun once more beside itself, which does no harm.
 */
const codeLeaseMs = 10_000;
export const stepLeaseMs = 20_000;

/** For how long a process has a link at this step. */
export const leaseMsOf = (step: WabaRow['step']): number => (step === 'exchange_code' ? codeLeaseMs : stepLeaseMs);

/** Undefined where another process has changed or claimed the row meanwhile: then nothing is stored. `at`: Unix ms. */
export async function saveLink(
  tx: Tx,
  ids: IdSource,
  row: WabaRow,
  change: WabaChange,
  at: number,
): Promise<WabaRow | undefined> {
  const saved = await saveWaba(tx, row, change);
  if (!saved) return undefined;
  if (saved.status !== row.status) {
    await emitLink(tx, ids, saved, at);
    if (saved.status === 'connected') await setFirstConnected(tx, row.account_id, new Date(at));
    await raiseChanges(tx);
  }
  await raiseChanges(tx, 'waba');
  return saved;
}

/** `waba.connected` or `waba.disconnected`. */
async function emitLink(tx: Tx, ids: IdSource, row: WabaRow, at: number): Promise<void> {
  const { account_id: accountId, waba_id, phone_number_id, reason } = row;
  const type = row.status === 'connected' ? 'waba.connected' : 'waba.disconnected';
  const data = { waba_id, phone_number_id, reason: reason ?? '' };
  await emitAccountEvent(tx, ids, { type, accountId, mode: 'live', at, data });
}

/**
 * Whether it is the same link at the same step: another link, or one that has ended or was suspended once more, has no use for an old step's
 * result.
 */
export const isSameStep = (a: WabaRow, b: WabaRow): boolean =>
  a.created_at.getTime() === b.created_at.getTime() &&
  a.status === b.status &&
  a.step === b.step &&
  a.step_since?.getTime() === b.step_since?.getTime();

export const linkOf = (row: WabaRow): WabaLink => ({
  ...link.fromRow(row),
  restrictedUntil: row.health?.restrictedUntil ?? null,
});

/** A link that is broken keeps its PIN, which the number has: a new link of the same number needs it. */
export const columnsOf = (next: WabaLink): WabaChange => ({
  ...storedLink.toRow(next),
  ...(next.status === 'broken' ? { token: null, code: null, code_expires_at: null } : {}),
});

/** The signup's code until it is exchanged, the token, the PIN. */
export type WabaSecret = 'code' | 'token' | 'pin';

/** The form a code is sealed in: after the address it came back to, where there is one. Neither has a space. */
export const codeText = ({ code, redirectUri }: SignupCode): string =>
  redirectUri === null ? code : `${redirectUri} ${code}`;

export function readCode(text: string): SignupCode {
  const at = text.indexOf(' ');
  return at < 0 ? { code: text, redirectUri: null } : { code: text.slice(at + 1), redirectUri: text.slice(0, at) };
}

const purpose = 'waba_secret';
/** None where the ring lacks the purpose. */
export const keyIdsOf = (ring: KeyRing): string[] => ring.all(purpose).map(({ id }) => id);
/** A sealed text is bound to account and kind, so that a copy elsewhere does not open there. */
const boundTo = (accountId: string, kind: WabaSecret) => `waba/${accountId}/${kind}`;

export const sealSecret = (ring: KeyRing, accountId: string, kind: WabaSecret, text: string): string =>
  seal(ring, purpose, text, boundTo(accountId, kind), randomBytes(12));

/** undefined: there is none, or the ring has lost its key, or it was tampered with. */
export function openSecret(ring: KeyRing, row: Pick<WabaRow, 'account_id' | WabaSecret>, kind: WabaSecret) {
  const sealed = row[kind];
  if (sealed === null) return undefined;
  const opened = open(ring, purpose, sealed, boundTo(row.account_id, kind));
  return opened.kind === 'ok' ? opened.plaintext : undefined;
}

const kinds: readonly WabaSecret[] = ['code', 'token', 'pin'];

/** After a rotation: what is still sealed with an older key, sealed with the current one. */
export function resealed(ring: KeyRing, row: WabaRow): Partial<Pick<WabaRow, WabaSecret>> {
  const change: Partial<Pick<WabaRow, WabaSecret>> = {};
  if (!ring.has(purpose)) return change;
  for (const kind of kinds) {
    const sealed = row[kind];
    if (sealed === null || isSealedWithCurrentKey(ring, purpose, sealed)) continue;
    const text = openSecret(ring, row, kind);
    if (text !== undefined) change[kind] = sealSecret(ring, row.account_id, kind, text);
  }
  return change;
}

/** The secrets of all links. A save raises the row's version, so a step under way finds out and stores its result on top. */
export const sealedLinks = (ring: KeyRing): SealedRows => ({
  purpose,
  async reseal(tx, batch) {
    const rows = await lockSealedWabas(tx, batch);
    const unreadable: string[] = [];
    for (const row of rows) {
      const change = resealed(ring, row);
      if (kinds.some((kind) => row[kind] !== null && openSecret(ring, row, kind) === undefined))
        unreadable.push(row.account_id);
      if (Object.keys(change).length > 0) await saveWaba(tx, row, change);
    }
    return { last: rows.at(-1)?.account_id ?? null, resealed: rows.length - unreadable.length, unreadable };
  },
});

/** Six digits, any of them. */
export const newPin = (): string => String(randomInt(1_000_000)).padStart(6, '0');
