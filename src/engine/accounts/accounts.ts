// The accounts room: accounts with their settings, API keys and sender names, for the API and the operator's command line.

import type { Actor } from '../../core/accounts/actor.ts';
import type { Mode } from '../../core/verify/session.ts';
import {
  type AccountChange,
  type AccountUpdated,
  type AccountWithSettings,
  findAccount,
  insertAccount,
  updateAccount,
} from '../../db/accounts/accounts.ts';
import { audit } from '../../db/accounts/audit.ts';
import { isApprovedSomewhere } from '../../db/accounts/senders.ts';
import { decideWording, type WordingDecision as StoredDecision } from '../../db/accounts/wordings.ts';
import { inTransaction, raiseChanges } from '../../db/changes.ts';
import type { AccountLimits, Tx } from '../../db/schema.ts';
import { Administrators } from './administrators.ts';
import { ApiKeys, type IssuedKey, issueKey, madeByOperator } from './api-keys.ts';
import type { AccountsContext } from './context.ts';
import { AccountControl } from './control.ts';
import { NumberLists } from './lists.ts';
import { Senders } from './senders.ts';
import { WaitingAccounts } from './waiting.ts';

export type { AccountChange } from '../../db/accounts/accounts.ts';
export type { SenderName } from '../../db/accounts/senders.ts';
export type { Administrator } from './administrators.ts';
export type { ApiKey, IssuedKey, KeyRequest } from './api-keys.ts';
export type { AccountStatus, Changed, ManagedAccount } from './control.ts';
export type { ListEntry, Listed } from './lists.ts';
/** An account as one mode sees it. */
export type Account = AccountWithSettings;

/** What the operator of the service decides about a live brand or text. */
export type WordingDecision = Omit<StoredDecision, 'now'>;

/** The owner of settings: nothing of another account or mode is ever found. */
export interface AccountOwner {
  accountId: string;
  mode: Mode;
}

export interface AccountRequest {
  name: string;
  /** Default `ar`. */
  language?: string;
  /** Default: the platform's. */
  limits?: AccountLimits;
  actor: Actor;
}

export interface CreatedAccount {
  id: string;
  liveKey: IssuedKey;
  testKey: IssuedKey;
}

export type Registered =
  | { kind: 'created'; created: CreatedAccount }
  /** As many accounts wait for approval as may. */
  | { kind: 'too_many_wait' };

export type Updated =
  | AccountUpdated
  /** No operator has approved the sender name that is to be the default. */
  | { kind: 'sender_not_approved' };

/** The first keys may do everything. */
const allScopes = ['verify', 'read', 'manage', 'numbers', 'custom_code'] as const;

export class Accounts {
  readonly administrators: Administrators;
  readonly control: AccountControl;
  readonly keys: ApiKeys;
  readonly senders: Senders;
  readonly lists: NumberLists;
  readonly waiting: WaitingAccounts;
  readonly #context: AccountsContext;

  constructor(context: AccountsContext) {
    this.#context = context;
    this.administrators = new Administrators(context);
    this.control = new AccountControl(context);
    this.keys = new ApiKeys(context);
    this.senders = new Senders(context);
    this.lists = new NumberLists(context);
    this.waiting = new WaitingAccounts(context);
  }

  /** The account and its first two keys are made together or not at all. */
  create(request: AccountRequest): Promise<CreatedAccount> {
    return inTransaction(this.#context.db, (tx) => this.#add(tx, request, false));
  }

  /** By anyone: its live key is refused until the operator of the service approves the account. */
  async register(request: AccountRequest): Promise<Registered> {
    if (!(await this.waiting.hasPlace())) return { kind: 'too_many_wait' };
    return inTransaction(this.#context.db, async (tx): Promise<Registered> => {
      if (!(await this.waiting.takePlace(tx))) return { kind: 'too_many_wait' };
      return { kind: 'created', created: await this.#add(tx, request, true) };
    });
  }

  async #add(tx: Tx, { name, language = 'ar', limits = {}, actor }: AccountRequest, waits: boolean) {
    const context = this.#context;
    const id = context.ids('acct_');
    const createdAt = new Date(context.now());
    await insertAccount(tx, { id, name, language, limits, waits, createdAt });
    const after = { name, language, limits, approved_at: waits ? null : createdAt };
    await audit(tx, { at: createdAt, actor, action: 'create_account', target: id, accountId: id, after });
    const rest = { scopes: allScopes, expiresAt: null, createdBy: madeByOperator, actor };
    const first = (mode: Mode) => issueKey(context, tx, { accountId: id, mode, name: `first ${mode} key`, ...rest });
    const liveKey = await first('live');
    const testKey = await first('test');
    await raiseChanges(tx);
    return { id, liveKey, testKey };
  }

  /** @throws when there is no such account: the caller holds a key of it. */
  async get({ accountId, mode }: AccountOwner): Promise<Account> {
    const account = await findAccount(this.#context.db, accountId, mode);
    if (!account) throw new Error(`account ${accountId} does not exist, although a key of it was accepted`);
    return account;
  }

  /** The account as its live keys see it; null where it does not ask for that wording. */
  async decideWording(decision: WordingDecision): Promise<Account | null> {
    const { db, now, caches } = this.#context;
    if (!(await decideWording(db, { ...decision, now: new Date(now()) }))) return null;
    caches?.clear(decision.accountId);
    return this.get({ accountId: decision.accountId, mode: 'live' });
  }

  /** @throws when there is no such account. */
  async update(owner: AccountOwner & { actor: Actor }, change: AccountChange): Promise<Updated> {
    const { db, now, settings, caches } = this.#context;
    const { defaultSenderId } = change;
    if (defaultSenderId && !(await isApprovedSomewhere(db, owner, defaultSenderId, settings.operators))) {
      return { kind: 'sender_not_approved' };
    }
    const { accountId: id, mode, actor } = owner;
    const updated = await updateAccount(db, { id, mode, actor, now: new Date(now()) }, change);
    if (updated.kind === 'updated' && updated.changed) caches?.clear(id);
    return updated;
  }
}
