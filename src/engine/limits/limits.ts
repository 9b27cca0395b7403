// Limits of sends, which hold over all processes: an account's rate, by token buckets in the database of which many are taken in one
// statement; and how often a number may be sent to, with when a refused send may be tried again.

import type { Mode } from '../../core/verify/session.ts';
import { Lane, type LaneOptions } from '../../db/batch.ts';
import type { EngineStore } from '../../db/engine-store.ts';
import type { Bucket, TakenToken } from '../../db/limits/buckets.ts';
import type { NumberLimits, Spent } from '../../db/limits/number-tokens.ts';
import type { AccountView } from '../accounts/views.ts';

export type Taken = { kind: 'taken' } | { kind: 'refused'; retryAfterMs: number };

export class Limits {
  readonly #lane: Lane<Bucket, TakenToken>;

  constructor(db: EngineStore, options: Omit<LaneOptions, 'name'> = {}) {
    // One batch at a time: tokens are taken in the order of the calls.
    this.#lane = new Lane((buckets) => db.takeTokens(buckets), { inFlight: 1, ...options, name: 'limits' });
  }

  /** One token. */
  async take(bucket: Bucket): Promise<Taken> {
    const { granted, tokens } = await this.#lane.push(bucket);
    if (granted) return { kind: 'taken' };
    return { kind: 'refused', retryAfterMs: Math.ceil(((1 - tokens) / bucket.refillPerSecond) * 1000) };
  }
}

/** The deployment's limits of sends. */
export interface SendLimits {
  /** Of one account to one number, where the account has none of its own. */
  perNumberPerHour: number;
  perNumberPerDay: number;
  /** Of all accounts together to one number. */
  platformPerNumberPerHour: number;
  platformPerNumberPerDay: number;
  accountPerSecond: number;
  accountBurst: number;
}

type AccountLimits = Pick<AccountView, 'sendsPerNumberPerHour' | 'sendsPerNumberPerDay' | 'unlimitedNumbers'>;

/** null where nothing is counted: a test key sends nothing, and an account with wide limits is trusted with numbers too. */
export function numberLimitsOf(account: AccountLimits, mode: Mode, limits: SendLimits): NumberLimits | null {
  if (mode === 'test' || account.unlimitedNumbers) return null;
  return {
    perHour: account.sendsPerNumberPerHour ?? limits.perNumberPerHour,
    perDay: account.sendsPerNumberPerDay ?? limits.perNumberPerDay,
    platformPerHour: limits.platformPerNumberPerHour,
    platformPerDay: limits.platformPerNumberPerDay,
  };
}

/**
 * Ms until the next try: the time that the slower of the two buckets needs for one token, and up to half as much again at random. So
 * it comes from the same range whether the account's bucket is empty or the platform's: the difference would reveal the sends of other accounts.
 */
export function retryAfterMs(by: Spent, limits: NumberLimits, randomBytes: (size: number) => Uint8Array): number {
  const [periodMs, slower] =
    by === 'hour'
      ? [3_600_000, Math.min(limits.perHour, limits.platformPerHour)]
      : [86_400_000, Math.min(limits.perDay, limits.platformPerDay)];
  const random = Buffer.from(randomBytes(4)).readUInt32BE(0) / 2 ** 32;
  return Math.ceil((periodMs / slower) * (1 + random / 2));
}
