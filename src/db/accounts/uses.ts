// Uses of API keys and of administrators' tokens: when each was last used. After a rotation of the key ring a use also stores the hash of the
// secret under the ring's current key, because the secret is known only while it is used.

import { sql } from 'kysely';
import type { Rehashed } from '../../core/accounts/api-key.ts';
import type { Db } from '../schema.ts';

/** The use of an API key, or of an administrator's token. */
export interface KeyUsed {
  /** Unix ms. */
  at: number;
  /** Null: the hash of its secret stays. */
  rehashed: Rehashed | null;
}

/**
 * When they were last used, by id, and their hashes under the ring's current key. Never moves back; always locked in the order of ids, so
 * that two processes can't deadlock.
 */
export async function touch(
  db: Db,
  table: 'api_key' | 'administrator',
  uses: ReadonlyMap<string, KeyUsed>,
): Promise<void> {
  const ids = [...uses.keys()];
  const used = [...uses.values()];
  const times = used.map(({ at }) => new Date(at));
  const of = <T>(member: (rehashed: NonNullable<KeyUsed['rehashed']>) => T) =>
    used.map(({ rehashed }) => rehashed && member(rehashed));
  const hashes = of(({ hash }) => hash);
  const keyIds = of(({ keyId }) => keyId);
  const before = of(({ was }) => was);
  await sql`with used as materialized (
      select k.id, u.at, u.hash, u.key_id, u.was
      from unnest(${ids}::text[], ${times}::timestamptz[], ${hashes}::bytea[], ${keyIds}::text[], ${before}::text[])
        as u (id, at, hash, key_id, was) join ${sql.table(table)} k on k.id = u.id
      where k.last_used_at is null or k.last_used_at < u.at or k.hmac_key_id = u.was order by k.id for update of k
    )
    update ${sql.table(table)} k set last_used_at = greatest(k.last_used_at, used.at),
      secret_hash = case when k.hmac_key_id = used.was then used.hash else k.secret_hash end,
      hmac_key_id = case when k.hmac_key_id = used.was then used.key_id else k.hmac_key_id end
    from used where k.id = used.id`.execute(db);
}
