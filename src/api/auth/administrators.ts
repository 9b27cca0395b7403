// The administrators that a process knows: all that were not revoked, read at once and held until any of them changes. So a made-up token
// costs no statement.

import { hash } from 'node:crypto';
import { hashesEqual, hashSecret, rehashed } from '../../core/accounts/api-key.ts';
import type { KeyRing } from '../../core/secrets/key-ring.ts';
import { loadAdministrators } from '../../db/accounts/administrators.ts';
import { type KeyUsed, touch } from '../../db/accounts/uses.ts';
import type { AdministratorRow, Db } from '../../db/schema.ts';
import type { AdminScope } from '../../gen/values.ts';
import type { AdministratorOutcome } from '../waist/ports.ts';

/** `last_used_at` is within a minute of the truth. */
const noteEveryMs = 60_000;

export class HeldAdministrators {
  readonly #db: Db;
  readonly #ring: KeyRing;
  #held: Promise<Map<string, AdministratorRow>> | null = null;
  /** When the use of each was last noted, Unix ms. */
  readonly #notedAt = new Map<string, number>();
  #used = new Map<string, KeyUsed>();
  /** Ids of the ring's keys that secrets are hashed with, where this process has asked for another one than their rows have. */
  readonly #hashedWith = new Map<string, string>();
  /** SHA-256 of the secrets that were found right, by id. */
  readonly #proven = new Map<string, Buffer>();

  constructor({ db, ring }: { db: Db; ring: KeyRing }) {
    this.#db = db;
    this.#ring = ring;
  }

  /** Forgets them: one was changed. */
  clear(): void {
    this.#held = null;
    this.#hashedWith.clear();
  }

  /** Whether the token was good when it was last used here. */
  knows({ id, secret }: { id: string; secret: string }): boolean {
    const proven = this.#proven.get(id);
    return proven !== undefined && hashesEqual(hash('sha256', secret, 'buffer'), proven);
  }

  async judge({ id, secret }: { id: string; secret: string }, now: number): Promise<AdministratorOutcome> {
    const row = (await this.#rows()).get(id);
    const hmacKey = row ? this.#ring.byId(row.hmac_key_id) : this.#ring.current('api_key');
    if (!hmacKey) return { kind: 'unknown' };
    // Also where there is no such id: it takes as long as a wrong secret does.
    const digest = hashSecret(hmacKey.key, secret);
    if (!row || !hashesEqual(digest, row.secret_hash)) return { kind: 'unknown' };
    if (row.expires_at && row.expires_at.getTime() <= now) return { kind: 'expired' };
    this.#note(row, secret, now);
    this.#proven.set(id, hash('sha256', secret, 'buffer'));
    const { name, scopes } = row;
    const expiresAt = row.expires_at?.getTime() ?? null;
    return { kind: 'ok', principal: { kind: 'administrator', id, name, scopes: scopes as AdminScope[], expiresAt } };
  }

  get hasUsed(): boolean {
    return this.#used.size > 0;
  }

  /** Stores when tokens were last used; what can't be stored is kept for the next time. */
  async flush(): Promise<void> {
    const flushed = this.#used;
    if (flushed.size === 0) return;
    this.#used = new Map();
    try {
      await touch(this.#db, 'administrator', flushed);
    } catch (error) {
      for (const [id, use] of flushed) {
        const later = this.#used.get(id);
        this.#used.set(id, later ? { ...later, rehashed: later.rehashed ?? use.rehashed } : use);
      }
      throw error;
    }
  }

  #rows(): Promise<Map<string, AdministratorRow>> {
    const held = this.#held ?? loadAdministrators(this.#db).then((rows) => new Map(rows.map((row) => [row.id, row])));
    this.#held = held;
    held.catch(() => {
      if (this.#held === held) this.#held = null;
    });
    return held;
  }

  #note({ id, hmac_key_id }: AdministratorRow, secret: string, at: number): void {
    const again = rehashed(this.#ring, this.#hashedWith.get(id) ?? hmac_key_id, secret);
    if (!again && at - (this.#notedAt.get(id) ?? Number.NEGATIVE_INFINITY) < noteEveryMs) return;
    if (again) this.#hashedWith.set(id, again.keyId);
    this.#notedAt.set(id, at);
    this.#used.set(id, { at, rehashed: again ?? this.#used.get(id)?.rehashed ?? null });
  }
}
