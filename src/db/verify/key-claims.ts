// Claims of Idempotency-Keys, where sessions lie in several cells. A key belongs to no number: the cell that the key itself hashes to says which
// request it is of, and the shard of that request's number. The answer is stored with its effect, in the cell of the number.

import { shardForText } from '../../core/ids.ts';
import type { Queryable } from '../queryable.ts';
import type { IdempotencyKey } from './sessions.ts';

/** What a key is claimed for. */
export interface KeyClaim {
  /** Keyed hash of the request, as it is stored with an answer. */
  hash: Buffer;
  /** Shard of the number that the request is about. */
  shard: number;
}

/** What one cell knows of a key. */
export interface KnownKey {
  /** null where there is an answer and no claim: it was stored while there was one cell. */
  claim: (KeyClaim & { isNew: boolean }) | null;
  /** Where it is in the same cell. */
  answer: { hash: Buffer; answer: unknown } | null;
}

/** The shard whose cell keeps the claim: of all keys, as equally as of all numbers. */
export const shardForKey = ({ accountId, mode, route, key }: IdempotencyKey): number =>
  shardForText([accountId, mode, route, key].join('\n'));

const ofKey = (row: string) => `${row}.account_id = $1 and ${row}.mode = $2 and ${row}.route = $3 and ${row}.key = $4`;

// The same request makes its claim young again: a claim must outlive the answer. Another request's is left as it is.
const claimText = `
with claimed as (
  insert into idempotency_claim (account_id, mode, route, key, request_hash, shard, created_at)
  values ($1, $2, $3, $4, $5, $6, now())
  on conflict (account_id, mode, route, key) do update set created_at = excluded.created_at
    where idempotency_claim.request_hash = excluded.request_hash
  returning request_hash, shard, xmax = 0 as is_new
),
known as (
  select request_hash, shard, is_new from claimed
  union all
  select c.request_hash, c.shard, false from idempotency_claim c where ${ofKey('c')} and not exists (select from claimed)
)
select k.request_hash, k.shard, k.is_new, a.request_hash as answer_hash, a.answer
from known k left join idempotency a on ${ofKey('a')}`;

const findText = `
select c.request_hash, c.shard, false as is_new, a.request_hash as answer_hash, a.answer
from (select) one left join idempotency_claim c on ${ofKey('c')} left join idempotency a on ${ofKey('a')}
where c.key is not null or a.key is not null`;

interface Row {
  request_hash: Buffer | null;
  shard: number | null;
  is_new: boolean;
  answer_hash: Buffer | null;
  answer: unknown;
}

const toKnown = ({ request_hash, shard, is_new, answer_hash, answer }: Row): KnownKey => ({
  claim: request_hash === null || shard === null ? null : { hash: request_hash, shard, isNew: is_new },
  answer: answer_hash === null ? null : { hash: answer_hash, answer },
});

/** Each run loses to a claim that was committed at that moment. */
const maxRuns = 10;

/** Claims the key for a request, unless it is claimed. Returns what is known then. */
export async function claimKey(db: Queryable, key: IdempotencyKey, { hash, shard }: KeyClaim): Promise<KnownKey> {
  const values = [key.accountId, key.mode, key.route, key.key, hash, shard];
  for (let runs = 1; runs <= maxRuns; runs += 1) {
    const { rows } = await db.query<Row>({ name: 'key.claim', text: claimText, values });
    if (rows[0]) return toKnown(rows[0]);
  }
  throw new Error('a claim of a key was neither made nor found');
}

/** What is known of the key here; null where nothing is. */
export async function findKey(db: Queryable, key: IdempotencyKey): Promise<KnownKey | null> {
  const values = [key.accountId, key.mode, key.route, key.key];
  const { rows } = await db.query<Row>({ name: 'key.find', text: findText, values });
  return rows[0] ? toKnown(rows[0]) : null;
}
