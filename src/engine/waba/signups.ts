// Signups: who may link an account, for a while, once. What the business's browser has is the state; only its hash is stored.

import { createHash, randomBytes } from 'node:crypto';
import type { Db, WabaRow } from '../../db/schema.ts';
import { findWaba } from '../../db/waba/links.ts';
import { findSignup, insertSignup } from '../../db/waba/signups.ts';

/** Documented in the contract: a signup is good once, for ten minutes. */
export const signupLifeMs = 10 * 60_000;
/** So long its page may still be shown how the link stands. */
const signupShownMs = 60 * 60_000;

export type SignupState =
  /** `waba`: the link it has led to, while that is the account's. */
  { kind: 'ok'; accountId: string; accountName: string; isOpen: boolean; waba: WabaRow | null } | { kind: 'unknown' };

/** `now`: Unix ms. */
export async function makeSignup(db: Db, accountId: string, now: number): Promise<{ state: string; expiresAt: Date }> {
  const state = randomBytes(32).toString('base64url');
  const expiresAt = new Date(now + signupLifeMs);
  const signup = { stateHash: hashOf(state), accountId, now: new Date(now), expiresAt };
  await insertSignup(db, signup, new Date(now - signupShownMs));
  return { state, expiresAt };
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

export const hashOf = (state: string): Buffer => createHash('sha256').update(state).digest();
