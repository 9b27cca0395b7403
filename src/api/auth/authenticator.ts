// The account behind an API key. A key is looked up once and held until any key changes; it is used only while the change counter was read within
// `maxAgeMs` (change-watch.ts), so that a revocation holds within a second. Tokens of administrators are held in the same way.

import { bootstrapId } from '../../core/accounts/actor.ts';
import { parseAdministratorToken } from '../../core/accounts/administrator.ts';
import {
  hashesEqual,
  hashSecret,
  type KeyPrefixes,
  type ParsedKey,
  parseKey,
  tokenHash,
} from '../../core/accounts/api-key.ts';
import type { RuleModes } from '../../core/limits/verdict.ts';
import type { KeyRing } from '../../core/secrets/key-ring.ts';
import { type FoundApiKey, findApiKeys } from '../../db/accounts/api-keys.ts';
import { Lane, LaneFull } from '../../db/batch.ts';
import type { Db } from '../../db/schema.ts';
import { adminScopeValues, type Scope } from '../../gen/values.ts';
import { Wakeup } from '../../time/on-demand.ts';
import type { AdministratorPrincipal, KeyPrincipal } from '../waist/context.ts';
import { fail } from '../waist/errors.ts';
import type { AdministratorOutcome, Authenticator, KeyOutcome } from '../waist/ports.ts';
import { HeldAdministrators } from './administrators.ts';
import { ChangeWatch } from './change-watch.ts';
import { type HeldKey, HeldKeys, KnownKeys } from './held-keys.ts';
import { isSecretOf, Uses } from './uses.ts';

export interface AuthenticatorOptions {
  db: Db;
  ring: KeyRing;
  prefixes: KeyPrefixes;
  /** RAMZ_ADMIN_TOKEN; null = only tokens of administrators pass. */
  adminTokenHash: Buffer | null;
  now(): number;
  /** The deployment's modes of rules: the addresses of keys are part of one. Default: it is enforced. */
  ruleModes?(): Pick<RuleModes, 'key_restriction'>;
  /** Keys held at once. Default 10 000. */
  mostHeld?: number;
  /** How old the last look at the change counter may be. Default 900, so that with the look itself it stays within a second. */
  maxAgeMs?: number;
}

export interface KeyAuthenticator extends Authenticator {
  /** Looks at the change counter. Calls do so themselves where no look was young enough. */
  refresh(): Promise<void>;
  /** The pulse has looked: the counter stood so in a statement that was sent at `startedAt`, Unix ms. So hardly any call has to look itself. */
  saw(changes: number, startedAt: number): void;
  /** Tells the listeners of `follow` that time has passed, because keys expire, also while the database hangs. To be called twice a second. */
  timePassed(): void;
  /** Set when there is something to flush. */
  readonly used: Wakeup;
  /** Forgets held keys of the account, or all keys and tokens: called where one was changed by this process. */
  clear(accountId?: string): void;
  /** Stores when keys and tokens were last used; what can't be stored is kept for the next time. */
  flush(): Promise<void>;
}

/** Lookups that may wait: a flood of made-up keys is refused beyond them, and costs two statements at a time. */
const mostWaiting = 2_000;

type WellFormedKey = Extract<ParsedKey, { kind: 'ok' }>;

export function createAuthenticator(options: AuthenticatorOptions): KeyAuthenticator {
  const { db, ring, prefixes, now, mostHeld = 10_000, maxAgeMs = 900 } = options;
  const held = new HeldKeys(mostHeld);
  const known = new KnownKeys(mostHeld);
  const lookups = new Lane((ids: readonly string[]) => lookUp(db, ids), { name: 'api_keys', maxWaiting: mostWaiting });
  const isBootstrap = adminCheck(options.adminTokenHash);
  const hasUsed = new Wakeup();
  const uses = new Uses({ db, ring, table: 'api_key', wakeup: hasUsed });
  const administrators = new HeldAdministrators({ db, ring, wakeup: hasUsed });
  const listeners: ((look: { changed: boolean; now: number }) => void)[] = [];
  const looked = (changed: boolean): void => {
    for (const listener of listeners) listener({ changed, now: now() });
  };
  const clear = (accountId?: string): void => {
    held.clear(accountId);
    if (accountId === undefined) administrators.clear();
    looked(true);
  };
  const watch = new ChangeWatch({ db, now, maxAgeMs, onChange: () => clear() });

  function judge(key: WellFormedKey, found: HeldKey): KeyOutcome {
    const { row } = found;
    // The prefix is part of the key: another one before the same id and secret is another key.
    if (row.mode !== key.mode || !isSecretOf(ring, found, key.secret)) return { kind: 'unknown' };
    // Only a caller that has the secret learns that the key was good once.
    const refused = refusalOf(row, now());
    if (refused === 'revoked' || refused === 'expired') known.delete(row.id);
    if (refused) return { kind: refused };
    uses.note(found, key.secret, now());
    if (found.proven) known.add(row.id, found.proven);
    const deploymentMode = options.ruleModes?.().key_restriction ?? 'enforce';
    return { kind: 'ok', principal: principalOf(row, deploymentMode) };
  }

  /** Undefined where the database must be asked; for a wrong secret too, so that it is answered no sooner than an unknown id. */
  function fromHeld(key: WellFormedKey): KeyOutcome | undefined {
    const known = watch.isFresh ? held.get(key.id) : undefined;
    const outcome = known && judge(key, known);
    return outcome?.kind === 'unknown' ? undefined : outcome;
  }

  async function fromDatabase(key: WellFormedKey): Promise<KeyOutcome> {
    try {
      if (!watch.isFresh) await watch.refresh();
      const known = fromHeld(key);
      if (known) return known;
      const { generation } = held;
      const row = await lookups.push(key.id);
      if (row) return judge(key, held.hold(row, generation));
      hashSecret(ring.current('api_key').key, key.secret); // takes as long as a wrong secret does
      return { kind: 'unknown' };
    } catch (error) {
      if (error instanceof LaneFull) throw fail('overloaded', 'too many keys are being looked up', retrySoon);
      throw fail('unavailable', 'the API key could not be looked up', { ...retrySoon, cause: error });
    }
  }

  async function administratorOf(token: { id: string; secret: string }): Promise<AdministratorOutcome> {
    try {
      if (!watch.isFresh) await watch.refresh();
      return await administrators.judge(token, now());
    } catch (error) {
      throw fail('unavailable', 'the token could not be looked up', { ...retrySoon, cause: error });
    }
  }

  return {
    authenticate(text) {
      const key = parseKey(text, prefixes);
      if (key.kind === 'malformed') return { kind: 'malformed' };
      return fromHeld(key) ?? fromDatabase(key);
    },
    isKnown(text) {
      const token = parseAdministratorToken(text);
      if (token) return administrators.knows(token);
      const key = parseKey(text, prefixes);
      return key.kind === 'ok' && known.has(key);
    },
    administrator(token) {
      if (isBootstrap(token)) return { kind: 'ok', principal: bootstrap };
      const parsed = parseAdministratorToken(token);
      return parsed ? administratorOf(parsed) : { kind: 'unknown' };
    },
    refresh: () => watch.refresh(),
    saw: (changes, startedAt) => watch.saw(changes, startedAt),
    timePassed: () => looked(false),
    used: hasUsed,
    clear,
    follow: (listener) => listeners.push(listener),
    async flush() {
      await administrators.flush();
      await uses.flush();
    },
  };
}

/** Why a key with the right secret is refused; null where it works. `now`: Unix ms. */
function refusalOf(row: FoundApiKey, now: number) {
  if (row.revoked_at) return 'revoked';
  if (row.expires_at && row.expires_at.getTime() <= now) return 'expired';
  if (row.closed_at) return 'closed';
  if (row.suspended_at) return 'suspended';
  return row.mode === 'live' && !row.approved_at ? 'not_approved' : null;
}

/** The caller behind a key that works. `deploymentMode`: the mode of the rule `key_restriction` where its account has none of its own. */
function principalOf(row: FoundApiKey, deploymentMode: RuleModes['key_restriction']): KeyPrincipal {
  const { account_id: accountId, mode, id: keyId, name, person } = row;
  const addressRule = row.rules?.key_restriction ?? deploymentMode;
  return {
    kind: 'key',
    accountId,
    mode,
    keyId,
    name,
    person,
    ...(row.approved_at ? {} : { waits: true as const }),
    scopes: row.scopes as Scope[],
    expiresAt: row.expires_at?.getTime() ?? null,
    ...(row.restrictions ? { restrictions: row.restrictions, addressRule } : {}),
  };
}

/** The holder of RAMZ_ADMIN_TOKEN may do everything. */
const bootstrap: AdministratorPrincipal = {
  kind: 'administrator',
  id: bootstrapId,
  name: 'RAMZ_ADMIN_TOKEN',
  scopes: adminScopeValues,
  expiresAt: null,
};

const retrySoon = { retryAfterSeconds: 1 };

/** The keys with these ids, in the order of `ids`; null where there is no such key. */
async function lookUp(db: Db, ids: readonly string[]): Promise<(FoundApiKey | null)[]> {
  const rows = new Map((await findApiKeys(db, [...new Set(ids)])).map((row) => [row.id, row]));
  return ids.map((id) => rows.get(id) ?? null);
}

/** Compares digests: of equal length whatever is given, so the time reveals nothing about the token. */
function adminCheck(expected: Buffer | null): (token: string) => boolean {
  if (!expected) return () => false;
  return (token) => hashesEqual(tokenHash(token), expected);
}
