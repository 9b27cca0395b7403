// Idempotency-Key: the same key and request get the same answer. An answer is stored in the statement that stores its effect;
// the class here makes sure that it is also found.

import { createHmac } from 'node:crypto';
import type { KeyRing } from '../../core/secrets/key-ring.ts';
import type { Mode } from '../../core/verify/session.ts';
import type { KeyClaim } from '../../db/verify/key-claims.ts';
import { isRepeatedKey } from '../../db/verify/open.ts';
import type { EngineContext } from '../context.ts';
import type { Idempotency } from '../sessions/store.ts';

/** A call that has an Idempotency-Key. Scoped to account, mode and route; kept 24 h. */
export interface Keyed {
  route: string;
  key: string;
  /** The request as one text, the same for the same request. */
  request: string;
}

/** Same key and request: the stored answer. Another request: a conflict. */
export type Replay = { kind: 'replayed'; answer: unknown } | { kind: 'idempotency_conflict' };

/** The account and mode of a call, with its key where it has one. */
export interface KeyedCall {
  accountId: string;
  mode: Mode;
  idempotency: Keyed | null;
}

export class Idempotent {
  readonly #context: Pick<EngineContext, 'store' | 'ring'>;

  constructor(context: Pick<EngineContext, 'store' | 'ring'>) {
    this.#context = context;
  }

  /**
   * Runs `work` unless the call was answered before. `work` stores its answer with `kept`. Where it stored none, because it changed nothing
   * (`isStored`), another process may have answered the same call meanwhile, and what `work` met (a resend too soon, a code already
   * used) is that call's own doing.
   * @param shard of the number that the call is about: over several cells the key is claimed before anything is done. null = it can have no effect.
   */
  async run<Result>(
    call: KeyedCall,
    isStored: (result: Result) => boolean,
    work: (kept: Idempotency | null) => Promise<Result>,
    shard: number | null = null,
  ): Promise<Result | Replay> {
    const kept = this.#kept(call);
    const earlier = await this.earlier(call, kept && shard !== null ? { hash: kept.hash, shard } : null);
    if (earlier) return earlier;
    try {
      const result = await work(kept);
      if (isStored(result)) return result;
      return (await this.earlier(call)) ?? result;
    } catch (error) {
      // The same key at the same time: the other call has committed, and this one stored nothing.
      const answered = isRepeatedKey(error) ? await this.earlier(call) : null;
      if (answered) return answered;
      throw error;
    }
  }

  /** What an earlier call with the same key was answered; null where there was none, or the same one without an effect. */
  async earlier({ accountId, mode, idempotency }: KeyedCall, claim: KeyClaim | null = null): Promise<Replay | null> {
    if (!idempotency) return null;
    const { route, key, request } = idempotency;
    const stored = await this.#context.store.storedAnswer(accountId, mode, route, key, claim);
    if (!stored) return null;
    if (!matches(this.#context.ring, stored.hash, request)) return { kind: 'idempotency_conflict' };
    return stored.answer === undefined ? null : { kind: 'replayed', answer: stored.answer };
  }

  #kept({ idempotency }: KeyedCall): Idempotency | null {
    if (!idempotency) return null;
    const { route, key, request } = idempotency;
    return { route, key, hash: hashWith(this.#context.ring.current('code'), request) };
  }
}

/** Whether a stored hash is of this request, even where the key it was made with is no longer the current one. */
function matches(ring: KeyRing, stored: Buffer, request: string): boolean {
  const key = ring.byId(stored.subarray(0, Math.max(0, stored.indexOf('.'))).toString('latin1'));
  return key?.purpose === 'code' && hashWith(key, request).equals(stored);
}

/**
 * `<key id>.` and 32 bytes, so that the ring may rotate while hashes are kept. Keyed, because the request of a check holds a code: a
 * plain hash of one in a million codes is as good as the code. The prefix keeps these hashes apart from the codes that the same
 * keys derive, whose input begins with a session's id.
 */
function hashWith({ id, key }: ReturnType<KeyRing['current']>, request: string): Buffer {
  const hash = createHmac('sha256', key).update('idempotency\n').update(request).digest();
  return Buffer.concat([Buffer.from(`${id}.`), hash]);
}
