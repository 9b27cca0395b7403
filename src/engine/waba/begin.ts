// The beginning of a link, by signup or by hand: the state is used up, the secrets are sealed, the account's row begins anew.

import type { KeyRing } from '../../core/secrets/key-ring.ts';
import { codeLifeMs } from '../../core/waba/link.ts';
import { raiseChanges } from '../../db/changes.ts';
import type { Tx, WabaRow } from '../../db/schema.ts';
import { beginLink, isOwnedByOther, lockWaba } from '../../db/waba/links.ts';
import { useSignup } from '../../db/waba/signups.ts';
import { leaseMsOf } from './linker.ts';
import { sealSecret } from './secrets.ts';
import { hashOf } from './signups.ts';

export interface LinkRequest {
  wabaId: string;
  phoneNumberId: string;
  /** Of a signup, or by hand. */
  by: { kind: 'code'; code: string; state: string } | { kind: 'token'; token: string };
  pin: string | null;
}

export type Begun =
  | { kind: 'begun'; waba: WabaRow }
  | { kind: 'invalid_state' }
  | { kind: 'already_connected' }
  | { kind: 'number_taken' }
  /** The messaging app is not configured, or not the signup, or the key ring has no key for it. */
  | { kind: 'not_offered' };

export interface BeginContext {
  ring: KeyRing;
  /** Unix ms. */
  now: number;
  /** Of the deployment, which no business can link. */
  platformNumber: string | null;
}

/**
 * `caller`: whose key it is; without one the state alone says whose signup it is.
 * @throws LinkRefused where the state must stay unused: roll back.
 */
export async function begin(
  tx: Tx,
  { by, wabaId, phoneNumberId, pin }: LinkRequest,
  caller: string | undefined,
  { ring, now, platformNumber }: BeginContext,
): Promise<Begun> {
  const at = new Date(now);
  const accountId = by.kind === 'code' ? await useSignup(tx, hashOf(by.state), at, caller) : caller;
  if (accountId === undefined) return { kind: 'invalid_state' };
  const before = await lockWaba(tx, accountId);
  // By exception: the state must stay unused.
  if (before?.status === 'connected') throw new LinkRefused({ kind: 'already_connected' });
  if (phoneNumberId === platformNumber || (await isOwnedByOther(tx, phoneNumberId, accountId))) {
    throw new LinkRefused({ kind: 'number_taken' });
  }
  const step = by.kind === 'code' ? 'exchange_code' : 'check_number';
  const sealed = (kind: 'code' | 'token' | 'pin', text: string) => sealSecret(ring, accountId, kind, text);
  const waba = await beginLink(tx, {
    accountId,
    wabaId,
    phoneNumberId,
    step,
    now: at,
    code: by.kind === 'code' ? sealed('code', by.code) : null,
    codeExpiresAt: by.kind === 'code' ? new Date(at.getTime() + codeLifeMs) : null,
    token: by.kind === 'token' ? sealed('token', by.token) : null,
    // The one the number was given when it was linked before.
    pin: pin !== null ? sealed('pin', pin) : before?.phone_number_id === phoneNumberId ? before.pin : null,
    nextAt: new Date(at.getTime() + leaseMsOf(step)),
  });
  await raiseChanges(tx, 'waba');
  return { kind: 'begun', waba };
}

/** Rolls the transaction back and says why. */
export class LinkRefused extends Error {
  readonly outcome: Begun;
  constructor(outcome: Begun) {
    super(outcome.kind);
    this.outcome = outcome;
  }
}
