// The secrets of a link at rest: the signup's code until it is exchanged, the token, the PIN. Sealed with keys of their own,
// bound to account and kind, so that a sealed text copied elsewhere does not open there.

import { randomBytes, randomInt } from 'node:crypto';
import { isSealedWithCurrentKey, type KeyRing, open, seal } from '../../core/secrets/key-ring.ts';
import type { WabaRow } from '../../db/schema.ts';

export type WabaSecret = 'code' | 'token' | 'pin';

const purpose = 'waba_secret';
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

/** After a rotation: what is still sealed with an older key, sealed with the current one. */
export function resealed(ring: KeyRing, row: WabaRow): Partial<Pick<WabaRow, WabaSecret>> {
  const kinds: readonly WabaSecret[] = ['code', 'token', 'pin'];
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

/** Six digits, any of them. */
export const newPin = (): string => String(randomInt(1_000_000)).padStart(6, '0');
