// The beginning of a link: the signup, which a business may use once and for a while, and the account's row, which starts over with sealed
// secrets by the signup's state or by hand. The business's browser has the state; only its hash is stored.

import { createHash, randomBytes } from 'node:crypto';
import type { Actor } from '../../core/accounts/actor.ts';
import { codeLifeMs } from '../../core/waba/link.ts';
import { lockAccount } from '../../db/accounts/accounts.ts';
import { isOver } from '../../db/accounts/api-keys.ts';
import { inTransaction, raiseChanges } from '../../db/changes.ts';
import type { Db, Tx, WabaRow } from '../../db/schema.ts';
import { beginLink, findWaba, isOwnedByOther, lockWaba } from '../../db/waba/links.ts';
import { findSignup, insertSignup, useSignup } from '../../db/waba/signups.ts';
import { auditLink, shownLink } from './audit.ts';
import type { WabaContext } from './context.ts';
import { codeText, leaseMsOf, sealSecret } from './stored-link.ts';

/** Documented in the contract: a signup is good once, for ten minutes. */
const signupLifeMs = 10 * 60_000;
/** How long after its end a signup's page is still shown the state of the link. */
const signupShownMs = 60 * 60_000;

export type SignupState =
  /** `waba`: the link it has led to, while that is the account's. */
  { kind: 'ok'; accountId: string; accountName: string; isOpen: boolean; waba: WabaRow | null } | { kind: 'unknown' };

/** The operator of the service has stopped the account: it links nothing. */
type StoppedAccount = 'account_suspended' | 'account_closed';

export type SignupCreated =
  | { kind: 'created'; state: string; expiresAt: Date }
  | { kind: 'already_connected' }
  | { kind: StoppedAccount }
  | { kind: 'not_offered' };

/** `now`: Unix ms. */
export function makeSignup(
  db: Db,
  { accountId, actor, now }: { accountId: string; actor: Actor; now: number },
): Promise<SignupCreated> {
  const state = randomBytes(32).toString('base64url');
  const expiresAt = new Date(now + signupLifeMs);
  const createdBy = actor.kind === 'key' ? actor.id : null;
  const signup = { stateHash: hashOf(state), accountId, createdBy, now: new Date(now), expiresAt };
  return refusable<SignupCreated>(db, async (tx, refuse) => {
    await insertSignup(tx, signup, new Date(now - signupShownMs));
    const stopped = await stopOf(tx, accountId);
    if (stopped) return refuse({ kind: stopped });
    await auditLink(tx, {
      at: signup.now,
      actor,
      action: 'create_waba_signup',
      accountId,
      after: { expires_at: expiresAt },
    });
    return { kind: 'created', state, expiresAt };
  });
}

/** Runs `work` in a transaction, of which nothing stays where it refuses. */
async function refusable<Outcome extends object>(
  db: Db,
  work: (tx: Tx, refuse: (outcome: Outcome) => never) => Promise<Outcome>,
): Promise<Outcome> {
  const refused: Outcome[] = [];
  const refuse = (outcome: Outcome): never => {
    refused.push(outcome);
    throw new Error('refused');
  };
  try {
    return await inTransaction(db, (tx) => work(tx, refuse));
  } catch (error) {
    const [outcome] = refused;
    if (outcome) return outcome;
    throw error;
  }
}

/**
 * Why the account links nothing; null = it may. From here on a suspension, a closing and a purge wait for the transaction. This is the last
 * lock that it takes, because the steps of a link lock the account last, too.
 */
async function stopOf(tx: Tx, accountId: string): Promise<StoppedAccount | null> {
  const account = await lockAccount(tx, accountId);
  if (!account || account.closed_at) return 'account_closed';
  return account.suspended_at ? 'account_suspended' : null;
}

export async function readSignup(db: Db, state: string, now: number): Promise<SignupState> {
  const signup = await findSignup(db, hashOf(state));
  if (!signup || signup.expires_at.getTime() + signupShownMs < now) return { kind: 'unknown' };
  const isOpen = signup.used_at === null && signup.expires_at.getTime() > now;
  const about = { kind: 'ok', accountId: signup.account_id, accountName: signup.name, isOpen } as const;
  if (signup.used_at === null) return { ...about, waba: null };
  const waba = await findWaba(db, signup.account_id);
  // Both were written in one transaction. A later link is nothing that this signup's browser may follow.
  return { ...about, waba: waba?.created_at.getTime() === signup.used_at.getTime() ? waba : null };
}

const hashOf = (state: string): Buffer => createHash('sha256').update(state).digest();

export interface LinkRequest {
  /** Empty where a signup did not say which: they are then found by its token, the number alone where it named the account. */
  wabaId: string;
  phoneNumberId: string;
  /** Of a signup, or by hand. `redirectUri`: the address that the platform's dialog came back to; null = it was a window. */
  by: { kind: 'code'; code: string; state: string; redirectUri: string | null } | { kind: 'token'; token: string };
  pin: string | null;
  actor: Actor;
}

export type Begun =
  | { kind: 'begun'; waba: WabaRow }
  | { kind: 'invalid_state' }
  | { kind: 'already_connected' }
  | { kind: 'number_taken' }
  | { kind: StoppedAccount }
  /** WhatsApp is not configured, or not the signup, or the key ring has no key for it. */
  | { kind: 'not_offered' };

/** `caller`: the account that calls; without one the state alone decides whose signup it is. A refusal leaves the state of the signup unused. */
export const begin = (context: WabaContext, request: LinkRequest, caller: string | undefined): Promise<Begun> =>
  refusable(context.db, (tx, refuse) => beginIn(tx, refuse, context, { ...request, caller }));

async function beginIn(
  tx: Tx,
  refuse: (outcome: Begun) => never,
  { ring, now, settings }: WabaContext,
  { by, wabaId, phoneNumberId, pin, actor, caller }: LinkRequest & { caller: string | undefined },
): Promise<Begun> {
  const at = new Date(now());
  const signup = by.kind === 'code' ? await useSignup(tx, hashOf(by.state), at, caller) : undefined;
  const accountId = by.kind === 'code' ? signup?.accountId : caller;
  if (accountId === undefined) return { kind: 'invalid_state' };
  const before = await lockWaba(tx, accountId);
  const stopped = await stopOf(tx, accountId);
  // The account's status is no business of a browser that has a signup's state and no key.
  if (stopped) return refuse({ kind: caller === undefined ? 'invalid_state' : stopped });
  // A stolen key may have made it before it was revoked.
  const maker = signup?.createdBy ?? null;
  if (maker !== null && (await isOver(tx, maker, at))) return refuse({ kind: 'invalid_state' });
  if (before?.status === 'connected') return refuse({ kind: 'already_connected' });
  if (phoneNumberId === settings.platformNumber || (await isOwnedByOther(tx, phoneNumberId, accountId))) {
    return refuse({ kind: 'number_taken' });
  }
  const isSame = phoneNumberId === '' || before?.phone_number_id === phoneNumberId;
  const step = by.kind === 'code' ? 'exchange_code' : 'check_number';
  const sealed = (kind: 'code' | 'token' | 'pin', text: string) => sealSecret(ring, accountId, kind, text);
  const waba = await beginLink(tx, {
    accountId,
    wabaId,
    phoneNumberId,
    step,
    now: at,
    code: by.kind === 'code' ? sealed('code', codeText(by)) : null,
    codeExpiresAt: by.kind === 'code' ? new Date(at.getTime() + codeLifeMs) : null,
    token: by.kind === 'token' ? sealed('token', by.token) : null,
    // The one the number was given when it was linked before; a number that has none yet takes any.
    pin: pin !== null ? sealed('pin', pin) : isSame ? (before?.pin ?? null) : null,
    nextAt: new Date(at.getTime() + leaseMsOf(step)),
  });
  const after = { ...shownLink(waba), ...(maker === null ? {} : { signup_created_by: maker }) };
  const told = { at, actor, action: 'connect_waba', accountId };
  await auditLink(tx, { ...told, ...(before ? { before: shownLink(before) } : {}), after });
  await raiseChanges(tx, 'waba');
  return { kind: 'begun', waba };
}
