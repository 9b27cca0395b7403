// The administrators that a process knows: all that were not revoked, read at once and held until any of them changes. So a made-up token
// costs no statement.

import { mostAdministrators } from '../../core/accounts/administrator.ts';
import { hashSecret } from '../../core/accounts/api-key.ts';
import type { KeyRing } from '../../core/secrets/key-ring.ts';
import { loadAdministrators } from '../../db/accounts/administrators.ts';
import type { AdministratorRow, Db } from '../../db/schema.ts';
import type { AdminScope } from '../../gen/values.ts';
import type { Wakeup } from '../../time/on-demand.ts';
import type { AdministratorOutcome } from '../waist/ports.ts';
import { KnownKeys } from './held-keys.ts';
import { type HeldSecret, heldSecret, isSecretOf, Uses } from './uses.ts';

type Held = ReadonlyMap<string, HeldSecret<AdministratorRow>>;

interface Token {
  id: string;
  secret: string;
}

export class HeldAdministrators {
  readonly #db: Db;
  readonly #ring: KeyRing;
  readonly #uses: Uses;
  readonly #known = new KnownKeys(mostAdministrators);
  #held: Promise<Held> | null = null;

  /** `wakeup` is set when there is something to flush. */
  constructor({ db, ring, wakeup }: { db: Db; ring: KeyRing; wakeup: Wakeup }) {
    this.#db = db;
    this.#ring = ring;
    this.#uses = new Uses({ db, ring, table: 'administrator', wakeup });
  }

  /** Forgets them: one was changed. */
  clear(): void {
    this.#held = null;
  }

  /** Whether the token was good when it was last used here. */
  knows(token: Token): boolean {
    return this.#known.has(token);
  }

  async judge({ id, secret }: Token, now: number): Promise<AdministratorOutcome> {
    const held = (await this.#rows()).get(id);
    // Where there is no such id it takes as long as a wrong secret does.
    if (!held) hashSecret(this.#ring.current('api_key').key, secret);
    if (!held || !isSecretOf(this.#ring, held, secret)) return { kind: 'unknown' };
    const { name, scopes, expires_at } = held.row;
    const expiresAt = expires_at?.getTime() ?? null;
    if (expiresAt !== null && expiresAt <= now) return { kind: 'expired' };
    this.#uses.note(held, secret, now);
    if (held.proven) this.#known.add(id, held.proven);
    return { kind: 'ok', principal: { kind: 'administrator', id, name, scopes: scopes as AdminScope[], expiresAt } };
  }

  flush(): Promise<void> {
    return this.#uses.flush();
  }

  #rows(): Promise<Held> {
    const held =
      this.#held ?? loadAdministrators(this.#db).then((rows) => new Map(rows.map((row) => [row.id, heldSecret(row)])));
    this.#held = held;
    held.catch(() => {
      if (this.#held === held) this.#held = null;
    });
    return held;
  }
}
