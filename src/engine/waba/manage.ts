// What a business does with its link, and what the platform does to it: begin (by signup or by hand), end, lose.

import { raiseChanges } from '../../db/changes.ts';
import type { Tx, WabaRow } from '../../db/schema.ts';
import { inTransaction } from '../../db/transaction.ts';
import { findWaba, hastenWabas, lockWaba, lockWabasOf, saveWaba, type WabaChange } from '../../db/waba/links.ts';
import { type Begun, begin, LinkRefused, type LinkRequest } from './begin.ts';
import { emitLink } from './link-events.ts';
import type { Linker, LinkerOptions } from './linker.ts';
import { openSecret } from './secrets.ts';
import { makeSignup, readSignup, type SignupState } from './signups.ts';

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
    return { kind: 'created', ...(await makeSignup(db, accountId, now())) };
  }

  signupState(state: string): Promise<SignupState> {
    return readSignup(this.#options.db, state, this.#options.now());
  }

  /** `accountId`: of the caller; without one the state alone says whose signup it is. */
  async begin(request: LinkRequest, accountId?: string): Promise<Begun> {
    const { db, linker, now, numbers, platformNumber, ring } = this.#options;
    if (!this.#offers || (request.by.kind === 'code' && !this.offersSignup)) return { kind: 'not_offered' };
    const begun = await inTransaction(db, (tx) =>
      begin(tx, request, accountId, { ring, now: now(), platformNumber: platformNumber() }),
    ).catch((error) => {
      if (error instanceof LinkRefused) return error.outcome;
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
    const after = await inTransaction(db, async (tx) => {
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
    const ended = await inTransaction(db, async (tx) => {
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
    const stored = await inTransaction(db, async (tx) => {
      const row = await lockWaba(tx, accountId);
      if (row?.status !== 'connected' || row.connected_at?.getTime() !== connectedAt) return undefined;
      const change: WabaChange = { status: 'broken', reason: 'token_revoked', error_code: code, token: null };
      return this.#store(tx, row, { ...change, next_at: null, updated_at: new Date(now()) });
    });
    if (stored) observe?.(stored);
    await numbers.refresh();
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
    await emitLink(tx, ids, saved, now());
    await raiseChanges(tx, 'waba');
    return saved;
  }

  /** As well as it goes: what is still reported about a number that is nobody's is passed over. */
  async #unsubscribe(row: WabaRow, token: string): Promise<void> {
    const { db, platform, platformNumber } = this.#options;
    const others = await inTransaction(db, (tx) => lockWabasOf(tx, row.waba_id, ['connecting', 'connected']));
    if (others.length > 0) return; // Another number of the same account is linked elsewhere and wants its callbacks.
    const access = { token, wabaId: row.waba_id, phoneNumberId: row.phone_number_id };
    // So does the deployment's own number, where it hosts the business's in its own account.
    const own = await platform()?.findNumber({ ...access, phoneNumberId: platformNumber() ?? '' });
    if (own?.kind === 'refused' && own.reason === 'number_not_found') await platform()?.unsubscribe(access);
  }
}
