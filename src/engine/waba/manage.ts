// What a business does with its link, and what the platform does to it: begin (by signup or by hand), end, lose.

import { createHash, randomBytes } from 'node:crypto';
import { codeLifeMs } from '../../core/waba.ts';
import { raiseChanges } from '../../db/changes.ts';
import type { Tx, WabaRow } from '../../db/schema.ts';
import {
  beginLink,
  findWaba,
  hastenWabas,
  isOwnedByOther,
  lockWaba,
  lockWabasOf,
  saveWaba,
  type WabaChange,
} from '../../db/waba.ts';
import { findSignup, insertSignup, useSignup } from '../../db/waba-signups.ts';
import { type Linker, type LinkerOptions, leaseMsOf } from './linker.ts';
import { openSecret, sealSecret } from './secrets.ts';
import { tellLink } from './told.ts';

/** Documented in the contract: a signup is good once, for ten minutes. */
export const signupLifeMs = 10 * 60_000;
/** So long its page may still be shown how the link stands. */
const signupShownMs = 60 * 60_000;

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

export type SignupState =
  /** `waba`: the link it has led to, while that is the account's. */
  { kind: 'ok'; accountId: string; accountName: string; isOpen: boolean; waba: WabaRow | null } | { kind: 'unknown' };

export interface WabaManagerOptions extends LinkerOptions {
  linker: Linker;
  /** Whether an embedded signup is configured. */
  hasSignup(): boolean;
  /** The deployment's own number, which no business can link. */
  platformNumber(): string | null;
}

export class WabaManager {
  readonly #options: WabaManagerOptions;

  constructor(options: WabaManagerOptions) {
    this.#options = options;
  }

  get offersSignup(): boolean {
    return this.#offers && this.#options.hasSignup();
  }

  get #offers(): boolean {
    return this.#options.platform() !== null && this.#options.ring.has('waba_secret');
  }

  find(accountId: string): Promise<WabaRow | undefined> {
    return findWaba(this.#options.db, accountId);
  }

  async createSignup(
    accountId: string,
  ): Promise<
    { kind: 'created'; state: string; expiresAt: Date } | { kind: 'already_connected' } | { kind: 'not_offered' }
  > {
    const { db, now } = this.#options;
    if (!this.offersSignup) return { kind: 'not_offered' };
    if ((await findWaba(db, accountId))?.status === 'connected') return { kind: 'already_connected' };
    const at = now();
    const state = randomBytes(32).toString('base64url');
    const expiresAt = new Date(at + signupLifeMs);
    const signup = { stateHash: hashOf(state), accountId, now: new Date(at), expiresAt };
    await insertSignup(db, signup, new Date(at - signupShownMs));
    return { kind: 'created', state, expiresAt };
  }

  async signupState(state: string): Promise<SignupState> {
    const { db, now } = this.#options;
    const signup = await findSignup(db, hashOf(state));
    if (!signup || signup.expires_at.getTime() + signupShownMs < now()) return { kind: 'unknown' };
    const isOpen = signup.used_at === null && signup.expires_at.getTime() > now();
    const about = { kind: 'ok', accountId: signup.account_id, accountName: signup.name, isOpen } as const;
    if (signup.used_at === null) return { ...about, waba: null };
    const waba = await findWaba(db, signup.account_id);
    // Both were written in one transaction. A later link is nothing that this signup's browser may follow.
    return { ...about, waba: waba?.created_at.getTime() === signup.used_at.getTime() ? waba : null };
  }

  /** `accountId`: of the caller; without one the state alone says whose signup it is. */
  async begin(request: LinkRequest, accountId?: string): Promise<Begun> {
    const { db, linker, numbers } = this.#options;
    if (!this.#offers || (request.by.kind === 'code' && !this.offersSignup)) return { kind: 'not_offered' };
    const begun = await db
      .transaction()
      .execute((tx) => this.#begin(tx, request, accountId))
      .catch((error) => {
        if (error instanceof Refused) return error.outcome;
        throw error;
      });
    if (begun.kind === 'begun') {
      linker.drive(begun.waba);
      await numbers.refresh();
    }
    return begun;
  }

  /** Undefined: there was nothing to end. */
  async disconnect(accountId: string): Promise<WabaRow | undefined> {
    const { db, numbers, ring } = this.#options;
    const before = await findWaba(db, accountId);
    if (!before || before.status === 'disconnected') return before;
    const after = await db.transaction().execute(async (tx) => {
      const row = await lockWaba(tx, accountId);
      return row && row.status !== 'disconnected' ? this.#end(tx, row, 'requested') : row;
    });
    await numbers.refresh();
    const token = openSecret(ring, before, 'token');
    if (token !== undefined) await this.#unsubscribe(before, token);
    return after;
  }

  /** The business took its account back at the platform, at `toldAt` (Unix ms). Callbacks are repeated for days: later links stay. */
  async uninstalled(wabaId: string, toldAt: number): Promise<number> {
    const { db, numbers } = this.#options;
    const ended = await db.transaction().execute(async (tx) => {
      const rows = await lockWabasOf(tx, wabaId, ['connecting', 'connected', 'broken']);
      // The platform tells whole seconds.
      const meant = rows.filter((row) => row.created_at.getTime() < toldAt + 1_000);
      for (const row of meant) await this.#end(tx, row, 'uninstalled');
      return meant.length;
    });
    if (ended > 0) await numbers.refresh();
    return ended;
  }

  /** Something happened to the account's templates: how they stand is asked of the platform, whatever the callback said. */
  async templatesChanged(wabaId: string): Promise<void> {
    const { db, now } = this.#options;
    await hastenWabas(db, wabaId, new Date(now()));
  }

  /** A send was refused because the token is not taken any more. The number is not used from this moment on. */
  lost(phoneNumberId: string, code: string): void {
    const { numbers, onError } = this.#options;
    const number = numbers.lose(phoneNumberId);
    if (!number) return;
    this.#storeLost(number.accountId, number.connectedAt, code).catch((error) => {
      numbers.find(phoneNumberId);
      onError(error, { accountId: number.accountId, step: 'token_revoked' });
    });
  }

  async #storeLost(accountId: string, connectedAt: number, code: string): Promise<void> {
    const { db, now, numbers, observe } = this.#options;
    const stored = await db.transaction().execute(async (tx) => {
      const row = await lockWaba(tx, accountId);
      if (row?.status !== 'connected' || row.connected_at?.getTime() !== connectedAt) return undefined;
      const change: WabaChange = { status: 'broken', reason: 'token_revoked', error_code: code, token: null };
      return this.#store(tx, row, { ...change, next_at: null, updated_at: new Date(now()) });
    });
    if (stored) observe?.(stored);
    await numbers.refresh();
  }

  async #begin(tx: Tx, { by, wabaId, phoneNumberId, pin }: LinkRequest, caller?: string): Promise<Begun> {
    const { now, ring, platformNumber } = this.#options;
    const at = new Date(now());
    const accountId = by.kind === 'code' ? await useSignup(tx, hashOf(by.state), at, caller) : caller;
    if (accountId === undefined) return { kind: 'invalid_state' };
    const before = await lockWaba(tx, accountId);
    // By exception: the state must stay unused.
    if (before?.status === 'connected') throw new Refused({ kind: 'already_connected' });
    if (phoneNumberId === platformNumber() || (await isOwnedByOther(tx, phoneNumberId, accountId))) {
      throw new Refused({ kind: 'number_taken' });
    }
    const step = by.kind === 'code' ? 'exchange_code' : 'check_number';
    const sealed = (kind: 'code' | 'token' | 'pin', text: string) => sealSecret(ring, accountId, kind, text);
    const waba = await beginLink(tx, {
      ...{ accountId, wabaId, phoneNumberId, step, now: at },
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

  /** Secrets are forgotten, and the number is free for others. */
  #end(tx: Tx, row: WabaRow, reason: 'requested' | 'uninstalled'): Promise<WabaRow | undefined> {
    const secrets = { code: null, code_expires_at: null, token: null, pin: null };
    const change: WabaChange = { status: 'disconnected', step: null, reason, error_code: null, owned: false };
    return this.#store(tx, row, { ...change, ...secrets, next_at: null, updated_at: new Date(this.#options.now()) });
  }

  async #store(tx: Tx, row: WabaRow, change: WabaChange): Promise<WabaRow | undefined> {
    const { ids, now } = this.#options;
    const saved = await saveWaba(tx, row, change);
    if (!saved) throw new Error(`the link of ${row.account_id} changed under its lock`);
    await tellLink(tx, ids, saved, now());
    await raiseChanges(tx, 'waba');
    return saved;
  }

  /** As well as it goes: what is still reported about a number that is nobody's is passed over. */
  async #unsubscribe(row: WabaRow, token: string): Promise<void> {
    const { db, platform } = this.#options;
    const others = await db.transaction().execute((tx) => lockWabasOf(tx, row.waba_id, ['connecting', 'connected']));
    if (others.length > 0) return; // Another number of the same account is linked elsewhere and wants its callbacks.
    const access = { token, wabaId: row.waba_id, phoneNumberId: row.phone_number_id };
    await platform()?.unsubscribe(access);
  }
}

/** Rolls the transaction back and says why. */
class Refused extends Error {
  readonly outcome: Begun;
  constructor(outcome: Begun) {
    super(outcome.kind);
    this.outcome = outcome;
  }
}

const hashOf = (state: string): Buffer => createHash('sha256').update(state).digest();
