// Secrets of keys and of administrators' tokens, as far as this process holds their rows: whether a secret is right, and when each was last
// used, which is stored with the next flush.

import { hash } from 'node:crypto';
import { hashesEqual, hashSecret, rehashed } from '../../core/accounts/api-key.ts';
import type { KeyRing } from '../../core/secrets/key-ring.ts';
import { type KeyUsed, touch } from '../../db/accounts/uses.ts';
import type { Db } from '../../db/schema.ts';
import type { Wakeup } from '../../time/on-demand.ts';

interface SecretRow {
  id: string;
  secret_hash: Buffer;
  hmac_key_id: string;
  last_used_at: Date | null;
}

export interface HeldSecret<Row extends SecretRow> {
  row: Row;
  /** When its use was last noted, Unix ms; 0 = never. */
  notedAt: number;
  /** SHA-256 of the secret that was found right; null while none was. */
  proven: Buffer | null;
  /** Id of the ring's key that the secret is hashed with, as far as this process knows or has asked for. */
  hashedWith: string;
}

export const heldSecret = <Row extends SecretRow>(row: Row): HeldSecret<Row> => ({
  row,
  notedAt: row.last_used_at?.getTime() ?? 0,
  proven: null,
  hashedWith: row.hmac_key_id,
});

/** The HMAC is made once while the row is held; a plain hash of so long a random secret gives nothing away and is three times as fast. */
export function isSecretOf(ring: KeyRing, held: HeldSecret<SecretRow>, secret: string): boolean {
  const digest = hash('sha256', secret, 'buffer');
  if (held.proven && hashesEqual(digest, held.proven)) return true;
  const hmacKey = ring.byId(held.row.hmac_key_id);
  if (!hmacKey || !hashesEqual(hashSecret(hmacKey.key, secret), held.row.secret_hash)) return false;
  held.proven = digest;
  return true;
}

/** `last_used_at` is within a minute of the truth, for one write a minute and secret. */
const noteEveryMs = 60_000;

export interface UsesOptions {
  db: Db;
  ring: KeyRing;
  table: 'api_key' | 'administrator';
  /** Set when there is something to flush. */
  wakeup: Wakeup;
}

export class Uses {
  readonly #options: UsesOptions;
  #used = new Map<string, KeyUsed>();

  constructor(options: UsesOptions) {
    this.#options = options;
  }

  /** `at`: Unix ms. */
  note(held: HeldSecret<SecretRow>, secret: string, at: number): void {
    const again = rehashed(this.#options.ring, held.hashedWith, secret);
    if (!again && at - held.notedAt < noteEveryMs) return;
    held.notedAt = at;
    // Once: the next call finds the hash where it belongs.
    if (again) held.hashedWith = again.keyId;
    const { id } = held.row;
    this.#used.set(id, { at, rehashed: again ?? this.#used.get(id)?.rehashed ?? null });
    this.#options.wakeup.set();
  }

  /** What can't be stored is kept for the next time. */
  async flush(): Promise<void> {
    const flushed = this.#used;
    if (flushed.size === 0) return;
    this.#used = new Map();
    try {
      await touch(this.#options.db, this.#options.table, flushed);
    } catch (error) {
      for (const [id, use] of flushed) {
        const later = this.#used.get(id);
        this.#used.set(id, later ? { ...later, rehashed: later.rehashed ?? use.rehashed } : use);
      }
      throw error;
    }
  }
}
