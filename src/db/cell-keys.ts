// The answers under Idempotency-Keys over several cells: whether a key was used, and for which request, is known in the key's cell, and what was
// answered in the cell of the request's number.

import type { CellMap } from '../core/fleet/cells.ts';
import { hourMs } from '../time/wall-clock.ts';
import type { EngineStore } from './engine-store.ts';
import { type KeyClaim, shardForKey } from './verify/key-claims.ts';
import type { IdempotencyKey, StoredAnswer } from './verify/sessions.ts';

/** One store a cell. */
export interface Cells<Store> {
  map: CellMap;
  of(cell: string): Store;
  /** Unix ms. */
  now(): number;
}

/** Answers are kept for a day and claims for two hours more (fleet/maintenance.ts), each until the next hour's turn. */
const keptMs = 28 * hourMs;

/**
 * As in one database (`storedAnswer`), and with `claim` the key is this request's from then on, where it was nobody's. After an epoch began, the
 * cell that was the key's before is asked first.
 */
export async function storedAnswerOver(
  { map, of, now }: Cells<Pick<EngineStore, 'claimKey' | 'findKey' | 'storedAnswer'>>,
  key: IdempotencyKey,
  claim: KeyClaim | null = null,
): Promise<StoredAnswer | null> {
  const at = now();
  const [cell = '', ...before] = map.since(shardForKey(key), at - keptMs, at);
  let known = null;
  for (const name of before) known ??= await of(name).findKey(key);
  known ??= claim ? await of(cell).claimKey(key, claim) : await of(cell).findKey(key);
  if (!known) return null;
  if (known.answer || !known.claim) return known.answer;
  if (known.claim.isNew) return null;
  const { hash, shard } = known.claim;
  for (const name of map.since(shard, at - keptMs, at)) {
    const answered = await of(name).storedAnswer(key);
    if (answered) return answered;
  }
  return { hash, answer: undefined };
}
